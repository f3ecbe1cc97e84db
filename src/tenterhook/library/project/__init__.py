"""A project's commands, tests and changes, and the results of running them.

One job per file, in the order an action uses them:

    kinds.py       what a file is: source, test, docs, config
    subject.py     the file that an event is about, and the package that it belongs to
    walk.py        the files that people write
    tests/         which tests belong to a source file (companions.py), and whether they test anything (assertions.py)
    commands.py    the test, lint, type and build commands; languages/ knows each language's
    checks.py      those that concern a file, ready to run
    run.py         run them within the budget; failures.py takes the first failures out of what they print
    ledger.py      the results, kept between the calls of a session
    changed.py     what changed, from git
    verify.py      after a change; tests/before.py before one; report.py at the end
    debugging.py   what debugging left behind
    overview.py    all commands of a project, for a reader who begins to work in it

What is read instead of run: config_files/ says whether a file parses, and what the linters that are installed say of
it; pages/ reads documents. sound.py puts these together for an action.
Imported in a process per call: these modules import nothing heavy at the top.
"""

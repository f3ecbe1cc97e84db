"""`tenter lock`: write a lockfile of a project's hooks, for a team to commit."""

from __future__ import annotations

import os

from tenterhook.cli.options import PROJECT, CommandUsage
from tenterhook.cli.project import warn
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import UsageError
from tenterhook.support.terminal.text import near, pluralise_count
from tenterhook.tools.approve import lockfile
from tenterhook.tools.approve.survey import survey
from tenterhook.tools.install.editing.writing import Change, commit, content

USAGE = CommandUsage(
    "lock",
    f"Write what a project's hooks are, entries and scripts, to {lockfile.NAME}: for `tenter audit` to compare with.\n"
    "A lockfile approves nothing: every user still approves hooks on their own machine with `tenter trust`.",
    (),
    (PROJECT,),
    "tenter lock --project ~/work/shop",
    "exit codes: 0 written, 1 could not run",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    hooks = HookSet(EngineOptions(options.get("project", ".")))
    found = survey(hooks.project)
    warn(found.problems)
    if found.unread:
        raise UsageError("nothing was locked: a file cannot be read, and it may hold hooks")
    file = os.path.join(hooks.project, lockfile.NAME)
    text = lockfile.lock(found.items, hooks.project)
    commit([Change(file, content(file), text.encode())])
    print(f"{pluralise_count(len(found.items), 'item')} locked in {near(file)}")
    return 0

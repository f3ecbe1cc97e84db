"""`tenter new`: write a new hook and its test, ready to be edited."""

from __future__ import annotations

import os
from keyword import iskeyword

from tenterhook.author import starting
from tenterhook.author.kinds import EVENTS, KINDS
from tenterhook.cli.options import CommandUsage, Option
from tenterhook.errors import UsageError, nearest

USAGE = CommandUsage(
    "new",
    "Write a hook into NAME.py and its test into test_NAME.py. Existing files are not overwritten.",
    ("NAME",),
    (
        Option("kind", "what it is for: tool.before (default), tool.after, prompt.submit, turn.stop, ...", "KIND"),
        Option("dir", "the folder to write into (default: this one)", "DIR"),
    ),
    "tenter new no-force-push --kind tool.before --dir hooks",
    "exit codes: 0 written, 1 could not be",
)
NEXT = """{file}: the hook
{test}: its test, in every agent that has {kind}

next:
  pytest {test}
  tenter install --agent NAME {file}    and your agent calls it"""

# Names that the hook's file uses itself.
TAKEN = ("hook", "tenterhook")


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    name = options["NAME"].replace("-", "_")
    kind = options.get("kind", starting.USUAL)
    if not name.isidentifier() or name.startswith("_"):
        raise USAGE.error(f"{options['NAME']!r} is not a name for a hook: use letters, digits and dashes")
    if iskeyword(name) or name in TAKEN:
        raise USAGE.error(f"{options['NAME']!r} is reserved in Python or in the file: choose another name")
    kind = EVENTS.get(kind, kind)
    if kind not in KINDS:
        raise USAGE.error(f"unknown kind {kind!r}{nearest(kind, KINDS)}; known kinds: {', '.join(sorted(KINDS))}")
    folder = options.get("dir", "")
    file, tests = os.path.join(folder, f"{name}.py"), os.path.join(folder, f"test_{name}.py")
    write_new_files({file: starting.hook(name, kind), tests: starting.tests(name, kind)})
    print(NEXT.format(file=file, test=tests, kind=kind))
    return 0


def write_new_files(files: dict[str, str]) -> None:
    """Write all files or none."""
    for path in files:
        if os.path.lexists(path):
            raise UsageError(f"{path} is there already: choose another name, or another folder with --dir")
    for path, text in files.items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)

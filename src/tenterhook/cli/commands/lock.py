"""`tenter lock`: write a lockfile of a project's hooks, for a team to commit."""

from __future__ import annotations

import os
from contextlib import suppress

from tenterhook.cli.options import PROJECT, CommandUsage
from tenterhook.cli.project import warn
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import UsageError
from tenterhook.support.terminal.text import near, pluralise_count
from tenterhook.tools.approve import lockfile
from tenterhook.tools.approve.survey import survey

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
    put(file, text)
    print(f"{pluralise_count(len(found.items), 'item')} locked in {near(file)}")
    return 0


def put(file: str, text: str) -> None:
    """Write atomically: a concurrent reader sees the old file or the new one."""
    new = f"{file}.{os.getpid()}.new"
    try:
        with open(new, "x", encoding="utf-8") as opened:
            opened.write(text)
        os.replace(new, file)
    except OSError as exc:
        with suppress(OSError):
            os.unlink(new)
        raise UsageError(f"{file}: cannot be written: {exc.strerror}") from None

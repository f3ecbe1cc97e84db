"""`tenter lock`: what a project's hooks are, written to a file that a team commits."""

from __future__ import annotations

import os
from contextlib import suppress

from tenterhook.cli.options import PROJECT, Usage
from tenterhook.cli.project import warn
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import UsageError
from tenterhook.support.terminal.text import near, pluralise_count
from tenterhook.tools.approve import lockfile
from tenterhook.tools.approve.survey import survey

USAGE = Usage(
    "lock",
    f"Write what a project's hooks are, entries and scripts, to {lockfile.NAME}: for `tenter audit` to compare with.\n"
    "A lockfile approves nothing: everybody still says with `tenter trust` what may run on their machine.",
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
        raise UsageError("nothing was locked: a file that cannot be read is no file without hooks")
    file = os.path.join(hooks.project, lockfile.NAME)
    text = lockfile.lock(found.items, hooks.project)
    put(file, text)
    print(f"{pluralise_count(len(found.items), 'item')} locked in {near(file)}")
    return 0


def put(file: str, text: str) -> None:
    """All of it or nothing: whoever reads it meanwhile finds the old one."""
    new = f"{file}.{os.getpid()}.new"
    try:
        with open(new, "x", encoding="utf-8") as opened:
            opened.write(text)
        os.replace(new, file)
    except OSError as exc:
        with suppress(OSError):
            os.unlink(new)
        raise UsageError(f"{file}: cannot be written: {exc.strerror}") from None

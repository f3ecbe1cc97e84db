"""`tenter audit`: check that a project's hooks are those in its lockfile."""

from __future__ import annotations

import json
import os
import sys

from tenterhook.cli.options import JSON, PROJECT, CommandUsage
from tenterhook.cli.project import print_json, warn
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import TenterhookError, UsageError
from tenterhook.support.terminal.text import one_line, pluralise_count
from tenterhook.tools.approve import lockfile
from tenterhook.tools.approve.survey import survey

USAGE = CommandUsage(
    "audit",
    f"Compare a project's hooks, entries and scripts, with {lockfile.NAME}. Nothing is run.",
    (),
    (PROJECT, JSON),
    "tenter audit --project ~/work/shop",
    "exit codes: 0 as locked, 1 they differ, 2 could not tell: bad call, no lockfile, a file that cannot be read",
)


def run(argv: list[str]) -> int:
    try:
        options = USAGE.parse(argv)
        return 0 if options is None else compare_with_lockfile(options)
    except TenterhookError as exc:
        print(f"tenter: {one_line(str(exc))}", file=sys.stderr)
        return 2


def compare_with_lockfile(options: dict[str, str]) -> int:
    hooks = HookSet(EngineOptions(options.get("project", ".")))
    before = lockfile.read(os.path.join(hooks.project, lockfile.NAME))
    found = survey(hooks.project)
    warn(found.problems)
    if found.unread:
        raise UsageError("cannot be compared: a file cannot be read, and it may hold hooks")
    now = json.loads(lockfile.lock(found.items, hooks.project))["items"]
    differing = list(lockfile.differences(before, now))
    if "json" in options:
        print_json({"locked": len(before), "differences": [{"what": what, "diff": diff} for what, diff in differing]})
    elif not differing:
        print(f"{pluralise_count(len(now), 'item')}, all as locked")
    for what, lines in differing if "json" not in options else ():
        print(one_line(what))
        print("\n".join(f"    {one_line(line)}" for line in lines))
    return 1 if differing else 0

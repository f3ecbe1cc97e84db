"""The hooks that somebody wants to install, and the events of an agent that they are for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout

from msgspec import Struct

from tenterhook.author import loading
from tenterhook.author.calls import Call
from tenterhook.author.process import parse_argv
from tenterhook.author.registered import Registered
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.errors import UsageError

# Options of `tenter run` that go into the command line as they are.
THEIRS = ("--set", "--options")


class Heard(Struct, frozen=True):
    """One event of an agent, and the hooks that it is for."""

    rule: EventRule
    hooks: list[Registered]


def split_arguments(argv: list[str], valued: Iterable[str]) -> tuple[list[str], Call]:
    """Our own options, of which some take a value; and what the agent's command line shall say."""
    own: list[str] = []
    theirs: list[str] = []
    rest = iter(argv)
    for word in rest:
        name, equals, _ = word.partition("=")
        into = own if word.startswith("-") and name not in THEIRS else theirs
        into.append(word)
        if not equals and name in (*THEIRS, *valued):
            into += [value for value in [next(rest, None)] if value is not None]
    call = parse_argv(theirs)
    if call.problems:
        raise UsageError("; ".join(call.problems))
    return own, call


def load_hook_files(call: Call) -> list[Registered]:
    """Run the files, as an agent's call would; what is wrong with them is said now, not when the agent calls."""
    if not call.words:
        raise UsageError("which hooks? name files, or library:NAME")
    check_there([word for word, _ in call.words if not word.startswith(loading.LIBRARY)])
    try:
        with redirect_stdout(sys.stderr):
            found = loading.of_call(call)
    except SystemExit as exc:
        raise UsageError("a hook file ends the program when it is loaded; it must only define hooks") from exc
    problems = [one.problem for one in found if one.problem]
    if problems:
        raise UsageError("; ".join(problems))
    return found


def check_there(paths: list[str]) -> None:
    folders = [path for path in paths if os.path.isdir(path)]
    if folders:
        raise UsageError(f"{', '.join(folders)}: a folder; name the files in it that hold hooks")
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise UsageError(f"no such file: {', '.join(missing)}")
    special = [path for path in paths if not os.path.isfile(path)]
    if special:
        raise UsageError(f"{', '.join(special)}: no regular file")


def match_hooks_to_events(
    hooks: list[Registered], dialect: Dialect
) -> tuple[list[Heard], list[tuple[Registered, str]]]:
    """The events of the agent that the hooks are for, and the kinds that it has no event for."""
    found: dict[str, Heard] = {}
    without: list[tuple[Registered, str]] = []
    for one in hooks:
        for kind in one.kinds:
            rules = events_of(kind, dialect)
            if not rules:
                without.append((one, kind))
            for rule in rules:
                here = found.setdefault(rule.name, Heard(rule, [])).hooks
                if one not in here:
                    here.append(one)
    order = [rule.name for rule in dialect.events]
    return sorted(found.values(), key=lambda one: order.index(one.rule.name)), without


def events_of(kind: str, dialect: Dialect) -> list[EventRule]:
    """The event of that name; or of that kind, one that is for all tools rather than several that are for some."""
    runs = {one.name for one in dialect.config.types if one.handler == "command"}
    able = [rule for rule in dialect.events if not rule.overrides.types or runs.intersection(rule.overrides.types)]
    named = [rule for rule in able if rule.name == kind]
    alike = [rule for rule in able if rule.kind == kind]
    return named or [rule for rule in alike if not rule.firing.tools][:1] or alike

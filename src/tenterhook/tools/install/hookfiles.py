"""The hooks to install, and the events of an agent that are connected to the gate."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from typing import Any

from msgspec import Struct

from tenterhook import handlers
from tenterhook.author import loading
from tenterhook.author.calls import HookCommand
from tenterhook.author.options import SEVERAL
from tenterhook.author.process import parse_argv
from tenterhook.author.registered import Registered
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.dialects.schema.kinds import CONNECTED
from tenterhook.errors import UsageError
from tenterhook.types import Hook

# Options for the hooks of the files before them.
THEIRS = ("--set", "--options")


class EventHooks(Struct, frozen=True):
    """One event of an agent, and the hooks of our config that are for it now."""

    rule: EventRule
    hooks: list[Hook]


def split_arguments(argv: list[str], valued: Iterable[str]) -> tuple[list[str], HookCommand]:
    """Our own options, some of which take a value; and the rest: files and the options for their hooks."""
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


def load_hook_files(call: HookCommand) -> list[tuple[str, dict[str, Any]]]:
    """The files, each with the options that differ from its hooks' own; errors are reported now, not when an agent
    calls.
    """
    check_there([word for word, _ in call.words if not word.startswith(loading.LIBRARY)])
    return [(word, changed_options(word, settings, call)) for word, settings in call.words]


def changed_options(word: str, settings: list[str], call: HookCommand) -> dict[str, Any]:
    one = HookCommand()
    one.words, one.settings, one.options = [(word, settings)], call.settings, call.options
    found = load(one)
    usual = {(hook.name, name): value for hook in load_plain(word) for name, value in hook.options.items()}
    return {
        name: list(value) if isinstance(value, SEVERAL) else value
        for hook in found
        for name, value in hook.options.items()
        if usual.get((hook.name, name)) != value
    }


def load_plain(word: str) -> list[Registered]:
    plain = HookCommand()
    plain.words = [(word, [])]
    return load(plain)


def load(call: HookCommand) -> list[Registered]:
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
        raise UsageError(f"{', '.join(special)}: not a regular file")


def events_to_connect(dialect: Dialect, hooks: Iterable[Hook]) -> tuple[list[EventHooks], list[tuple[Hook, str]]]:
    """The events that get an entry, in the agent's order; and hooks for kinds that it has no event for."""
    by_kind: dict[str, list[Hook]] = {kind: [] for kind in CONNECTED}
    for hook in hooks:
        by_kind.setdefault(hook.event, []).append(hook)
    found: list[EventHooks] = []
    without: list[tuple[Hook, str]] = []
    for kind, theirs in by_kind.items():
        rules = events_of(kind, dialect)
        found += [EventHooks(rule, theirs) for rule in rules]
        without += [] if rules else [(hook, kind) for hook in theirs]
    order = [rule.name for rule in dialect.events]
    return sorted(found, key=lambda one: order.index(one.rule.name)), without


def events_of(kind: str, dialect: Dialect) -> list[EventRule]:
    """The event of that kind that is for all tools rather than several that are for some."""
    runs = {one.name for one in dialect.config.types if handlers.traits(one.handler).takes_command_line}
    able = [rule for rule in dialect.events if not rule.overrides.types or runs.intersection(rule.overrides.types)]
    alike = [rule for rule in able if rule.kind == kind]
    return [rule for rule in alike if not rule.firing.tools][:1] or alike

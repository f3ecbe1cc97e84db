"""Everything in an entry besides its event, matcher and command, for which the other dialect has a key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.config.entry_keys import OURS, TIMEOUT, key_of
from tenterhook.config.timeouts import LONGEST, seconds_to_unit
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Type
from tenterhook.tools.convert.read_hooks import SourceHook
from tenterhook.types import RULE

# The setter of a key that takes the agent's own word for it.
CLOSED = "closed"


class CarriedKeys(Struct):
    """Keys for the entry and for its group, and what has no key there: (name, key it had, text)."""

    entry: dict[str, Any] = {}
    group: dict[str, Any] = {}
    lost: list[tuple[str, str, str]] = []
    notes: list[tuple[str, str, str]] = []
    comments: list[str] = []


class HookOption(Struct, frozen=True):
    """One option of a hook: its attribute, its setters, and how it is written."""

    name: str
    usual: Any
    setters: dict[str, Callable[[Any], Any]]
    lost: str


def as_it_is(value: Any) -> Any:
    return value


def variables(value: dict[str, str | None]) -> Any:
    """Names to pass on, or values to set."""
    return list(value) if all(one is None for one in value.values()) else value


def closes(value: dict[str, str]) -> Any:
    return True if value.get("default") == "deny" else None


def rule_of(value: dict[str, Any]) -> Any:
    """A permission rule, if the condition is one."""
    return next(iter(value.values())) if set(value) == {RULE} else None


def unconditional(value: dict[str, Any]) -> Any:
    return None if set(value) == {RULE} else value


def builtins(value: Any) -> Any:
    found = msgspec.to_builtins(value)
    return {key: one for key, one in found.items() if one not in ("", [], (), False)} if not found.get("off") else "off"


WISHES = (
    HookOption("enabled", True, {"enabled": as_it_is}, "a hook that is switched off was left out"),
    HookOption("sequential", False, {"sequential": as_it_is}, "hooks do not wait for each other there"),
    HookOption("once", False, {"once": as_it_is}, "the hook runs each time, not once in a session"),
    HookOption("background", False, {"background": as_it_is}, "the agent waits for the hook"),
    HookOption(
        "condition", None, {"condition": unconditional, "rule": rule_of}, "the hook runs whatever its condition says"
    ),
    HookOption(
        "on_failure", {}, {"on_failure": as_it_is, "closed": closes}, "a failure of the hook lets the agent go on"
    ),
    HookOption("env", {}, {"env": variables}, "its variables are not set"),
    HookOption("priority", 0, {"priority": as_it_is}, "hooks run in the order of the file"),
    HookOption(
        "leftovers", "", {"leftovers": as_it_is}, "what the hook leaves running goes on or ends as the agent has it"
    ),
    HookOption("sandbox", None, {"sandbox": builtins}, "the agent does not confine the hook so"),
    HookOption("warm", True, {"warm": as_it_is}, "the agent starts it as it starts every hook"),
)


def carry_hook_settings(taken: SourceHook, source: Dialect, target: Dialect, to: EventRule, kind: Type) -> CarriedKeys:
    made = CarriedKeys({}, {}, [], [], [])
    limit(made, taken, source, target, to, kind)
    for wish in WISHES:
        value = getattr(taken.hook, wish.name)
        if value != wish.usual and not is_agent_default(wish, target):
            carry(made, taken.saying(source, wish.setters), wish, value, target)
    carry_name_and_notes(made, taken, source, target)
    return made


def is_agent_default(wish: HookOption, target: Dialect) -> bool:
    """What the agent does by default: hooks in sequence; and their order, which without a key is that of the file."""
    if wish.name == "priority":
        return not any(setter in wish.setters for setter in target.config.form.keys.values())
    return wish.name == "sequential" and target.planning.order == "sequential"


def carry(made: CarriedKeys, source_key: str, wish: HookOption, value: Any, target: Dialect) -> None:
    """`source_key` is the key that the entry has it under."""
    form = target.config.form
    for keys, into in ((form.keys, made.entry), (form.group_keys, made.group)):
        for key, setter in sorted(keys.items(), key=lambda pair: (pair[0] != source_key, pair[0] != wish.name)):
            written = wish.setters[setter](value) if setter in wish.setters else None
            if written is not None:
                into[key] = (setter == CLOSED and target.install and target.install.closed) or written
                return
    ours = key_of(form.keys, "ours")
    option = next((name for name, setter in OURS.items() if setter in wish.setters), "")
    written = wish.setters[OURS[option]](value) if option else None
    if ours and written is not None:
        made.entry.setdefault(ours, {})[option] = written
        text = f"{wish.lost}; kept under {ours!r}, which counts only where tenterhook runs the hook"
    else:
        text = wish.lost
    made.lost.append((wish.name, source_key, text))


def limit(made: CarriedKeys, taken: SourceHook, source: Dialect, target: Dialect, to: EventRule, kind: Type) -> None:
    """The time-out in the target's unit. A default that is longer than the target's is written out, so that it
    stays.
    """
    seconds = taken.hook.timeout or source.planning.timeout
    usual = min(kind.timeout or target.planning.timeout, to.overrides.timeout or LONGEST)
    source_key = taken.saying(source, ("timeout",))
    key = key_of(target.config.form.keys, *TIMEOUT)
    if not source_key and seconds <= usual:
        return
    if not key:
        if seconds != usual:
            made.lost.append(("timeout", source_key, f"a hook has {usual:g} s there, and had {seconds:g} s"))
        return
    most = to.overrides.longest or LONGEST
    made.entry[key], unit = seconds_to_unit(min(seconds, most), kind.unit or target.config.unit)
    if seconds > most:
        made.lost.append(("timeout", source_key, f"a hook of {to.name} has {most:g} s at most, and had {seconds:g} s"))
    elif taken.entry.get(source_key) != made.entry[key]:
        made.notes.append(("timeout", source_key, f"{seconds:g} s is {key} {made.entry[key]} there, in {unit}"))


def carry_name_and_notes(made: CarriedKeys, taken: SourceHook, source: Dialect, target: Dialect) -> None:
    """A given name, and texts for people: as keys, else as comments."""
    keys = target.config.form.keys
    if taken.saying(source, ("name",)):
        if key := key_of(keys, "name"):
            made.entry[key] = taken.hook.name
        else:
            made.comments.append(taken.hook.name)
    for key, text in texts(taken, source):
        if keys.get(key) == "note":
            made.entry[key] = text
        else:
            made.comments.append(f"{key}: {text}")


def texts(taken: SourceHook, source: Dialect) -> Iterator[tuple[str, str]]:
    for key, value in taken.entry.items():
        if source.config.form.keys.get(key) == "note" and isinstance(value, str):
            yield key, value

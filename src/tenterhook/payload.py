"""Event -> what a hook is given: the JSON on its stdin and the environment."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.clock import stamp
from tenterhook.dialect import Dialect, EventRule, Field
from tenterhook.environment import DEPTH, Inherited, environment
from tenterhook.types import Event, Hook

# Names under which hosts and payloads give the same thing, in every dialect.
ALIASES = {"tool_response": "tool_output", "notification_type": "type"}
# Where an event's data may hold what a base field says.
GIVEN = {"session": "session_id", "event": "hook_event_name", "transcript": "transcript_path"}
# What a field has for a value that is not there at all: it is left out.
ABSENT: Any = object()
NESTED = (dict, list)

Getter = Callable[[Event], Any]
Form = Callable[[Any], Any]


class PayloadError(Exception):
    """An event that no hook can be told of: whoever made it that way must not get past the hooks by it."""


class Payload(dict[str, Any]):
    """A hook's input: a mapping that also answers attribute access, as functions of some agents expect."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def aliases(dialect: Dialect, rule: EventRule) -> dict[str, str]:
    """Their word -> our word, for everything that an event of this dialect may be given under."""
    base = [field for field in rule.base or dialect.base if field.key in GIVEN or field.key not in BASE]
    fields = (*base, *rule.fields)
    given = [(field.name, GIVEN.get(field.key, field.key)) for field in fields if "." not in field.key]
    renamed = {theirs: ours for theirs, ours in given if theirs != ours}
    kept = {theirs for theirs, ours in given if theirs == ours}
    return {**{theirs: ours for theirs, ours in ALIASES.items() if theirs not in kept}, **renamed}


def in_our_words(data: dict[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """The event's data under our names. Where both names are given, ours counts."""
    if renamed.keys().isdisjoint(data):
        return data
    ours = {renamed.get(key, key): value for key, value in data.items()}
    return {key: data.get(key, value) for key, value in ours.items()}


class Shape(Struct, frozen=True):
    """What hooks of one event are given, compiled: (name, how to get it) for the base, (name, our key) for the rest.

    `dotted` are our keys that are paths, `formed` the fields that are written in a form of their own.
    """

    base: tuple[tuple[str, Getter], ...]
    fields: tuple[tuple[str, str], ...]
    dotted: frozenset[str]
    formed: dict[str, Form]
    used: frozenset[str]
    env: tuple[tuple[str, Getter, bool], ...]
    inherited: Inherited
    strip: bool
    # The variables that say something about the event.
    varying: frozenset[str]
    end: bytes


def compile_shape(dialect: Dialect, rule: EventRule, *, strict: bool, strip: bool = True) -> Shape:
    """`strict` gives hooks an allow list of variables, `strip` none that hold secrets."""
    base, env = rule.base or dialect.base, {**dialect.env, **rule.env}
    return Shape(
        tuple((field.name, getter(field)) for field in base),
        tuple((field.name, field.key) for field in rule.fields),
        frozenset(field.key for field in rule.fields if "." in field.key),
        {field.name: FORMS[field.form] for field in rule.fields if field.form},
        frozenset({"session_id", "hook_event_name", *(consumed(field.key) for field in (*base, *rule.fields))}),
        tuple((name, variable(word.rstrip("?")), word.endswith("?")) for name, word in env.items()),
        Inherited(strict=strict, strip=strip, without=dialect.env_without),
        strip,
        frozenset({DEPTH, *env}),
        b"\n" if dialect.newline else b"",
    )


def consumed(key: str) -> str:
    """The key of an event's data that a field is made of: it is not given as it is, too."""
    return GIVEN.get(key, key).partition(".")[0]


def getter(field: Field) -> Getter:
    """How to get a base field's value: one that we always know, else what the event's data have, if any."""
    get, form = BASE.get(field.key) or partial(of_data, field.key), FORMS.get(field.form)
    if form is None:
        return get
    return lambda event: value if (value := get(event)) is ABSENT else form(value)


def of_data(key: str, event: Event) -> Any:
    if "." in key:
        value = lookup(key, event.data)
        return ABSENT if value is None else fresh(value)
    return fresh(event.data.get(key, ABSENT))


def variable(word: str) -> Getter:
    """How to get a variable's value: a word of BASE, `=TEXT`, or `.PATH` into the event's data."""
    if word.startswith("="):
        return lambda event: word[1:]
    if word.startswith("."):
        return lambda event: lookup(word[1:], event.data)
    return BASE[word]


def lookup(path: str, data: object) -> object:
    """The value at a dotted path, or None."""
    for key in path.split("."):
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


class Given:
    """What the hooks of one batch are given. Each part is made when the first hook asks for it, and shared."""

    __slots__ = ("event", "made_env", "made_payload", "made_stdin", "shape")

    def __init__(self, event: Event, shape: Shape) -> None:
        self.event, self.shape = event, shape
        self.made_payload: Payload | None = None
        self.made_stdin: bytes | None = None
        self.made_env: dict[str, str] | None = None

    def payload(self) -> Payload:
        if self.made_payload is None:
            self.made_payload = payload(self.event, self.shape)
        return self.made_payload

    def own_payload(self) -> Payload:
        """One for a function alone: what it does to it in place must change nothing for anybody else."""
        return payload(self.event, self.shape)

    def stdin(self) -> bytes:
        if self.made_stdin is None:
            self.made_stdin = encoded(self.payload()) + self.shape.end
        return self.made_stdin

    def env(self, hook: Hook) -> dict[str, str]:
        """What all hooks get, and what this one's entry adds: values to set, or (None) names to pass on."""
        if self.made_env is None:
            self.made_env = environment(self.event, self.shape)
        if not hook.env:
            return self.made_env
        host = self.event.environ
        passed = {name: host.get(name) if value is None else value for name, value in hook.env.items()}
        own = {name: value for name, value in passed.items() if value is not None and name != DEPTH}
        return {**self.made_env, **own}


def payload(event: Event, shape: Shape) -> Payload:
    """The base fields, the event's own fields that are known, then whatever else the host gave; all of it copied."""
    data = event.data
    given = Payload()
    for name, get in shape.base:
        value = get(event)
        if value is not ABSENT:
            given[name] = value
    for name, key in shape.fields:
        if key in data:
            value = data[key]
            given[name] = fresh(value) if value.__class__ in NESTED else value
        elif key in shape.dotted and (value := lookup(key, data)) is not None:
            given[name] = fresh(value)
    for name, form in shape.formed.items():
        if name in given:
            given[name] = form(given[name])
    if not shape.used.issuperset(data):
        given.update((key, fresh(value)) for key, value in data.items() if key not in shape.used and key not in given)
    return given


def fresh(value: Any) -> Any:
    """A copy down to the last mapping and list. No recursion: 500 nested lists in a tool's input must not end it."""
    if value.__class__ not in NESTED:
        return value
    copy = value.copy()
    for one in value.values() if value.__class__ is dict else value:
        if one.__class__ in NESTED:
            break
    else:
        return copy
    copies = {id(value): copy}
    left = [copy]
    while left:
        made = left.pop()
        for key, one in made.items() if made.__class__ is dict else enumerate(made):
            if one.__class__ in NESTED:
                known = copies.get(id(one))  # also where it holds itself
                if known is None:
                    known = copies[id(one)] = one.copy()
                    left.append(known)
                made[key] = known
    return copy


def encoded(given: Mapping[str, Any]) -> bytes:
    """One JSON object. What JSON cannot hold is written as text: a host's odd value must not lose the event."""
    try:
        try:
            return msgspec.json.encode(given, enc_hook=in_json)
        except UnicodeEncodeError:
            import json

            return json.dumps(given, default=in_json).encode()
    except Exception as exc:  # also what a host's own __str__ raises
        raise PayloadError(f"the event's data cannot be written as JSON: {exc}") from exc


def in_json(value: Any) -> Any:
    """What JSON has no word for: a mapping of another kind is an object, or rules could not look into it."""
    return dict(value) if isinstance(value, Mapping) else str(value)


BASE: dict[str, Getter] = {
    "session": attrgetter("session"),
    "cwd": lambda event: event.data.get("cwd") or event.project,
    "project": attrgetter("project"),
    "event": attrgetter("name"),
    "timestamp": lambda event: event.data.get("timestamp") or stamp(time.time_ns() // 1_000_000),
    "transcript": lambda event: event.data.get("transcript_path") or "",
    "agent": attrgetter("agent"),
    "tool": lambda event: event.data.get("tool_name"),
    "pid": lambda event: os.getpid(),
}


def as_json(value: Any) -> Any:
    return value if isinstance(value, str) else encoded(value).decode()


def as_epoch_ms(value: Any) -> Any:
    """Milliseconds since 1970 of a time in ISO 8601; what is no such text stays as it is."""
    if not isinstance(value, str):
        return value
    from datetime import datetime

    try:
        return round(datetime.fromisoformat(value).timestamp() * 1000)
    except ValueError:
        return value


def as_nullable(value: Any) -> Any:
    return None if value == "" else value


FORMS: dict[str, Form] = {"json": as_json, "epoch-ms": as_epoch_ms, "nullable": as_nullable}

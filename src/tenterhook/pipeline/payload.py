"""Event -> the input of a hook: the JSON on its stdin and the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.environment import DEPTH, Inherited, environment
from tenterhook.pipeline.payload_fields import ABSENT, BASE, ONE_WAY, Form, Getter, form, getter, is_plain, variable
from tenterhook.types import Event, Hook

# Names under which hosts and payloads give the same thing, in every dialect.
ALIASES = {"tool_response": "tool_output", "notification_type": "type"}
# The keys of an event's data that may hold the value of a base field.
GIVEN = {"session": "session_id", "event": "hook_event_name", "transcript": "transcript_path"}
NESTED = (dict, list)


class PayloadError(Exception):
    """An event that cannot be written for hooks. It must fail: an odd value must not be a way past the hooks."""


def aliases(dialect: Dialect, rule: EventRule) -> dict[str, str]:
    """Maps each name that an event of this dialect may use to our name."""
    base = [
        field for field in rule.overrides.base or dialect.payload.base if field.key in GIVEN or field.key not in BASE
    ]
    fields = [field for field in (*base, *rule.fields) if field.form not in ONE_WAY and not field.key.startswith("=")]
    given = [(field.name, GIVEN.get(field.key, field.key)) for field in fields]
    renamed = {theirs: ours for theirs, ours in given if theirs != ours}
    unchanged = {theirs for theirs, ours in given if theirs == ours}
    return {**{theirs: ours for theirs, ours in ALIASES.items() if theirs not in unchanged}, **renamed}


def in_our_words(data: dict[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """The event's data under our names. If both names are given, ours counts."""
    if renamed.keys().isdisjoint(data):
        return data
    ours: dict[str, Any] = {}
    for key, value in data.items():
        name, _, inner = renamed.get(key, key).partition(".")
        if inner:
            ours[name] = {inner: value, **mapping(data.get(name)), **mapping(ours.get(name))}
        else:
            ours[name] = data.get(name, value)
    return ours


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


class Shape(Struct, frozen=True):
    """The payload of one event, compiled: (name, getter) for the base fields, (name, our key) for the rest.

    `formed` are those of the rest that have a form of their own.
    """

    base: tuple[tuple[str, Getter], ...]
    fields: tuple[tuple[str, str], ...]
    formed: dict[str, Form]
    used: frozenset[str]
    env: tuple[tuple[str, Getter, bool], ...]
    inherited: Inherited
    strip: bool
    # The variables about the event.
    varying: frozenset[str]
    end: bytes
    dialect: str


def compile_shape(dialect: Dialect, rule: EventRule, *, strict: bool, strip: bool = True) -> Shape:
    """`strict` gives hooks an allow list of variables, `strip` none that hold secrets."""
    base, env = rule.overrides.base or dialect.payload.base, {**dialect.payload.env, **rule.overrides.env}
    plain = all(map(is_plain, rule.fields))
    moment = [one for one in dialect.events if one.kind == rule.kind]
    keys = {
        field.key.partition(".")[0]
        for one in moment
        for field in (*(one.overrides.base or dialect.payload.base), *one.fields)
    }
    matched = (rule.target.field,) if rule.target.of else ()
    return Shape(
        tuple((field.name, getter(field, rule)) for field in (base if plain else (*base, *rule.fields))),
        tuple((field.name, field.key) for field in rule.fields) if plain else (),
        {field.name: form(field, rule) for field in rule.fields if field.form} if plain else {},
        frozenset({"session_id", "hook_event_name", *(GIVEN.get(key, key) for key in keys), *matched}),
        tuple((name, variable(name, word.rstrip("?")), word.endswith("?")) for name, word in env.items()),
        Inherited(strict=strict, strip=strip, without=dialect.payload.env_without),
        strip,
        frozenset({DEPTH, *env}),
        b"\n" if dialect.payload.newline else b"",
        dialect.name,
    )


def agents_in(data: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, ...]:
    """The agents that an event's data name under one of these keys."""
    if not keys or data.keys().isdisjoint(keys):
        return ()
    given = (data[key] for key in keys if data.get(key))
    return tuple(str(one) for value in given for one in (value if isinstance(value, list) else (value,)))


class Given:
    """The input of the hooks of one batch. Each part is made when the first hook needs it, and shared."""

    __slots__ = ("event", "made_env", "made_payload", "made_stdin", "shape")

    def __init__(self, event: Event, shape: Shape) -> None:
        self.event, self.shape = event, shape
        self.made_payload: dict[str, Any] | None = None
        self.made_stdin: bytes | None = None
        self.made_env: dict[str, str] | None = None

    def payload(self) -> dict[str, Any]:
        if self.made_payload is None:
            self.made_payload = payload(self.event, self.shape)
        return self.made_payload

    def fill(self, own: dict[str, Any]) -> None:
        """Fill a dictionary for one function: what it changes in place must not reach any other hook."""
        payload(self.event, self.shape, own)

    def stdin(self) -> bytes:
        if self.made_stdin is None:
            self.made_stdin = encode_payload_json(self.payload()) + self.shape.end
        return self.made_stdin

    def env(self, hook: Hook) -> dict[str, str]:
        """The variables for all hooks, and those that this entry adds: values to set, or (None) names to pass on."""
        if self.made_env is None:
            self.made_env = environment(self.event, self.shape)
        if not hook.env:
            return self.made_env
        host = self.event.environ
        passed = {name: host.get(name) if value is None else value for name, value in hook.env.items()}
        own = {name: value for name, value in passed.items() if value is not None and name != DEPTH}
        return {**self.made_env, **own}


def payload(event: Event, shape: Shape, own: dict[str, Any] | None = None) -> dict[str, Any]:
    """The base fields, the event's known fields, then all else that the host gave; everything is copied."""
    data = event.data
    given: dict[str, Any] = {} if own is None else own
    for name, get in shape.base:
        value = get(event)
        if value is not ABSENT:
            given[name] = fresh(value) if value.__class__ in NESTED else value
    for name, key in shape.fields:
        if key in data:
            value = data[key]
            given[name] = fresh(value) if value.__class__ in NESTED else value
    for name, write in shape.formed.items():
        if name in given:
            given[name] = write(given[name])
    if not shape.used.issuperset(data):
        given.update((key, fresh(value)) for key, value in data.items() if key not in shape.used and key not in given)
    return given


def fresh(value: Any) -> Any:
    """Copy all mappings and lists, without recursion: 500 nested lists in a tool's input must not break it."""
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
                known = copies.get(id(one))  # even if it contains itself
                if known is None:
                    known = copies[id(one)] = one.copy()
                    left.append(known)
                made[key] = known
    return copy


def encode_payload_json(given: Mapping[str, Any]) -> bytes:
    """Encode one JSON object. Values that JSON cannot hold become text: a host's odd value must not lose the event."""
    try:
        try:
            return msgspec.json.encode(given, enc_hook=in_json)
        except UnicodeEncodeError:
            import json

            return json.dumps(given, default=in_json).encode()
    except Exception as exc:  # even if a host's own __str__ raises
        raise PayloadError(f"the event's data cannot be written as JSON: {exc}") from exc


def in_json(value: Any) -> Any:
    """Convert what JSON has no type for. Mappings of other kinds become objects, so that rules can look into them.

    An object of an SDK (a pydantic model) converts itself.
    """
    if isinstance(value, Mapping):
        return dict(value)
    if callable(dump := getattr(type(value), "model_dump", None)):
        try:
            return dump(value, mode="json", by_alias=True, exclude_none=True)
        except Exception:  # if it cannot, it becomes text like anything else
            return str(value)
    return str(value)

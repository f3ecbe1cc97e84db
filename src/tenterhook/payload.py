"""Event -> what a hook is given: the JSON on its stdin and the environment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tenterhook.dialect import Dialect, EventRule
from tenterhook.types import Event, Hook

# Names under which hosts and payloads give the same thing, in every dialect.
ALIASES = {"tool_response": "tool_output", "notification_type": "type"}
DEPTH = "TENTERHOOK_DEPTH"
# What a strict engine lets a hook see of the host's environment, besides the dialect's own variables.
ALLOWED = {
    *("PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL", "PWD"),
    *("SYSTEMROOT", "COMSPEC", "TEMP", "TMP", "VIRTUAL_ENV"),
}
ALLOWED_PREFIXES = ("LC_", "XDG_")


class Payload(dict[str, Any]):
    """A hook's input: a mapping that also answers attribute access, as functions of some agents expect."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def aliases(dialect: Dialect, rule: EventRule) -> dict[str, str]:
    """Their word -> our word, for everything that an event of this dialect may be given under."""
    renamed = {field.name: field.key for field in rule.fields if field.name != field.key}
    kept = {field.name for field in rule.fields if field.name == field.key}
    return {**{theirs: ours for theirs, ours in ALIASES.items() if theirs not in kept}, **renamed}


def in_our_words(data: dict[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """The event's data under our names. Where both names are given, ours counts."""
    if renamed.keys().isdisjoint(data):
        return data
    ours = {renamed.get(key, key): value for key, value in data.items()}
    return {key: data.get(key, value) for key, value in ours.items()}


def payload(event: Event, dialect: Dialect, rule: EventRule) -> Payload:
    """The base fields, the event's own fields that are known, then whatever else the host gave."""
    data = event.data
    given = Payload()
    for field in dialect.base:
        given[field.name] = BASE[field.ours](event)
    used = {"session_id", "hook_event_name"}
    for field in rule.fields:
        if field.key in data:
            given[field.name] = data[field.key]
        used.add(field.key)
    if not used.issuperset(data):
        given.update((key, value) for key, value in data.items() if key not in used and key not in given)
    return given


def encoded(given: Mapping[str, Any]) -> bytes:
    """One JSON object. What JSON cannot hold is written as text: a host's odd value must not lose the event."""
    return msgspec.json.encode(given, enc_hook=str)


def environment(event: Event, dialect: Dialect, *, strict: bool) -> dict[str, str]:
    """The hook's environment; values reach a command through it only, never by substitution in its text."""
    env = allowed(event.environ) if strict else dict(event.environ)
    for name, word in dialect.env.items():
        value = str(BASE[word.rstrip("?")](event) or "")
        if value or not word.endswith("?"):
            env[name] = value
    env[DEPTH] = str(depth(event.environ) + 1)
    return env


def own_environment(hook: Hook, common: Callable[[], dict[str, str]], event: Event) -> dict[str, str]:
    """What all hooks get, and what this one's entry adds: values to set, or (None) names to pass on from the host."""
    env = common()
    if not hook.env:
        return env
    passed = {name: event.environ.get(name) if value is None else value for name, value in hook.env.items()}
    return {**env, **{name: value for name, value in passed.items() if value is not None}}


def allowed(environ: Mapping[str, str]) -> dict[str, str]:
    return {k: v for k, v in environ.items() if k in ALLOWED or k.startswith(ALLOWED_PREFIXES)}


def depth(environ: Mapping[str, str]) -> int:
    """How many hooks deep this process is: 0 in an agent, 1 in a hook of an agent."""
    value = environ.get(DEPTH, "")
    return int(value) if value.isdigit() else 0


def timestamp() -> str:
    now = time.time()
    whole = int(now)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((now - whole) * 1000):03d}Z"


BASE: dict[str, Callable[[Event], Any]] = {
    "session": lambda event: event.session,
    "cwd": lambda event: event.data.get("cwd") or event.project,
    "project": lambda event: event.project,
    "event": lambda event: event.name,
    "timestamp": lambda event: event.data.get("timestamp") or timestamp(),
    "transcript": lambda event: event.data.get("transcript_path") or "",
    "agent": lambda event: event.agent,
    "tool": lambda event: event.data.get("tool_name"),
}

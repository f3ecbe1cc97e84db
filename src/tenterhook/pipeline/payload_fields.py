"""Getters and forms of payload fields: where each value comes from, and how it is written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

import msgspec

from tenterhook.dialects.schema.dialect import EventRule, Field
from tenterhook.support.clock import stamp
from tenterhook.support.strategy import Strategy
from tenterhook.types import Event

# Marks a value that is absent: its field is left out.
ABSENT: Any = object()
# Forms that cannot be read back: a host that gives such a field gives it in its final form.
ONE_WAY = {"edits"}

Getter = Callable[[Event], Any]
Form = Callable[..., Any]


def is_plain(field: Field) -> bool:
    """Whether the event's data have the value under a single key, in any form."""
    return "." not in field.key and not field.key.startswith("=") and field.form not in ONE_WAY


def getter(field: Field, rule: EventRule) -> Getter:
    """The getter of a field: `=TEXT`, a value that is always known, or else the event's data, if they have it."""
    if field.key.startswith("="):
        return lambda event: field.key[1:]
    get = BASE[field.key].run if field.key in BASE else partial(of_data, field.key)
    if field.form:
        get = partial(format_field_value, get, form(field, rule))
    return partial(given_or, field.name, get) if field.form in ONE_WAY else get


def format_field_value(get: Getter, form: Form, event: Event) -> Any:
    value = get(event)
    return value if value is ABSENT else form(value)


def given_or(name: str, get: Getter, event: Event) -> Any:
    return event.data[name] if name in event.data else get(event)


def of_data(path: str, event: Event) -> Any:
    """Get the value at a dotted path of the event's data."""
    found: Any = event.data
    for key in path.split("."):
        found = found.get(key, ABSENT) if isinstance(found, Mapping) else ABSENT
    return found


def variable(name: str, word: str) -> Getter:
    """The getter for a word of BASE, `=TEXT`, `.PATH` into the event's data, or `~/PATH` unless the variable is set."""
    if word.startswith("~/"):
        return lambda event: event.environ.get(name) or event.environ.get("HOME", "~") + word[1:]
    if word.startswith("="):
        return lambda event: word[1:]
    if word.startswith("."):
        return lambda event: lookup(word[1:], event.data)
    return BASE[word].run


def lookup(path: str, data: object) -> object:
    """The value at a dotted path, or None."""
    for key in path.split("."):
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


BASE: dict[str, Strategy[Getter]] = {
    "session": Strategy(attrgetter("session"), "the session's id"),
    "cwd": Strategy(lambda event: event.data.get("cwd") or event.project, "the working directory"),
    "project": Strategy(attrgetter("project"), "the project's folder"),
    "event": Strategy(attrgetter("name"), "the event's name"),
    "timestamp": Strategy(
        lambda event: event.data.get("timestamp") or stamp(time.time_ns() // 1_000_000), "when it happened, ISO 8601"
    ),
    "transcript": Strategy(lambda event: event.data.get("transcript_path") or "", "the transcript's path"),
    "agent": Strategy(attrgetter("agent"), "the agent's id"),
    "tool": Strategy(lambda event: event.data.get("tool_name"), "the tool's name"),
    "pid": Strategy(lambda event: os.getpid(), "the process id of the agent"),
}


def form(field: Field, rule: EventRule) -> Form:
    """Write a value in its form; the event says what hooks call a thing."""
    run = FORMS[field.form].run
    return partial(run, rule.target.called) if run is as_called else run


def as_called(names: Mapping[str, str], value: Any) -> Any:
    """A name as the agent's hooks know it."""
    return names.get(value, value) if isinstance(value, str) else value


def as_json(value: Any) -> Any:
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()


def as_epoch_ms(value: Any) -> Any:
    """Convert a time in ISO 8601 to milliseconds since 1970; any other text stays as it is."""
    if not isinstance(value, str):
        return value
    from datetime import datetime

    try:
        return round(datetime.fromisoformat(value).timestamp() * 1000)
    except ValueError:
        return value


def as_iso(value: Any) -> Any:
    """Convert milliseconds since 1970 to ISO 8601."""
    return stamp(value) if isinstance(value, int) else value


def as_nullable(value: Any) -> Any:
    return None if value == "" else value


def as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def as_result(names: tuple[str, str], value: Any) -> Any:
    """A tool's result as a record of its sort and its text, under either spelling of these names."""
    fields = value if isinstance(value, Mapping) else {}
    known = {"resultType": names[0], "result_type": names[0], "textResultForLlm": names[1]}
    known["text_result_for_llm"] = names[1]
    if not fields.keys().isdisjoint(known):
        return {known.get(name, name): one for name, one in fields.items()}
    return {names[0]: "success", names[1]: as_json(value)}


def as_error(value: Any) -> Any:
    """An error as a record; a text is its message."""
    return {"message": value, "name": "Error"} if isinstance(value, str) else value


def as_after_colon(value: Any) -> Any:
    """A name without the prefix that says whose it is."""
    return value.partition(":")[2] or value if isinstance(value, str) else value


def as_edits(value: Any) -> Any:
    """The input of a tool that writes, as a list of replacements."""
    if not isinstance(value, Mapping):
        return ABSENT
    new = value.get("new_string", value.get("content", value.get("contents", "")))
    return [{"old_string": value.get("old_string", ""), "new_string": new}]


FORMS: dict[str, Strategy[Form]] = {
    "called": Strategy(as_called, "by the name that the agent's hooks know it by"),
    "json": Strategy(as_json, "as JSON in text"),
    "epoch-ms": Strategy(as_epoch_ms, "in milliseconds since 1970"),
    "iso": Strategy(as_iso, "in ISO 8601"),
    "nullable": Strategy(as_nullable, "null where there is none"),
    "list": Strategy(as_list, "as a list"),
    "result": Strategy(
        partial(as_result, ("resultType", "textResultForLlm")), "as a record of resultType and textResultForLlm"
    ),
    "result-snake": Strategy(
        partial(as_result, ("result_type", "text_result_for_llm")), "as a record of result_type and text_result_for_llm"
    ),
    "error": Strategy(as_error, "as a record of message and name"),
    "after-colon": Strategy(as_after_colon, "without the part before its colon"),
    "edits": Strategy(as_edits, "as a list of old_string and new_string"),
}

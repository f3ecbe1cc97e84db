"""Event + Outcome -> what is recorded. Texts are shortened, prompts are only counted, empty fields are left out.

Plain dictionaries: defining records would cost every `tenter fire` half a millisecond. read.py has the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from tenterhook.pipeline.apply import FIELDS
from tenterhook.types import Attempt, Message, Outcome, Skipped

SCHEMA = 2
# The longest output and answer of hooks, and the longest text of a tool's input.
TEXT, WORDS = 2_000, 500
# The most parts of an input and the most hooks of an event that are recorded; the rest is counted.
PARTS, DEPTH, MOST = 100, 6, 100
NODES = 2_000
INPUT = FIELDS["input"]
# Fields of an attempt, if not empty: texts, which are shortened, and others.
TEXTS = ("detail", "reason", "stdout", "stderr")
REST = ("signal", "error", "failed", "truncated", "sandbox", "warm", "usage")
# The most skipped hooks of a plan that are recorded, the usual ones last.
MOST_SKIPPED = 2_000
USUAL = ("matcher", "agent")
COUNTED = ("prompt", *(field for field in FIELDS.values() if field != INPUT))

Cut = Callable[[str, int], str]
Line = dict[str, Any]


def entry(outcome: Outcome, facts: Line, cut: Cut) -> Line:
    """What is recorded of an outcome, besides the facts of its event."""
    attempts, skipped = outcome.attempts, outcome.skipped
    line = {**facts, "id": outcome.id, "event": outcome.event, "decision": outcome.decision}
    line["blocked"], line["success"] = outcome.blocked, outcome.success
    if outcome.reason:
        line["reason"] = cut(outcome.reason, TEXT)
    if outcome.stop_reason:
        line["stop_reason"] = cut(outcome.stop_reason, TEXT)
    if outcome.stop:
        line["stop"] = True
    if outcome.suppress:
        line["suppress"] = True
    if outcome.messages:
        line["messages"] = [message_entry(one, cut) for one in outcome.messages[:MOST]]
    if attempts:
        line["attempts"] = [ran(one, cut) for one in attempts[:MOST]]
    if changes := who_changed(attempts):
        line["changes"] = changes
    if unlisted := max(0, len(attempts) - MOST) + max(0, len(skipped) - MOST_SKIPPED):
        line["unlisted"] = unlisted
    if outcome.warnings:
        line["warnings"] = [cut(one, WORDS) for one in outcome.warnings[:MOST]]
    return line


def drop_empty_fields(line: Line) -> Line:
    """Drop empty fields. Numbers are never empty: an exit code of 0 is information."""
    return {name: value for name, value in line.items() if value or value.__class__ is int}


def summarise_event_data(data: dict[str, Any], cut: Cut) -> Line:
    """What is recorded of an event's data: a tool's input, and the size of the rest."""
    kept = {"input": brief(data[INPUT], cut)} if INPUT in data else {}
    sizes = {name: weight(data[name]) for name in COUNTED if name in data}
    return {**kept, "sizes": sizes} if sizes else kept


def ran(attempt: Attempt, cut: Cut) -> Line:
    line: Line = {"hook": attempt.hook, "type": attempt.type, "source": attempt.source}
    line["seconds"] = round(attempt.seconds, 6)
    if attempt.exit_code is not None:
        line["exit_code"] = attempt.exit_code
    line |= {name: value for name in REST if (value := getattr(attempt, name))}
    line |= {name: cut(text, TEXT) for name in TEXTS if (text := getattr(attempt, name))}
    if attempt.decision != "none":
        line["decision"] = attempt.decision
    if attempt.notes:
        line["notes"] = [cut(note, WORDS) for note in attempt.notes]
    return line


def message_entry(message: Message, cut: Cut) -> Line:
    """A message of a hook: its beginning, and its full length."""
    line = {"to": message.to, "kind": message.kind, "hook": message.hook, "text": cut(message.text, WORDS)}
    return {**line, "size": len(message.text)}


def who_changed(attempts: Iterable[Attempt]) -> dict[str, list[str]]:
    """By hook, the paths of the fields that it changed; never their values."""
    found: dict[str, list[str]] = {}
    for one in attempts:
        if one.changed:
            found.setdefault(one.hook, []).extend(one.changed)
    return found


def limit_skipped(skipped: Sequence[Skipped]) -> list[Skipped]:
    """If there are very many, list first those skipped for other reasons than the matcher or the agent."""
    if len(skipped) <= MOST_SKIPPED:
        return list(skipped)
    return sorted(skipped, key=lambda one: one.why in USUAL)[:MOST_SKIPPED]


def brief(value: Any, cut: Cut, depth: int = DEPTH) -> Any:
    """A small copy: long texts are shortened, of many items the first are kept, deep parts are dropped."""
    if isinstance(value, str):
        return cut(value, TEXT)
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth == 0:
        return "..."
    inside = PARTS if depth == DEPTH else PARTS // 5
    if isinstance(value, Mapping):
        head = {cut(str(key), WORDS): brief(value[key], cut, depth - 1) for key in list(value)[:inside]}
        return {**head, "...": f"{len(value) - inside} more"} if len(value) > inside else head
    if isinstance(value, list | tuple):
        items = [brief(one, cut, depth - 1) for one in value[:inside]]
        return [*items, f"... {len(value) - inside} more"] if len(value) > inside else items
    return f"<{type(value).__name__}>"


def weight(value: Any) -> int:
    """The number of characters of text in a value; for a very large one, in its first parts."""
    found, waiting, looked = 0, [value], 0
    while waiting and looked < NODES:
        one = waiting.pop()
        looked += 1
        if isinstance(one, str):
            found += len(one)
        elif isinstance(one, Mapping):
            waiting += list(one.values())[:NODES]
        elif isinstance(one, list | tuple):
            waiting += one[:NODES]
    return found


encoder = msgspec.json.Encoder(enc_hook=str)


def encode_json_line(made: Line) -> bytes:
    """One line of JSON. Text that is not UTF-8, as in a file's name, is written with backslashes."""
    try:
        return encoder.encode(made) + b"\n"
    except UnicodeEncodeError:
        return encoder.encode(printable(msgspec.to_builtins(made, enc_hook=str))) + b"\n"


def printable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {printable(key): printable(one) for key, one in value.items()}
    return [printable(one) for one in value] if isinstance(value, list | tuple) else value

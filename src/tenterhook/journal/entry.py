"""Event + Outcome -> Entry: what is kept of one outcome, or of many alike. Texts are cut, prompts are only counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import gmtime, strftime
from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.apply import FIELDS
from tenterhook.types import Attempt, Event, Message, Outcome, Skipped, Usage

SCHEMA = 1
# What hooks wrote and said, and each text of a tool's input.
TEXT, WORDS = 2_000, 500
# Of an input with many parts, and of an event with many hooks, so many are kept; the rest is counted.
PARTS, DEPTH, MOST = 100, 6, 100
NODES = 2_000
INPUT = FIELDS["input"]
COUNTED = ("prompt", *(field for field in FIELDS.values() if field != INPUT))

Cut = Callable[[str, int], str]


class Ran(Struct, omit_defaults=True):
    """What one hook did. Where the entry is of many outcomes, `each` has the microseconds of every run."""

    hook: str
    type: str
    source: str
    seconds: float = 0.0
    exit_code: int | None = None
    signal: str | None = None
    error: str | None = None
    detail: str = ""
    decision: str = "none"
    reason: str = ""
    failed: bool = False
    truncated: bool = False
    sandbox: str = ""
    notes: tuple[str, ...] = ()
    usage: Usage | None = None
    stdout: str = ""
    stderr: str = ""
    each: list[int] = []


class Said(Struct, omit_defaults=True):
    """A text that a hook had for somebody, its beginning, and how long all of it was."""

    to: str
    kind: str
    size: int
    hook: str = ""
    text: str = ""


class Entry(Struct, omit_defaults=True, kw_only=True):
    """One line. What is empty is left out.

    `count` is above one where nothing was decided, said or changed so many times between `time` and `until`. `unlisted`
    is how many skipped hooks and attempts were too many to be kept.
    """

    schema: int
    time: str
    pid: int
    id: str
    project: str
    session: str
    dialect: str
    mode: str
    event: str
    kind: str
    decision: str
    blocked: bool
    success: bool
    agent: str = ""
    target: str = ""
    input: Any = None
    sizes: dict[str, int] = {}
    reason: str = ""
    stop: bool = False
    stop_reason: str = ""
    suppress: bool = False
    changes: dict[str, list[str]] = {}
    messages: list[Said] = []
    attempts: list[Ran] = []
    skipped: list[Skipped] = []
    unlisted: int = 0
    warnings: list[str] = []
    count: int = 1
    until: str = ""


class Facts(Struct, frozen=True, gc=False):
    """What is kept of an event besides its data."""

    at: float
    kind: str
    name: str
    session: str
    agent: str
    target: str


def entry(facts: Facts, outcome: Outcome, project: str, pid: int, cut: Cut) -> Entry:
    """What an outcome says, without the event's data."""
    attempts, skipped = outcome.attempts[:MOST], listed(outcome.skipped)
    return Entry(
        schema=SCHEMA,
        time=stamp(facts.at),
        pid=pid,
        id=outcome.id,
        project=project,
        session=facts.session,
        dialect=outcome.dialect,
        mode=outcome.mode,
        event=facts.name,
        kind=facts.kind,
        decision=outcome.decision,
        blocked=outcome.blocked,
        success=outcome.success,
        agent=facts.agent,
        target=cut(facts.target, WORDS),
        reason=cut(outcome.reason, TEXT),
        stop=outcome.stop,
        stop_reason=cut(outcome.stop_reason, TEXT),
        suppress=outcome.suppress,
        changes=who_changed(outcome.attempts),
        messages=[said(one, cut) for one in outcome.messages[:MOST]],
        attempts=[ran(one, cut) for one in attempts],
        skipped=skipped,
        unlisted=len(outcome.attempts) - len(attempts) + len(outcome.skipped) - len(skipped),
        warnings=[cut(one, WORDS) for one in outcome.warnings[:MOST]],
    )


def given(made: Entry, event: Event, cut: Cut) -> Entry:
    """The entry with what is kept of the event's data: a tool's input, and how much there was of the rest."""
    data = event.data
    if INPUT in data:
        made.input = brief(data[INPUT], cut)
    made.sizes = {name: weight(data[name]) for name in COUNTED if name in data}
    return made


def ran(attempt: Attempt, cut: Cut) -> Ran:
    return Ran(
        attempt.hook,
        attempt.type,
        attempt.source,
        round(attempt.seconds, 6),
        attempt.exit_code,
        attempt.signal,
        attempt.error,
        cut(attempt.detail, TEXT),
        attempt.decision,
        cut(attempt.reason, TEXT),
        attempt.failed,
        attempt.truncated,
        attempt.sandbox,
        tuple(cut(note, WORDS) for note in attempt.notes),
        attempt.usage,
        cut(attempt.stdout, TEXT),
        cut(attempt.stderr, TEXT),
    )


def said(message: Message, cut: Cut) -> Said:
    return Said(message.to, message.kind, len(message.text), message.hook, cut(message.text, WORDS))


def who_changed(attempts: Iterable[Attempt]) -> dict[str, list[str]]:
    """By hook, the paths of the fields that it changed; never their values."""
    found: dict[str, list[str]] = {}
    for one in attempts:
        if one.changed:
            found.setdefault(one.hook, []).extend(one.changed)
    return found


def listed(skipped: Sequence[Skipped]) -> list[Skipped]:
    """Of very many, those that did not just match something else come first."""
    if len(skipped) <= MOST:
        return list(skipped)
    return sorted(skipped, key=lambda one: one.why == "matcher")[:MOST]


def brief(value: Any, cut: Cut, depth: int = DEPTH) -> Any:
    """A copy that is never large: long texts are cut, of many items the first ones stay, nothing is deep."""
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
    """How many characters of text are in a value; of a very large one, in its first parts."""
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


def stamp(at: float) -> str:
    whole = int(at)
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(whole))}.{int((at - whole) * 1000):03}Z"


encoder = msgspec.json.Encoder(enc_hook=str)


def encoded(made: Entry) -> bytes:
    """One line of JSON. What is no UTF-8, as in a file's name, is written with backslashes."""
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

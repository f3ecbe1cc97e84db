"""What the five oracles share: a row, what a hook did, what is expected, and the law for all dialects."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any


class Anything:
    """Equal to everything: the law is silent, or the engine words the text itself."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "ANY"


ANY: Any = Anything()
BLOCKED = "Blocked by hook"
Told = tuple[str, str, Any]


@dataclass(frozen=True, slots=True)
class Act:
    """What one hook did; `answer` is a Python function's return value, as JSON text so that rows can be compared."""

    exit: int | None = 0
    stdout: str = ""
    stderr: str = ""
    signal: str | None = None
    error: str | None = None
    answer: str | None = None

    @property
    def out(self) -> str:
        return self.stdout.strip()

    @property
    def err(self) -> str:
        return self.stderr.strip()


@dataclass(frozen=True, slots=True)
class Row:
    event: str
    acts: tuple[Act, ...]
    sequential: bool = False


@dataclass(slots=True)
class Expected:
    """The fields that are compared; `maybe` are messages that may come or not."""

    decision: str = "none"
    blocked: bool = False
    reason: Any = ""
    stop: bool = False
    stop_reason: Any = ""
    suppress: bool = False
    success: bool = True
    changes: dict[str, Any] = field(default_factory=dict)
    messages: list[Told] = field(default_factory=list)
    maybe: list[Told] = field(default_factory=list)
    attempts: int = 1
    stop_after: bool = False


@dataclass(slots=True)
class Said:
    """One hook's word, read by its dialect; `notes` are messages whatever the others say, `context` depends on them."""

    decision: str = "none"
    reason: Any = ""
    stop: bool = False
    stop_reason: Any = ""
    suppress: bool = False
    failed: bool = False
    notes: list[Told] = field(default_factory=list)
    context: list[str] = field(default_factory=list)
    maybe: list[Told] = field(default_factory=list)
    gives: dict[str, Any] = field(default_factory=dict)
    stop_after: bool = False
    # Whether an answer has a reason of any sort; what it says piece by piece, for agents that lay answers together.
    reasoned: bool = False
    raw: dict[str, Any] = field(default_factory=dict)


def one_object(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is, or None: then it is text, also where it is other JSON."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def mapping_of(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def word(value: object, words: Mapping[str, str]) -> str:
    """An unknown decision word, null or a wrong type is no decision."""
    return words.get(value, "none") if isinstance(value, str) else "none"


def section(answer: Mapping[str, Any], event: str) -> dict[str, Any]:
    """hookSpecificOutput: void where its hookEventName names another event, good where that is missing."""
    found = mapping_of(answer.get("hookSpecificOutput"))
    return found if found.get("hookEventName", event) == event else {}


def failure(act: Act, to: str) -> Said:
    """A failed hook: its stderr to whom the dialect says, or a text of the engine's own."""
    if act.error:
        return Said(failed=True, notes=[(to, "error", ANY)])
    if act.signal and not act.err:  # Silent: whether a death by signal without stderr gets words of the engine's own.
        return Said(failed=True, maybe=[(to, "error", ANY)])
    return Said(failed=True, notes=[(to, "error", act.err)] if act.err else [])


def stopped(said: Said, answer: Mapping[str, Any], given: str) -> Said:
    """`continue: false`: stopReason, else the reason that was given; only a boolean counts."""
    if answer.get("continue") is not False:
        return said
    said.stop = True
    said.stop_reason = text_of(answer.get("stopReason")) or given
    if not said.stop_reason and said.decision == "deny":
        # Silent: is the default "Blocked by hook" a reason that was given?
        said.stop_reason = ANY
        said.maybe.append(("user", "reason", BLOCKED))
    return said


def strongest(saids: Iterable[Said]) -> str:
    """Deny, ask, allow, none: a deny is never erased."""
    given = {said.decision for said in saids}
    return next((decision for decision in ("deny", "ask", "allow") if decision in given), "none")


def first(texts: Iterable[Any]) -> Any:
    return next((text for text in texts if text), "")


def reason_note(said: Said, denied: tuple[str, str]) -> list[Told]:
    """The reason of a deny goes where the event says, that of an allow or ask to the user, others nowhere."""
    if said.decision == "none" or not said.reason:
        return []
    return [(*(denied if said.decision == "deny" else ("user", "reason")), said.reason)]


def stop_note(said: Said, denied: tuple[str, str]) -> tuple[list[Told], list[Told]]:
    """The stop reason is told to the user: surely, or maybe where the user was told the same as the reason."""
    note = ("user", "reason", said.stop_reason)
    if not (said.stop or said.stop_after) or not said.stop_reason or said.stop_reason is ANY:
        return [], []
    # Silent: is one text that is both the reason and the stop reason told to the same reader once or twice?
    return ([], [note]) if note in reason_note(said, denied) else ([note], [])


def merge(saids: Sequence[Said], *, denied: tuple[str, str], can_block: bool, prompt: bool = False) -> Expected:
    """All hooks' words as one outcome, but for the changes: the rules "for all dialects"."""
    decision = strongest(saids)
    blocked = decision == "deny" and can_block
    context = "log" if prompt and blocked else "model"  # the prompt is erased, its context with it
    return Expected(
        decision=decision,
        blocked=blocked,
        reason=first(said.reason for said in saids if said.decision == decision != "none"),
        stop=any(said.stop for said in saids),
        stop_reason=first(said.stop_reason for said in saids if said.stop),
        suppress=any(said.suppress for said in saids),
        success=not any(said.failed for said in saids),
        messages=[
            told
            for said in saids
            for told in (
                *reason_note(said, denied),
                *stop_note(said, denied)[0],
                *said.notes,
                *((context, "context", text) for text in said.context),
            )
        ],
        maybe=[told for said in saids for told in (*said.maybe, *stop_note(said, denied)[1])],
        attempts=len(saids),
    )


def counting(outcome: Expected, denied: tuple[str, str]) -> None:
    """The model is told the reason that counts; other refusals' are kept in the log."""
    outcome.messages = [
        ("log", *one[1:])
        if one[:2] == denied
        and (
            outcome.decision != "deny"
            or (one[2] is not ANY and outcome.reason is not ANY and one[2] not in outcome.reason)
        )
        else one
        for one in outcome.messages
    ]


def changed(name: str, new: Any, old: Any) -> dict[str, Any]:
    """Changes equal to the original are left out."""
    return {} if new == old else {name: new}


def agree(expected: Expected, told: Sequence[Told]) -> bool:
    """Whether exactly the expected messages were told, in any order, and nothing else but what may be."""
    left = list(told)
    for wanted in sorted(expected.messages, key=lambda message: message[2] is ANY):
        if wanted not in left:
            return False
        left.remove(wanted)
    for possible in expected.maybe:
        if possible in left:
            left.remove(possible)
    return not left


# ---- rows

ABSENT: Any = object()
WORDS = (ABSENT, "allow", "approve", "deny", "block", "ask", "sideways", None, 7)
REASONS = (ABSENT, "why", "")
GOES_ON: tuple[dict[str, Any], ...] = (
    {},
    {"continue": True},
    {"continue": False},
    {"continue": False, "stopReason": "enough"},
    {"continue": True, "stopReason": "enough"},
)
ODD_GOES_ON: tuple[dict[str, Any], ...] = ({"continue": "false"}, {"continue": None}, {"stopReason": "enough"})
TEXTS = (
    "",
    "  \n",
    "plain text",
    "\n  padded text \n",
    '{"decision": "deny", "reason"',
    '{"decision": "deny"} {"decision": "deny"}',
    '[{"decision": "deny", "reason": "listed"}]',
    json.dumps(json.dumps({"decision": "deny", "reason": "twice"})),
    json.dumps(json.dumps([1])),
    '"just a string"',
    "42",
    "null",
)
STDERRS = ("", " on stderr\n")
NOTES = (
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    "9" * 30,
    "1e999",
    "[" * 200 + "]" * 200,
    '{"decision": "allow", "continue": 0}',
)
ENDS: tuple[dict[str, Any], ...] = (
    {},
    {"exit": 1},
    {"exit": 2},
    {"exit": 3},
    {"exit": 127},
    {"exit": None, "signal": "SIGKILL"},
)
TIMED_OUT: dict[str, Any] = {"exit": None, "error": "timeout"}
NOT_STARTED: dict[str, Any] = {"exit": None, "error": "spawn"}


def filled(**fields: Any) -> dict[str, Any]:
    """The fields that are there."""
    return {name: value for name, value in fields.items() if value is not ABSENT}


def acts(ends: Iterable[dict[str, Any]], stdouts: Iterable[str], stderrs: Iterable[str] = STDERRS) -> Iterator[Act]:
    for end, stdout, stderr in product(ends, stdouts, stderrs):
        yield Act(stdout=stdout, stderr=stderr, **end)


def endings(stdouts: Iterable[str]) -> Iterator[Act]:
    """A hook that was ended by the clock, or that could not be started; what it had printed does not count."""
    yield from acts([TIMED_OUT], stdouts, [""])
    yield Act(**NOT_STARTED)


def dumped(answers: Iterable[Mapping[str, Any]]) -> list[str]:
    return [json.dumps(answer) for answer in answers]


def odd(answer: Mapping[str, Any]) -> Iterator[str]:
    """The same answer as valid JSON that some parsers stumble over: it means the same."""
    plain = json.dumps(answer)
    yield json.dumps(answer, indent=4)
    yield f"{plain[:-1]}, {plain[1:]}"  # every key twice: for JSON.parse and json.loads the last one counts
    yield from (f'{plain[:-1]}, "note": {note}}}' for note in NOTES)


def singles(events: Iterable[str], hooks: Iterable[Act]) -> Iterator[Row]:
    some = list(hooks)
    for event in events:
        yield from (Row(event, (act,)) for act in some)


def pairs(events: Iterable[str], hooks: Iterable[Act], sequential: bool = False) -> Iterator[Row]:
    some = list(hooks)
    for event in events:
        yield from (Row(event, both, sequential) for both in product(some, repeat=2))

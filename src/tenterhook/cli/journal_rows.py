"""Entries of the journal as rows: what each was about, who decided, why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tenterhook.author.inputs import PATH_LISTS, PATHS, command
from tenterhook.journal.read import JournalEntry
from tenterhook.pipeline.failure_policy import describe_attempt_failure
from tenterhook.support.terminal.text import pluralise_count

OURSELVES = "tenterhook"
# Further fields that name what a call is about.
OTHERS = ("url", "query", "pattern", "prompt", "description")
COLUMNS = (
    *("time", "agent", "version", "user", "host", "project", "session", "subagent", "event", "kind", "tool", "what"),
    *("decision", "obeys", "by", "reason", "ms", "policy", "count", "id"),
)


def subject(entry: JournalEntry) -> str:
    """The command or the path that an event is about; else what else its input names, the sizes of its texts, or what
    a matcher would look at.
    """
    given = entry.input
    if isinstance(given, str):
        return given
    if isinstance(given, dict):
        return command(given) or next(name_fields(given), "")
    sizes = ", ".join(f"{name}: {size:,} characters" for name, size in entry.sizes.items())
    return sizes or ("" if about_tool(entry) else entry.target)


def about_tool(entry: JournalEntry) -> bool:
    """Whether what a matcher looks at is a tool's name."""
    return entry.input is not None or entry.kind.startswith("tool.")


def name_fields(given: dict[str, Any]) -> Iterator[str]:
    yield from (value for name in PATHS if isinstance(value := given.get(name), str))
    yield from (", ".join(map(str, value)) for name in PATH_LISTS if isinstance(value := given.get(name), list))
    yield from (value for name in OTHERS if isinstance(value := given.get(name), str))


def deciders(entry: JournalEntry) -> list[str]:
    """Who decided: hooks, or this program itself where no hook was asked."""
    return entry.deciders or ([OURSELVES] if entry.decision != "none" else [])


def decision_word(entry: JournalEntry) -> str:
    """The decision, or that a hook failed and nothing was decided, or what hooks did without deciding."""
    if not entry.success and entry.decision in ("none", "allow"):
        return "failed"
    if entry.decision == "none" and entry.changes:
        return "changed"
    return "told" if entry.decision == "none" and entry.informers else entry.decision


def reasons(entry: JournalEntry) -> str:
    """Which hooks decided and why, with what they did and failed at; where no hook decided, which ran, or why none
    did.
    """
    reason = entry.stop_reason if entry.stop else entry.reason
    texts = "; ".join(text for text in (reason, *effects(entry), *failures(entry)) if text)
    active = deciders(entry) or list(entry.changes) or entry.informers
    names = ", ".join(dict.fromkeys(active or [one.hook for one in entry.attempts]))
    if names or texts:
        return ": ".join(text for text in (names, texts) if text)
    whys = ", ".join(dict.fromkeys(one.why for one in entry.skipped))
    return f"none ran: {whys}" if whys else "no hook listens to this event"


def effects(entry: JournalEntry) -> Iterator[str]:
    """What hooks did besides the decision."""
    if paths := list(dict.fromkeys(path for changed in entry.changes.values() for path in changed)):
        yield f"changed {', '.join(paths)}"
    elif entry.decision == "none" and entry.informers:
        size = sum(one.size for one in entry.messages if one.to == "model")
        yield f"told the model {pluralise_count(size, 'character')}"


def failures(entry: JournalEntry) -> Iterator[str]:
    """Why hooks failed, except those whose failure or exit code refused: that is already the reason."""
    alone = len(entry.attempts) == 1
    for one in entry.attempts:
        if one.failed and one.decision in ("none", "allow"):
            yield f"{'' if alone else f'{one.hook} '}failed: {describe_attempt_failure(one)}"


def milliseconds(entry: JournalEntry) -> float:
    """How long the event took; of many together, how long the hooks of one did."""
    return entry.ms or round(sum(one.seconds for one in entry.attempts) * 1000 / entry.count, 3)


def as_object(entry: JournalEntry) -> dict[str, Any]:
    """An entry for `--format json`: everything that was recorded, and what follows from it."""
    plain: dict[str, Any] = msgspec.to_builtins(entry)
    return plain | {"what": subject(entry), "by": deciders(entry), "ms": milliseconds(entry)}


def as_cells(entry: JournalEntry) -> list[str]:
    """An entry for `--format csv`, one cell for each of COLUMNS."""
    plain = as_object(entry) | {"tool": entry.target, "by": ", ".join(deciders(entry)), "count": entry.count}
    if entry.stop:
        plain["reason"] = entry.stop_reason
    return [str(plain.get(name, "")) for name in COLUMNS]

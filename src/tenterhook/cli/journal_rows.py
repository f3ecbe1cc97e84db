"""Entries of the journal as rows: what each was about, who decided, why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tenterhook.author.inputs import PATH_LISTS, PATHS, command
from tenterhook.journal.read import JournalEntry
from tenterhook.pipeline.failure_policy import describe_attempt_failure

# Further fields that name what a call is about.
OTHERS = ("url", "query", "pattern", "prompt", "description")
COLUMNS = (
    *("time", "agent", "version", "user", "host", "project", "session", "subagent", "event", "kind", "tool", "what"),
    *("decision", "obeys", "by", "reason", "ms", "policy", "count", "id"),
)


def subject(entry: JournalEntry) -> str:
    """The command or the path that an event is about; else what else its input names, or the sizes of its texts."""
    given = entry.input
    if isinstance(given, str):
        return given
    if isinstance(given, dict):
        return command(given) or next(name_fields(given), "")
    return ", ".join(f"{name}: {size:,} characters" for name, size in entry.sizes.items())


def name_fields(given: dict[str, Any]) -> Iterator[str]:
    yield from (value for name in PATHS if isinstance(value := given.get(name), str))
    yield from (", ".join(map(str, value)) for name in PATH_LISTS if isinstance(value := given.get(name), list))
    yield from (value for name in OTHERS if isinstance(value := given.get(name), str))


def decision_word(entry: JournalEntry) -> str:
    """The decision, or that a hook failed and nothing was decided."""
    return "failed" if not entry.success and entry.decision in ("none", "allow") else entry.decision


def reasons(entry: JournalEntry) -> str:
    """Which hooks decided and why, with the failures; of an event that no hook decided, which ran, or why none did."""
    reason = entry.stop_reason if entry.stop else entry.reason
    texts = "; ".join(text for text in (reason, *failures(entry)) if text)
    names = ", ".join(entry.deciders or [one.hook for one in entry.attempts])
    if names:
        return f"{names}: {texts}" if texts else names
    whys = ", ".join(dict.fromkeys(one.why for one in entry.skipped))
    return f"none ran: {whys}" if whys else "none ran"


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
    return plain | {"what": subject(entry), "by": entry.deciders, "ms": milliseconds(entry)}


def as_cells(entry: JournalEntry) -> list[str]:
    """An entry for `--format csv`, one cell for each of COLUMNS."""
    plain = as_object(entry) | {"tool": entry.target, "by": ", ".join(entry.deciders), "count": entry.count}
    if entry.stop:
        plain["reason"] = entry.stop_reason
    return [str(plain.get(name, "")) for name in COLUMNS]

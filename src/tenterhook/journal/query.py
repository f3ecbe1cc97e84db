"""Queries over the journal: which entries, and what their hooks cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import ceil
from operator import itemgetter
from typing import Any

from msgspec import Struct

from tenterhook.journal.index import Index


class EntryFilter(Struct, frozen=True, kw_only=True):
    """Conditions for entries; an empty one matches all. Event and hook are globs, a session is matched by its start."""

    event: str = ""
    hook: str = ""
    decision: str = ""
    session: str = ""
    project: str = ""
    since: str = ""
    id: str = ""


class HookCost(Struct, frozen=True):
    """What one hook cost, in seconds and in US dollars. `share` is its part of all hooks' time."""

    hook: str
    runs: int
    p50: float
    p95: float
    max: float
    seconds: float
    share: float
    failed: int
    timeouts: int
    blocks: int
    cost: float


class Cost(Struct, frozen=True):
    """What hooks cost in one session. The seconds of hooks that ran at once are added up."""

    session: str
    events: int
    runs: int
    seconds: float
    cost: float


def clause(wanted: EntryFilter) -> tuple[str, list[str]]:
    """The conditions as SQL over the events. A hook that only did not match does not count."""
    tests = {
        "(event GLOB ? OR kind GLOB ?)": [wanted.event] * 2,
        "decision = ?": [wanted.decision],
        "instr(session, ?) = 1": [wanted.session],
        "project = ?": [wanted.project],
        "time >= ?": [wanted.since],
        "id = ?": [wanted.id],
        "(number IN (SELECT event FROM attempts WHERE hook GLOB ?)"
        " OR number IN (SELECT event FROM skipped WHERE hook GLOB ? AND why != 'matcher'))": [wanted.hook] * 2,
    }
    asked = {test: values for test, values in tests.items() if values[0]}
    return " AND ".join(asked) or "1", [value for values in asked.values() for value in values]


def lines(index: Index, wanted: EntryFilter, limit: int, after: int = -1) -> Iterator[tuple[int, bytes]]:
    """The newest matching entries, the oldest of them first, each with its number; `after`: only later ones."""
    test, values = clause(wanted)
    found = index.ask(
        f"SELECT number, file, start, size FROM events WHERE number > ? AND {test}"
        " ORDER BY time DESC, number DESC LIMIT ?",
        [after, *values, limit],
    )
    for number, file, start, size in reversed(found):
        if line := index.line(file, start, size):
            yield number, line


def newest(index: Index) -> int:
    return int(index.ask("SELECT coalesce(max(number), -1) FROM events")[0][0])


def hooks(index: Index, wanted: EntryFilter) -> list[HookCost]:
    """Each hook that ran, the most expensive first."""
    test, values = clause(wanted)
    named, more = ("AND hook GLOB ?", [wanted.hook]) if wanted.hook else ("", [])
    rows = index.ask(
        "SELECT hook, micros, failed, timeout, denied, coalesce(cost, 0) FROM attempts"
        f" WHERE event IN (SELECT number FROM events WHERE {test}) {named} ORDER BY hook, micros",
        [*values, *more],
    )
    total = sum(row[1] for row in rows)
    found = [summarise_hook_runs(name, list(runs), total) for name, runs in groupby(rows, itemgetter(0))]
    return sorted(found, key=lambda one: -one.seconds)


def summarise_hook_runs(name: str, runs: Sequence[Sequence[Any]], total: int) -> HookCost:
    """`runs` are sorted by duration."""
    times = [run[1] for run in runs]
    failed, timeouts, blocks, cost = (sum(run[n] for run in runs) for n in range(2, 6))
    low, high, most, all_of_them = (one / 1e6 for one in (part(times, 0.5), part(times, 0.95), times[-1], sum(times)))
    share = sum(times) / total if total else 0.0
    return HookCost(name, len(runs), low, high, most, all_of_them, share, failed, timeouts, blocks, cost)


def part(ordered: Sequence[float], quantile: float) -> float:
    """The quantile of sorted values; 0 if there are none."""
    return ordered[ceil(len(ordered) * quantile) - 1] if ordered else 0.0


def sessions(index: Index, wanted: EntryFilter) -> list[Cost]:
    """Each session that had hooks, the most expensive first."""
    test, values = clause(wanted)
    rows = index.ask(
        "SELECT session, sum(count), sum(runs), sum(micros), sum(cost) FROM"
        " (SELECT session, count, (SELECT count(*) FROM attempts WHERE event = number) AS runs,"
        " (SELECT coalesce(sum(micros), 0) FROM attempts WHERE event = number) AS micros,"
        f" (SELECT coalesce(sum(cost), 0) FROM attempts WHERE event = number) AS cost FROM events WHERE {test})"
        " GROUP BY session ORDER BY 4 DESC",
        values,
    )
    return [Cost(session, events, runs, micros / 1e6, cost) for session, events, runs, micros, cost in rows]

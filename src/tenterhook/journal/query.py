"""Queries over the journal: which entries, what their hooks cost, and how often what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import ceil
from operator import itemgetter
from typing import Any

from msgspec import Struct

from tenterhook.journal.index import Index
from tenterhook.journal.read import JournalEntry


class EntryFilter(Struct, frozen=True, kw_only=True):
    """Conditions for entries; an empty one matches all. Names are globs, a session is matched by its start.

    `kind`: what an agent's name for an event means in entries that name the kind alone, as our own dialect's do.
    """

    event: str = ""
    kind: str = ""
    hook: str = ""
    decision: str = ""
    session: str = ""
    project: str = ""
    tool: str = ""
    agent: str = ""
    user: str = ""
    since: str = ""
    until: str = ""
    id: str = ""


class HookCost(Struct, frozen=True):
    """What one hook cost in one agent, in seconds and in US dollars, and when it last ran.

    `share` is its part of all hooks' time; `opened` is how often it failed and kept nothing from going on.
    """

    hook: str
    agent: str
    last: str
    runs: int
    p50: float
    p95: float
    max: float
    seconds: float
    share: float
    failed: int
    opened: int
    timeouts: int
    blocks: int
    cost: float


class EventGroup(Struct, frozen=True):
    """The events with one value of something: how often what was decided, how many failed open, and the hooks' time."""

    value: str
    events: int
    denied: int
    asked: int
    allowed: int
    opened: int
    runs: int
    seconds: float
    last: str


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
        "(event GLOB ? OR kind GLOB ? OR (event = kind AND kind = ?))": [wanted.event, wanted.event, wanted.kind],
        "decision = ?": [wanted.decision],
        "instr(session, ?) = 1": [wanted.session],
        "project = ?": [wanted.project],
        "tool GLOB ?": [wanted.tool],
        "agent GLOB ?": [wanted.agent],
        "user GLOB ?": [wanted.user],
        "time >= ?": [wanted.since],
        "time <= ?": [wanted.until],
        "id = ?": [wanted.id],
        "(number IN (SELECT event FROM attempts WHERE hook GLOB ?)"
        " OR (file, plan) IN (SELECT file, plan FROM skipped WHERE hook GLOB ? AND why != 'matcher'))": [wanted.hook]
        * 2,
    }
    asked = {test: values for test, values in tests.items() if values[0]}
    return " AND ".join(asked) or "1", [value for values in asked.values() for value in values]


def entries(index: Index, wanted: EntryFilter, limit: int, after: int = -1) -> Iterator[JournalEntry]:
    """The newest matching entries, the oldest of them first; `after`: only those with a higher number."""
    test, values = clause(wanted)
    found = index.ask(
        f"SELECT file, start, size FROM events WHERE number > ? AND {test} ORDER BY time DESC, number DESC LIMIT ?",
        [after, *values, limit],
    )
    for file, start, size in reversed(found):
        if entry := index.entry(file, start, size):
            yield entry


def newest(index: Index) -> int:
    return int(index.ask("SELECT coalesce(max(number), -1) FROM events")[0][0])


def hooks(index: Index, wanted: EntryFilter) -> list[HookCost]:
    """Each hook that ran, by agent, the most expensive first."""
    test, values = clause(wanted)
    named, more = ("AND hook GLOB ?", [wanted.hook]) if wanted.hook else ("", [])
    rows = index.ask(
        "SELECT hook, agent, micros, failed, opened, timeout, denied, coalesce(cost, 0), time"
        f" FROM attempts JOIN (SELECT number, agent, time FROM events WHERE {test}) ON event = number"
        f" WHERE 1 {named} ORDER BY hook, agent, micros",
        [*values, *more],
    )
    total = sum(row[2] for row in rows)
    by_hook = groupby(rows, itemgetter(0, 1))
    found = [summarise_hook_runs(hook, agent, list(runs), total) for (hook, agent), runs in by_hook]
    return sorted(found, key=lambda one: -one.seconds)


def summarise_hook_runs(name: str, agent: str, runs: Sequence[Sequence[Any]], total: int) -> HookCost:
    """`runs` are sorted by duration."""
    times = [run[2] for run in runs]
    failed, opened, timeouts, blocks, cost = (sum(run[n] for run in runs) for n in range(3, 8))
    return HookCost(
        name,
        agent,
        max(run[8] for run in runs),
        len(runs),
        part(times, 0.5) / 1e6,
        part(times, 0.95) / 1e6,
        times[-1] / 1e6,
        sum(times) / 1e6,
        sum(times) / total if total else 0.0,
        failed,
        opened,
        timeouts,
        blocks,
        cost,
    )


def run_times(index: Index, wanted: EntryFilter) -> list[float]:
    """The seconds of each run of each hook, in their order."""
    test, values = clause(wanted)
    rows = index.ask(
        f"SELECT micros FROM attempts JOIN (SELECT number FROM events WHERE {test}) ON event = number ORDER BY micros",
        values,
    )
    return [micros / 1e6 for [micros] in rows]


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


# What events can be grouped by, as SQL over the events. A day is one in UTC.
GROUPS = {"agent": "agent", "day": "substr(time, 1, 10)", "project": "project", "decision": "decision"}


def groups(index: Index, wanted: EntryFilter, by: str) -> list[EventGroup]:
    """The events by agent, day, project or decision: days in their order, the rest by their number."""
    test, values = clause(wanted)
    rows = index.ask(
        f"SELECT {GROUPS[by]}, sum(count), sum(count * (decision = 'deny')), sum(count * (decision = 'ask')),"
        " sum(count * (decision = 'allow')), sum(opened), sum(runs), sum(micros), max(time) FROM (SELECT *,"
        " (SELECT coalesce(sum(opened), 0) FROM attempts WHERE event = number) AS opened,"
        " (SELECT count(*) FROM attempts WHERE event = number) AS runs,"
        " (SELECT coalesce(sum(micros), 0) FROM attempts WHERE event = number) AS micros"
        f" FROM events WHERE {test}) GROUP BY 1 ORDER BY {'1' if by == 'day' else '2 DESC, 1'}",
        values,
    )
    return [
        EventGroup(value, events, denied, asked, allowed, opened, runs, micros / 1e6, last)
        for value, events, denied, asked, allowed, opened, runs, micros, last in rows
    ]

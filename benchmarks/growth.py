"""Rows 15 to 19: how cost grows with the number of hooks, the size of an event, and the events or calls in flight."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from timeit import Timer
from typing import Any

from commands import TRUE, running
from engines import GIVEN, hooked, proven
from figures import Growth, Pairs, Rounds, in_turn, part
from peers.cases import Case, others
from peers.driver import fresh
from peers.installing import ours
from planning import MATCHING, of_size, planned, unseen
from tenterhook.engine.engine import Engine

Cells = Iterator[tuple[str, float, str]]

SEEN, UNSEEN, FIRST, MEMORY = "planning, seen before", "planning, not seen before", "files read, first event", "memory"
# It reads all it is given, says nothing, and needs no shell.
READER = ["/bin/dd", "of=/dev/null", "bs=1M", "status=none"]
HOOK, RUN, RATIO = "a hook that reads it", "subprocess.run", "ratio of the times"
EVENTS, THREADS = "events per second", "subprocess.run in as many threads, per second"
PARALLEL = 64


def with_hooks(number: int, rounds: Rounds) -> Cells:
    """Ten of them match, or the one there is; those that are in a file are in the user's."""
    engine = of_size(number, min(number, MATCHING))
    yield SEEN, typical(planned(engine), 1_000, rounds(9)), "s"
    yield UNSEEN, typical(unseen(engine), 3, rounds(9)), "s"
    yield FIRST, median(first_event(number) for _ in range(rounds(5))), "s"
    yield MEMORY, memory(number), "B"


def typical(timer: Timer, number: int, rounds: int) -> float:
    return median(timer.timeit(number) / number for _ in range(rounds))


def first_event(number: int) -> float:
    with TemporaryDirectory() as folder:
        project, home = Path(folder, "project"), Path(folder, "home")
        file = home / ".config" / "tenterhook" / "tenterhook.toml"
        file.parent.mkdir(parents=True)
        project.mkdir()
        entry = '[[hook]]\non = "tool.before"\nmatch = "Tool{}"\ncommand = "/bin/true"\n'
        file.write_text("".join(map(entry.format, range(number))))
        began = perf_counter()
        with Engine(project, home=home, environ={"HOME": str(home)}) as engine:
            outcome = engine.fire("tool.before", tool_name="Bash", tool_input=GIVEN)
        assert len(outcome.skipped) == number
        return perf_counter() - began


def memory(number: int) -> float:
    """What a new process has more with so many hooks, a first event included."""
    case = Case(MEMORY, others(number), 1, fresh=True, memory=True)
    with TemporaryDirectory() as folder:
        fresh(ours(), folder, case)
        return fresh(ours(), folder, case)


def with_bytes(size: int, rounds: Rounds) -> Cells:
    data = {"command": "ls", "text": "x" * size}
    with hooked(READER) as engine:
        proven(engine, 1)
        names = {"fire": engine.fire, "given": data}
        firing = Timer("fire('tool.before', tool_name='Bash', tool_input=given)", globals=names)
        yield from compared(in_turn(firing, running(READER, b"x" * size), number=1, rounds=rounds(15)))


def compared(pairs: Pairs) -> Cells:
    yield HOOK, median(mine for mine, _ in pairs), "s"
    yield RUN, median(theirs for _, theirs in pairs), "s"
    yield RATIO, median(mine / theirs for mine, theirs in pairs), ""


def in_flight(number: int, rounds: Rounds) -> Cells:
    """At least 64 events each time, so many of them at once; and as many threads, as far as an engine starts hooks."""
    events = max(PARALLEL, number)
    with hooked(TRUE) as engine, ThreadPoolExecutor(min(number, PARALLEL)) as pool:
        proven(engine, 1)
        pairs = [
            (seconds(lambda: fired(engine, events, number)), seconds(lambda: ran(pool, events)))
            for _ in range(rounds(7) + 1)
        ][1:]
    yield EVENTS, events / median(mine for mine, _ in pairs), "/s"
    yield THREADS, events / median(theirs for _, theirs in pairs), "/s"
    yield RATIO, median(mine / theirs for mine, theirs in pairs), ""


def seconds(function: Callable[[], object]) -> float:
    began = perf_counter()
    function()
    return perf_counter() - began


def fired(engine: Engine, events: int, flight: int) -> None:
    async def worker(waiting: Iterator[int]) -> None:
        for _ in waiting:
            outcome = await engine.afire("tool.before", tool_name="Bash", tool_input=GIVEN)
            assert outcome.success, outcome

    async def all_of_them() -> None:
        waiting = iter(range(events))
        await asyncio.gather(*(worker(waiting) for _ in range(flight)))

    asyncio.run(all_of_them())


def ran(pool: ThreadPoolExecutor, events: int) -> None:
    options: dict[str, Any] = {"input": b"{}", "capture_output": True, "check": True}
    list(pool.map(lambda _: subprocess.run(TRUE, **options), range(events)))


def agent_calls(number: int, rounds: Rounds) -> Cells:
    yield from part("agent_calls").with_hooks(number, rounds)


def agent_calls_at_once(number: int, rounds: Rounds) -> Cells:
    yield from part("agent_calls").at_once(number, rounds)


NO_MATCH, DENIED = "a call that no hook matches", "a call that a Python hook denies"
TO_TRUE = "ratio to /bin/true: {}"
PER_SECOND = "{}, per second"
CALLS = (NO_MATCH, TO_TRUE.format(NO_MATCH), DENIED, TO_TRUE.format(DENIED))
MANY_CALLS = tuple(form.format(what) for what in (NO_MATCH, DENIED) for form in (PER_SECOND, TO_TRUE))

ROWS = {
    15: Growth("hooks", "hooks", (1, 10, 100, 1_000, 10_000), (SEEN, UNSEEN, FIRST, MEMORY), with_hooks),
    16: Growth("payload", "bytes", (1_000, 100_000, 1_000_000, 10_000_000), (HOOK, RUN, RATIO), with_bytes),
    17: Growth("concurrency", "in flight", (1, 2, 4, 8, 16, 64, 500), (EVENTS, THREADS, RATIO), in_flight),
    18: Growth("agent-hooks", "hooks", (1, 10, 100), CALLS, agent_calls, long=True),
    19: Growth("agent-calls", "calls at once", (1, 8, 64), MANY_CALLS, agent_calls_at_once, long=True),
}

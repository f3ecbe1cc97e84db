"""Many hooks and events at once, beside what everybody would write: threads that call subprocess.run.

    python benchmarks/many.py          the figures, one line each

Each function measures in turns and gives pairs (ours, the yardstick's) in seconds; `growth` counts what is left behind.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

from fault_tools import children, memory, open_files
from tenterhook import Engine, Outcome

EVENTS, PARALLEL = 500, 64
SLEEP = "0.05"
TRUE = "/bin/true"
GIVEN = {"command": "ls -la", "timeout": 60}

Pairs = list[tuple[float, float]]


@contextmanager
def hooked(*commands: list[str], parallel: int = PARALLEL) -> Iterator[Engine]:
    """An engine as users have it: supervisor, sandbox and journal."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        entries = (f'[[hook]]\non = "tool.before"\ncommand = {words}\n' for words in commands)
        Path(folder, "tenterhook.toml").write_text("\n".join(entries))
        with Engine(folder, trust="all", home=home, parallel=parallel) as engine:
            yield engine


def seconds(function: Callable[[], object]) -> float:
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


def fired(engine: Engine) -> Outcome:
    return engine.fire("tool.before", tool_name="Bash", tool_input=GIVEN)


def checked(outcomes: list[Outcome], attempts: int = 1) -> None:
    """A hook that fails to start is very fast."""
    for outcome in outcomes:
        assert len(outcome.attempts) == attempts, outcome
        assert all(one.error is None and one.exit_code == 0 for one in outcome.attempts), outcome


def from_a_loop(engine: Engine) -> None:
    async def all_of_them() -> list[Outcome]:
        given = {"tool_name": "Bash", "tool_input": GIVEN}
        return await asyncio.gather(*(engine.afire("tool.before", **given) for _ in range(EVENTS)))

    checked(asyncio.run(all_of_them()))


def from_threads(engine: Engine) -> Callable[[], None]:
    """As many threads as events, which wait for the word: what starting threads costs is no matter of ours."""
    outcomes: list[Outcome] = []
    word = threading.Event()

    def one() -> None:
        word.wait()
        outcomes.append(fired(engine))

    threads = [threading.Thread(target=one) for _ in range(EVENTS)]
    for thread in threads:
        thread.start()

    def all_of_them() -> None:
        word.set()
        for thread in threads:
            thread.join()
        assert len(outcomes) == EVENTS
        checked(outcomes)

    return all_of_them


@contextmanager
def yardstick() -> Iterator[Callable[[], None]]:
    """The same programs, as many at once, with the same bytes on stdin and both outputs read; by threads that wait."""
    given = b'{"tool_name": "Bash", "tool_input": {"command": "ls -la", "timeout": 60}}'
    there = threading.Barrier(PARALLEL)

    def one(_: int) -> int:
        return subprocess.run([TRUE], input=given, capture_output=True, check=True).returncode

    def all_of_them() -> None:
        assert sum(pool.map(one, range(EVENTS))) == 0

    with ThreadPoolExecutor(PARALLEL) as pool:
        list(pool.map(lambda _: there.wait(), range(PARALLEL)))
        yield all_of_them


def burst_pairs(rounds: int = 7) -> dict[str, Pairs]:
    """500 events at once, by how they are fired."""
    ways: dict[str, Callable[[Engine], Callable[[], None]]] = {
        "asyncio": lambda engine: partial(from_a_loop, engine),
        "threads": from_threads,
    }
    pairs: dict[str, Pairs] = {name: [] for name in ways}
    with hooked([TRUE]) as engine, yardstick() as theirs:
        checked([fired(engine)])
        theirs()
        for _ in range(rounds):
            for name, way in ways.items():
                pairs[name].append((seconds(way(engine)), seconds(theirs)))
    return pairs


def parallel_pairs(hooks: int = 16, rounds: int = 15) -> Pairs:
    """One event with many hooks that sleep, beside an event with one of them."""
    nap = ["sleep", SLEEP]
    with hooked(*[nap] * hooks) as many, hooked(nap) as single:
        checked([fired(many)], hooks)
        checked([fired(single)])
        return [(seconds(lambda: fired(many)), seconds(lambda: fired(single))) for _ in range(rounds)]


def growth(events: int = 10_000) -> tuple[int, float, int]:
    """Open files, megabytes and children more than before, after so many events from a thread and from a loop."""
    with hooked([TRUE]) as engine:
        from_a_loop(engine)
        for _ in range(200):
            fired(engine)
        before = children()  # finds out where to look, which opens a line that stays
        files, rss = open_files(), memory()
        for _ in range(events // 2):
            checked([fired(engine)])
        for _ in range(events // 2 // EVENTS):
            from_a_loop(engine)
        return open_files() - files, (memory() - rss) / 1e6, children() - before


def main() -> None:
    for name, pairs in burst_pairs().items():
        print(f"{EVENTS} events at once, {name}: {shown(pairs)} x subprocess.run, {PARALLEL} at once", flush=True)
    print(f"16 hooks of sleep {SLEEP}: {shown(parallel_pairs())} x one of them", flush=True)
    if "quick" not in sys.argv:
        files, megabytes, left = growth()
        print(f"10,000 events: files {files:+}, memory {megabytes:+.1f} MB, children {left:+}")


def shown(pairs: Pairs) -> str:
    ratio = median(ours / theirs for ours, theirs in pairs)
    return f"{ratio:.2f} ({median(ours for ours, _ in pairs):.3f} s, {median(theirs for _, theirs in pairs):.3f} s)"


if __name__ == "__main__":
    main()

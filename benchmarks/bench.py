"""What tenterhook costs, as ratios to something everybody knows, measured in one run.

    python benchmarks/bench.py               all rows, less than three minutes
    python benchmarks/bench.py 1 2 3         some of them
    python benchmarks/bench.py --strict      exit 1 where a row is over its limit

Machines are noisy, so nothing is compared with a number of yesterday: ours and the yardstick take turns, each round
gives one ratio, and the median of the rounds is what counts. It needs pluggy (`pip install --group bench`), and
for rows 7 and 8 the package registry. See docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, median
from timeit import Timer
from typing import Any

import pluggy
from msgspec import Struct

import hosting
import peers
import startup
from tenterhook.engine import Engine
from tenterhook.types import Hook, Source

FIRE = "fire('tool.before', tool_name='Bash', tool_input=given)"
PLUGGY = "call(tool_name='Bash', tool_input=given)"
GIVEN = {"command": "ls -la", "timeout": 60}
TRUE = ["/bin/true"]
OURS = "BENCH_IN_A_SESSION_OF_ITS_OWN"
HEAD = ("row", "what", "yardstick", "limit", "ratio", "", "ours", "yardstick's")


class Result(Struct, frozen=True):
    """One line of the table. Without a limit it is only told; with a problem nothing could be measured."""

    what: str
    yardstick: str = ""
    limit: float | None = None
    ratio: float = 0.0
    ours: float = 0.0
    theirs: float = 0.0
    problem: str = ""

    @property
    def verdict(self) -> str:
        if self.problem:
            return f"not measured: {self.problem}"
        if self.limit is None:
            return ""
        return "ok" if self.ratio <= self.limit else "SHORT"


Row = Callable[[], Iterator[Result]]
Pairs = list[tuple[float, float]]

marker = pluggy.HookspecMarker("bench")
implementation = pluggy.HookimplMarker("bench")


class Spec:
    """pluggy's side: one hook with the arguments that our event has."""

    @marker
    def before(self, tool_name: str, tool_input: dict[str, Any]) -> None: ...


class Plugin:
    @implementation
    def before(self, tool_name: str, tool_input: dict[str, Any]) -> None: ...


def nothing(event: object = None) -> None:
    """The hook that all rows run: what it does must not count."""


def compared(
    what: str,
    yardstick: str,
    limit: float | None,
    ours: Timer,
    theirs: Timer,
    *,
    number: int,
    rounds: int = 15,
) -> Result:
    """Ours, theirs, ours, theirs; one ratio for each round, and the median of those."""
    return of_pairs(what, yardstick, limit, in_turn(ours, theirs, number=number, rounds=rounds))


def in_turn(ours: Timer, theirs: Timer, *, number: int, rounds: int) -> Pairs:
    for timer in (ours, theirs):
        timer.timeit(max(1, number // 10))
    return [(ours.timeit(number) / number, theirs.timeit(number) / number) for _ in range(rounds)]


def of_pairs(what: str, yardstick: str, limit: float | None, pairs: Pairs) -> Result:
    ratio = median(ours / theirs for ours, theirs in pairs)
    return Result(
        what, yardstick, limit, ratio, median(ours for ours, _ in pairs), median(theirs for _, theirs in pairs)
    )


def proven(engine: Engine, attempts: int, skipped: int = 0) -> Engine:
    """It does what it is measured for: a hook that fails to start is very fast."""
    outcome = engine.fire("tool.before", tool_name="Bash", tool_input=GIVEN)
    assert (len(outcome.attempts), len(outcome.skipped)) == (attempts, skipped), outcome
    assert all(one.error is None and not one.exit_code for one in outcome.attempts), outcome
    return engine


def firing(engine: Engine) -> Timer:
    return Timer(FIRE, globals={"fire": engine.fire, "given": GIVEN})


def plugged(*plugins: object) -> Timer:
    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    for plugin in plugins:
        manager.register(plugin)
    return Timer(PLUGGY, globals={"call": manager.hook.before, "given": GIVEN})


def in_code(*matchers: str, timeout: float | None = None) -> Engine:
    """An engine without files, and a function for each matcher."""
    engine = Engine(files=False)
    source = Source(__file__)
    spec = {"main": nothing, "form": "function"}
    engine.put(
        *(
            Hook(
                name=f"hook {n}",
                event="tool.before",
                handler="python",
                spec=spec,
                source=source,
                matcher=matcher,
                timeout=timeout,
            )
            for n, matcher in enumerate(matchers)
        )
    )
    return engine


def no_hooks() -> Iterator[Result]:
    ours = firing(proven(Engine(files=False), 0))
    yield compared("no hooks", "pluggy call, no implementation", 1.0, ours, plugged(), number=20_000)


def no_match() -> Iterator[Result]:
    ours = firing(proven(in_code(*(f"Tool{n}" for n in range(100))), 0, 100))
    yield compared("none of 100 hooks matches", "pluggy call, no implementation", 2.0, ours, plugged(), number=10_000)


def function() -> Iterator[Result]:
    engine = Engine(files=False)
    engine.add("tool.before", nothing, match="Bash")
    proven(engine, 1)
    theirs = plugged(Plugin())
    yield compared("a function", "pluggy call, one implementation", 10.0, firing(engine), theirs, number=2_000)


def function_with_timeout() -> Iterator[Result]:
    """On one processor where the system lets us choose: which threads land on another is chance, for both sides."""
    what, yardstick = "a function with a time-out", "executor round trip"
    pinned = hasattr(os, "sched_setaffinity")
    yield of_pairs(what, yardstick, None if pinned else 1.5, round_trips())
    if pinned:
        everywhere = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(everywhere)})
        yield of_pairs(f"{what}, one processor", yardstick, 1.5, round_trips())
        os.sched_setaffinity(0, everywhere)


def round_trips() -> Pairs:
    """With new threads fifteen times: a hop to one on another processor takes five times as long (55 µs, not 8)."""
    pairs: Pairs = []
    for _ in range(15):
        with Engine(files=False) as engine, ThreadPoolExecutor(1) as pool:
            engine.add("tool.before", nothing, match="Bash", timeout=60.0)
            proven(engine, 1)
            theirs = Timer("submit(nothing).result()", globals={"submit": pool.submit, "nothing": nothing})
            pairs += in_turn(firing(engine), theirs, number=300, rounds=3)
    return pairs


def command() -> Iterator[Result]:
    """Single calls in turn: a child that waits for its turn on a busy machine would spoil a whole round of them."""
    for mode in ("faithful", "strict"):
        with tempfile.TemporaryDirectory() as folder:
            given = what_a_hook_is_given(folder, mode)
            with hooked(folder, mode, TRUE) as engine:
                proven(engine, 1)
                pairs = in_turn(firing(engine), running(given), number=1, rounds=400)
            yield of_pairs(f"a /bin/true hook, {mode}", "subprocess.run", 1.35, pairs)
            yield of_pairs(f"a /bin/true hook, {mode}, mean", "subprocess.run, mean", None, [means(pairs)])
    # Our children get a session of their own, where subprocess.run's stay in ours: what that alone costs.
    pairs = in_turn(running(given, start_new_session=True), running(given), number=1, rounds=400)
    yield of_pairs("subprocess.run in a new session", "subprocess.run", None, pairs)
    yield of_pairs("subprocess.run in a new session, mean", "subprocess.run, mean", None, [means(pairs)])


def running(given: bytes, **options: Any) -> Timer:
    options |= {"input": given, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return Timer("run(argv, **options)", globals={"run": subprocess.run, "argv": TRUE, "options": options})


def means(pairs: Pairs) -> tuple[float, float]:
    return mean(ours for ours, _ in pairs), mean(theirs for _, theirs in pairs)


def hooked(folder: str, mode: str, argv: list[str]) -> Engine:
    text = f'[[hook]]\non = "tool.before"\nmatch = "Bash"\ncommand = {argv}\n'
    Path(folder, "tenterhook.toml").write_text(text)
    return Engine(folder, dialect="tenterhook", mode=mode, trust="all", home=folder)


def what_a_hook_is_given(folder: str, mode: str) -> bytes:
    """The same bytes for the yardstick, from a hook that keeps them."""
    kept = Path(folder, "given.json")
    with hooked(folder, mode, ["/usr/bin/tee", str(kept)]) as engine:
        proven(engine, 1)
    return kept.read_bytes()


def planning() -> Iterator[Result]:
    few, many = (in_code(*("Bash",) * 10, *(f"Tool{n}" for n in range(total - 10))) for total in (100, 10_000))
    proven(few, 10, 90)
    proven(many, 10, 9_990)
    what, yardstick = "10,000 hooks, 10 match: planning, seen before", "the same with 100 hooks"
    yield compared(what, yardstick, 3.0, planned(many), planned(few), number=10_000)
    yield compared("10,000 hooks, 10 match: the whole event", yardstick, None, firing(many), firing(few), number=300)
    what = "10,000 hooks, 10 match: planning, not seen before"
    yield compared(what, yardstick, None, unseen(many), unseen(few), number=3, rounds=9)


def planned(engine: Engine) -> Timer:
    names = {"planned": engine.planned, "slot": engine.slot("tool.before"), "given": GIVEN}
    return Timer("planned(slot, {'tool_name': 'Bash', 'tool_input': given})", globals=names)


def unseen(engine: Engine) -> Timer:
    slot = engine.slot("tool.before")
    names = {"planned": engine.planned, "slot": slot, "given": GIVEN}
    return Timer("slot.memo.clear(); planned(slot, {'tool_name': 'Bash', 'tool_input': given})", globals=names)


def cold_start() -> Iterator[Result]:
    limits = {"tenter --version": 1.2, "tenter fire, JSON (llxprt)": 2.5, "tenter fire, JSON (moai)": 2.5}
    limits |= dict.fromkeys(startup.HOOKS, 2.2)
    try:
        times = startup.measure()
    except startup.Unavailable as exc:
        yield Result("cold start of the command", problem=str(exc))
        return
    yardsticks = {name: times.pop(name) for name in (startup.YARDSTICK, startup.SCRIPT)}
    for what, ours in times.items():
        name = startup.SCRIPT if what in startup.HOOKS else startup.YARDSTICK
        pairs = list(zip(ours, yardsticks[name], strict=True))
        yield of_pairs(what, name, limits.get(what), pairs)


def side_by_side(names: list[str]) -> Iterator[Result]:
    for name in names:
        try:
            measured = peers.measure(name)
        except peers.Unavailable as exc:
            yield Result(f"beside {name}", problem=str(exc))
            continue
        for what, pairs in measured.items():
            yield of_pairs(what, name, None, pairs)


def wrapped_tool() -> Iterator[Result]:
    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    call = manager.hook.before
    yardstick = "the bare call and two pluggy calls"
    ours, theirs = hosting.tool_timers(call, GIVEN)
    yield compared("a wrapped tool, no hooks", yardstick, 1.0, ours, theirs, number=20_000)
    yield of_pairs("a wrapped async tool, no hooks", yardstick, 1.0, hosting.async_tool_pairs(call, GIVEN))


def wrapped_stream() -> Iterator[Result]:
    what, yardstick = f"a stream of {hosting.CHUNKS:,} chunks, no hooks", "the bare stream"
    try:
        yield of_pairs(f"{what}: openai's client", yardstick, 1.05, hosting.sdk_pairs(collect=False))
        yield of_pairs(f"{what}: openai's client, collected", yardstick, None, hosting.sdk_pairs(collect=True))
    except ImportError as exc:
        yield Result(f"{what}: openai's client", problem=str(exc))
    for source, limit, pairs in hosting.stream_pairs():
        yield of_pairs(f"{what}: {source}", yardstick, limit, pairs)


def main() -> int:
    options = arguments()
    if OURS not in os.environ:
        # Linux shares the processors between sessions: in one of our own, what else this terminal runs counts less.
        with tempfile.TemporaryDirectory() as state:  # outcomes are kept as ever, but not in the user's journal
            env = {**os.environ, OURS: "yes", "XDG_STATE_HOME": state}
            return subprocess.run([sys.executable, *sys.argv], env=env, start_new_session=True).returncode
    names = ["amcp", "massgen"] if options.massgen else ["amcp"]
    rows: dict[int, Row] = {
        1: no_hooks,
        2: no_match,
        3: function,
        4: function_with_timeout,
        5: command,
        6: planning,
        7: cold_start,
        8: lambda: side_by_side(names),
        9: wrapped_tool,
        10: wrapped_stream,
    }
    wanted = options.rows or sorted(rows)
    if unknown := [n for n in wanted if n not in rows]:
        print(f"no row {unknown[0]}; there are 1 to {len(rows)}", file=sys.stderr)
        return 1
    print(machine(), end="\n\n")
    print("|", " | ".join(HEAD), "|\n|", " | ".join(["---"] * len(HEAD)), "|", flush=True)
    results = [result for n in wanted for result in shown(n, rows[n])]
    if 7 in wanted:
        print(f"\n{startup.imports()}")
    return 1 if options.strict and any(result.verdict == "SHORT" for result in results) else 0


def shown(number: int, row: Row) -> Iterator[Result]:
    for result in row():
        print(line(number, result), flush=True)
        yield result


def line(number: int, result: Result) -> str:
    if result.problem:
        cells = [result.what, result.yardstick, "", "", result.verdict, "", ""]
    else:
        limit = "" if result.limit is None else f"{result.limit:g}"
        times = [in_units(result.ours), in_units(result.theirs)]
        cells = [result.what, result.yardstick, limit, f"{result.ratio:.3g}", result.verdict, *times]
    return f"| {number} | {' | '.join(cells)} |"


def in_units(seconds: float) -> str:
    return f"{seconds * 1e6:.3g} µs" if seconds < 1e-3 else f"{seconds * 1e3:.3g} ms"


def machine() -> str:
    kind = f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors"
    return f"Python {platform.python_version()}, {kind}; the median of the ratios of all rounds"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What tenterhook costs, as ratios measured in one run.")
    parser.add_argument("rows", nargs="*", type=int, metavar="ROW", help="only these rows (default: all)")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a row is over its limit")
    parser.add_argument("--massgen", action="store_true", help="row 8 beside massgen too: installs 1.8 GB")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

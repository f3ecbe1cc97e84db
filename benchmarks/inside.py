"""Rows 1 to 4: what an event costs where all hooks are functions of the host, or where there are none."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from timeit import Timer
from typing import Any

import pluggy

from engines import GIVEN, firing, in_code, nothing, proven
from figures import Line, Measured, Pairs, Rounds, Row, in_turn
from tenterhook.engine.engine import Engine

PLUGGY = "call(tool_name='Bash', tool_input=given)"

marker = pluggy.HookspecMarker("bench")
implementation = pluggy.HookimplMarker("bench")


class Spec:
    """pluggy's side: one hook with the arguments that our event has."""

    @marker
    def before(self, tool_name: str, tool_input: dict[str, Any]) -> None: ...


class Plugin:
    @implementation
    def before(self, tool_name: str, tool_input: dict[str, Any]) -> None: ...


def calling(*plugins: object) -> Any:
    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    for plugin in plugins:
        manager.register(plugin)
    return manager.hook.before


def plugged(*plugins: object) -> Timer:
    return Timer(PLUGGY, globals={"call": calling(*plugins), "given": GIVEN})


NO_HOOKS = Line("no hooks", "pluggy call, no implementation", 1.0)
NO_MATCH = Line("none of 100 hooks matches", "pluggy call, no implementation", 2.0)
FUNCTION = Line("a function", "pluggy call, one implementation", 10.0)
# On one processor where the system lets us choose: which threads land on another is chance, for both sides.
PINNED = hasattr(os, "sched_setaffinity")
TIMED = Line("a function with a time-out", "executor round trip", None if PINNED else 1.5)
TIMED_PINNED = Line("a function with a time-out, one processor", "executor round trip", 1.5)


def no_hooks(rounds: Rounds) -> Measured:
    ours = firing(proven(Engine(files=False), 0))
    yield NO_HOOKS.key, in_turn(ours, plugged(), number=20_000, rounds=rounds(15))


def no_match(rounds: Rounds) -> Measured:
    ours = firing(proven(in_code(*(f"Tool{n}" for n in range(100))), 0, 100))
    yield NO_MATCH.key, in_turn(ours, plugged(), number=10_000, rounds=rounds(15))


def function(rounds: Rounds) -> Measured:
    engine = Engine(files=False)
    engine.add("tool.before", nothing, match="Bash")
    proven(engine, 1)
    yield FUNCTION.key, in_turn(firing(engine), plugged(Plugin()), number=2_000, rounds=rounds(15))


def function_with_timeout(rounds: Rounds) -> Measured:
    yield TIMED.key, round_trips(rounds)
    if PINNED:
        everywhere = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(everywhere)})
        try:
            pairs = round_trips(rounds)
        finally:
            os.sched_setaffinity(0, everywhere)
        yield TIMED_PINNED.key, pairs


def round_trips(rounds: Rounds) -> Pairs:
    """With new threads fifteen times: a hop to one on another processor takes five times as long (55 µs, not 8)."""
    pairs: Pairs = []
    for _ in range(rounds(15)):
        with Engine(files=False) as engine, ThreadPoolExecutor(1) as pool:
            engine.add("tool.before", nothing, match="Bash", timeout=60.0)
            proven(engine, 1)
            theirs = Timer("submit(nothing).result()", globals={"submit": pool.submit, "nothing": nothing})
            pairs += in_turn(firing(engine), theirs, number=300, rounds=3)
    return pairs


ROWS = {
    1: Row((NO_HOOKS,), no_hooks),
    2: Row((NO_MATCH,), no_match),
    3: Row((FUNCTION,), function),
    4: Row((TIMED, TIMED_PINNED) if PINNED else (TIMED,), function_with_timeout),
}

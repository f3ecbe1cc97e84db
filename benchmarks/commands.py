"""Row 5: a command hook with everything on, the journal, trust, supervisor and sandbox; alone and among many."""

from __future__ import annotations

import subprocess
from pathlib import Path
from statistics import mean
from time import sleep
from timeit import Timer
from typing import Any

from engines import firing, hooked, proven
from figures import Line, Measured, Pairs, Rounds, Row, in_turn

TRUE = ["/bin/true"]
MODES = ("faithful", "strict")
HOOK = {mode: Line(f"a /bin/true hook, {mode}", "subprocess.run", 1.4) for mode in MODES}
MEAN = {mode: Line(f"a /bin/true hook, {mode}, mean", "subprocess.run, mean") for mode in MODES}
# As people use it: most hooks are for other tools, and an agent thinks between two calls.
OTHERS, PAUSE = 99, 0.05
MANY = {mode: Line(f"one of 100 hooks, {mode}", "subprocess.run", 1.4) for mode in MODES}
APART = {mode: Line(f"one of 100 hooks, 50 ms apart, {mode}", "subprocess.run, 50 ms apart", 1.4) for mode in MODES}
# The same without the journal: what is left is the price of starting a process with everything else on.
BARE = Line("one of 100 hooks, strict, no journal", "subprocess.run")
BARE_APART = Line("one of 100 hooks, 50 ms apart, strict, no journal", "subprocess.run, 50 ms apart")
# Our children get a session of their own, where subprocess.run's stay in ours: what that alone costs.
SESSION = Line("subprocess.run in a new session", "subprocess.run")
SESSION_MEAN = Line("subprocess.run in a new session, mean", "subprocess.run, mean")


def command(rounds: Rounds) -> Measured:
    """Single calls in turn: a child that waits for its turn on a busy machine would spoil a whole round of them."""
    for mode in MODES:
        given = what_a_hook_is_given(mode)
        with hooked(TRUE, mode=mode) as engine:
            proven(engine, 1)
            pairs = in_turn(firing(engine), running(TRUE, given), number=1, rounds=rounds(400))
        yield HOOK[mode].key, pairs
        yield MEAN[mode].key, means(pairs)
    pairs = in_turn(running(TRUE, given, start_new_session=True), running(TRUE, given), number=1, rounds=rounds(400))
    yield SESSION.key, pairs
    yield SESSION_MEAN.key, means(pairs)
    yield from among_many(rounds)


def among_many(rounds: Rounds) -> Measured:
    for mode in MODES:
        given = what_a_hook_is_given(mode)
        with hooked(TRUE, mode=mode, others=OTHERS) as engine:
            proven(engine, 1, OTHERS)
            pairs = in_turn(firing(engine), running(TRUE, given), number=1, rounds=rounds(400))
            yield MANY[mode].key, pairs
            yield APART[mode].key, apart(firing(engine), running(TRUE, given), rounds(60))
    with hooked(TRUE, mode=mode, others=OTHERS, journal=False) as engine:
        proven(engine, 1, OTHERS)
        yield BARE.key, in_turn(firing(engine), running(TRUE, given), number=1, rounds=rounds(400))
        yield BARE_APART.key, apart(firing(engine), running(TRUE, given), rounds(60))


def apart(ours: Timer, theirs: Timer, rounds: int) -> Pairs:
    """Single calls in turn, with a pause before each: then caches are cold and processes sleep."""
    return [(after_pause(ours), after_pause(theirs)) for _ in range(rounds)]


def after_pause(timer: Timer) -> float:
    sleep(PAUSE)
    return timer.timeit(1)


def running(argv: list[str], given: bytes, **options: Any) -> Timer:
    options |= {"input": given, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return Timer("run(argv, **options)", globals={"run": subprocess.run, "argv": argv, "options": options})


def means(pairs: Pairs) -> Pairs:
    return [(mean(ours for ours, _ in pairs), mean(theirs for _, theirs in pairs))]


def what_a_hook_is_given(mode: str) -> bytes:
    """The same bytes for the yardstick, from a hook that keeps them."""
    with hooked(["/usr/bin/tee", "given.json"], mode=mode) as engine:
        proven(engine, 1)
        return Path(engine.project, "given.json").read_bytes()


LINES = [line for mode in MODES for line in (HOOK[mode], MEAN[mode])]
MANY_LINES = [line for mode in MODES for line in (MANY[mode], APART[mode])]
ROWS = {5: Row((*LINES, SESSION, SESSION_MEAN, *MANY_LINES, BARE, BARE_APART), command)}

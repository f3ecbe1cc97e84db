"""What it costs that a helper starts hooks: against our own children, and in a host with much memory.

Importing this adds its rows to those of faults.py.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from fault_tools import ENV, Figures, helping, program, row
from tenterhook.runtime import process

SPAWNS = 200


def medians(*ways: Callable[[], object]) -> list[float]:
    """In turns, because the machine is not ours alone."""
    seconds: list[list[float]] = [[] for _ in ways]
    for way in ways:
        way()
    for _ in range(SPAWNS):
        for way, kept in zip(ways, seconds, strict=True):
            begun = time.perf_counter()
            way()
            kept.append(time.perf_counter() - begun)
    return [median(kept) for kept in seconds]


@row("C1", "200 x /bin/true through the supervisor, and as our child", "<= 1.2 x")
def spawn_cost() -> Figures:
    if sys.platform != "linux":
        return "there is a supervisor on Linux only", None
    true, helper = program("/bin/true"), helping()
    own, through = medians(lambda: process.run(true), lambda: process.run(true, helper))
    return f"{through * 1000:.2f} ms against {own * 1000:.2f} ms: {through / own:.2f} x", through <= 1.2 * own


# A host that runs once for each line it reads.
TURNS = """
import sys
ballast = bytearray({size})
ballast[::4096] = b"x" * len(ballast[::4096])
from tenterhook.runtime.process import Program, run
from tenterhook.runtime.supervisor.client import helper
true = Program(("/bin/true",), b"{{}}", {{"PATH": "/usr/bin:/bin"}}, "/", 20.0)
run(true, helper("auto"))
for line in sys.stdin:
    run(true, helper("auto"))
    print("done", flush=True)
"""


class Turns:
    """A host of its own with so much memory in use."""

    def __init__(self, size: int) -> None:
        argv = [sys.executable, "-c", TURNS.format(size=size)]
        self.process = subprocess.Popen(argv, env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print("go", file=self.process.stdin, flush=True)
        self.process.stdout.readline()

    def __enter__(self) -> Turns:
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.communicate()


@row("C2", "200 x /bin/true from a host of 1 GiB, and a small one", "<= 1.2 x")
def memory_cost() -> Figures:
    if sys.platform != "linux":
        return "there is a supervisor on Linux only", None
    with Turns(1 << 30) as large, Turns(4096) as small:
        big, little = medians(large.turn, small.turn)
    return f"{big * 1000:.2f} ms against {little * 1000:.2f} ms: {big / little:.2f} x", big <= 1.2 * little

"""Child processes, many at once in one thread: start, feed, collect, cap, end with all descendants.

One loop polls pipes and pidfds and serves three callers: run (one, blocking), Batch (many, blocking) and Reactor
(its own thread, for async hosts). With a helper (see runtime/supervisor) its spawners start and end the programs and
the loop polls its channels to them; without one they are our own children. What the loop promises, either way:
- the answer counts as soon as the hook itself exits, though a grandchild still holds its pipes;
- time-out: SIGTERM to all, the grace, SIGKILL to all, and back within 0.25 s of that;
- a child that cannot be started is a value, never an exception.

A system that cannot poll pipes, which is Windows, has threads.py instead, with the first and the last promise.
"""

from __future__ import annotations

import select
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenterhook.runtime.process.program import Completed, Program
from tenterhook.runtime.process.ticket import Ticket

if TYPE_CHECKING or hasattr(select, "poll"):
    from tenterhook.runtime.process.batch import Batch
    from tenterhook.runtime.process.reactor import Reactor
else:
    from tenterhook.runtime.process.threads import ThreadBatch as Batch
    from tenterhook.runtime.process.threads import ThreadReactor as Reactor

if TYPE_CHECKING:
    from tenterhook.runtime.supervisor.client import Helper

__all__ = ["Batch", "Completed", "Program", "Reactor", "Ticket", "run", "run_all"]


def run(program: Program, helper: Helper | None = None) -> Completed:
    """Run one program to its end, in the calling thread."""
    batch = Batch(1, helper)
    batch.add(program)
    return batch.wait()[0]


def run_all(programs: Sequence[Program], parallel: int = 64, helper: Helper | None = None) -> list[Completed]:
    """Run all, at most `parallel` at once, in the calling thread; results in the same order."""
    batch = Batch(parallel, helper)
    for program in programs:
        batch.add(program)
    return batch.wait()

"""Many programs at once in the calling thread, over one loop."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from select import POLLIN
from typing import TYPE_CHECKING

from tenterhook.runtime.process.client_gone import CALLER, CallerGone
from tenterhook.runtime.process.loop import ProcessLoop
from tenterhook.runtime.process.program import Completed, Program
from tenterhook.runtime.process.ticket import Ticket

if TYPE_CHECKING:
    from tenterhook.runtime.process.slots import HeldSlots
    from tenterhook.runtime.supervisor.client import Helper


class Batch:
    """Many programs at once in the calling thread. Dropped or left by an exception, it ends what it started."""

    def __init__(
        self,
        parallel: int = 64,
        helper: Helper | None = None,
        held: HeldSlots | None = None,
        spare: list[ProcessLoop] | None = None,
    ) -> None:
        """`spare` are idle loops of the same helper: one is taken from there, and put back at the end."""
        self.held, self.spare = held, spare
        self.results: list[Completed] = []
        self.loop = again(spare, parallel) or ProcessLoop(parallel, helper)
        self.caller = CALLER.get(-1)
        if self.caller >= 0:
            self.loop.watch(self.caller, POLLIN, partial(hung_up, self.loop, self.caller))

    def add(self, program: Program) -> int:
        """Start it, or queue it if `parallel` programs are running. Returns its index in the result of wait()."""
        place = len(self.results)
        self.results.append(Completed())
        try:
            self.loop.waiting.append(Ticket(program, partial(store_batch_result, self.results, self.held, place)))
            self.loop.launch()
        except BaseException:
            self.end_all()
            raise
        return place

    def meanwhile(self, function: Callable[[], object]) -> None:
        """Do this while the programs run, instead of only waiting."""
        self.loop.meanwhile.append(function)

    def wait(self) -> list[Completed]:
        """All results, in the order of add()."""
        try:
            while self.loop.busy:
                self.loop.step()
        except BaseException:
            self.end_all()
            raise
        if self.caller >= 0:
            self.loop.unwatch(self.caller)
        if self.spare is not None:
            self.spare.append(self.loop)
            del self.loop
        return self.results

    def end_all(self) -> None:
        self.loop.abandon()
        if self.held is not None:
            self.held.give_rest()

    def __del__(self) -> None:
        loop = getattr(self, "loop", None)  # missing if an exception came while it was made, and after the end
        if loop is not None and loop.busy:
            self.end_all()


def again(spare: list[ProcessLoop] | None, parallel: int) -> ProcessLoop | None:
    """Take an idle loop for the next programs."""
    try:
        loop = spare.pop() if spare else None
    except IndexError:  # another thread was quicker
        return None
    if loop is None:
        return None
    loop.parallel, loop.owner = parallel, os.getpid()
    loop.deadlines.clear()
    loop.unheard.clear()
    return loop


def store_batch_result(results: list[Completed], held: HeldSlots | None, place: int, completed: Completed) -> None:
    """Holds no reference to the batch, which must be freed as soon as its caller drops it."""
    results[place] = completed
    if held is not None:
        held.give()


def hung_up(loop: ProcessLoop, caller: int) -> None:
    loop.unwatch(caller)
    raise CallerGone

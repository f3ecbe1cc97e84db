"""All child processes of one engine, whoever waits for them: at most `parallel` at once, first come, first served.

A thread that finds seats serves its programs itself, which is quickest. Otherwise they stand in line, served by a
thread that all share: no thread is added for an event that waits.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tenterhook.runtime.process import Batch, Completed, Program, Reactor, Ticket
from tenterhook.runtime.process.client_gone import CALLER, LOOK, still_there
from tenterhook.runtime.process.slots import ProcessSemaphore

if TYPE_CHECKING:
    from tenterhook.runtime.process.loop import ProcessLoop
    from tenterhook.runtime.supervisor.client import Helper

__all__ = ["Pool"]

# Much more than it takes to end what was cancelled.
ENDING = 1.0


class Pool:
    """`submit` for event loops, `start` for threads; each has a reactor, because only the first is ended by close()."""

    def __init__(self, parallel: int, supervisor: str) -> None:
        self.parallel, self.supervisor = parallel, supervisor
        self.semaphore = ProcessSemaphore(parallel)
        self.lock = threading.Lock()
        self.closed = False
        self.helping: Helper | None = None
        self.reactors: dict[str, Reactor] = {}
        # Those that no thread uses now; as many as have served their own programs at a time.
        self.loops: list[ProcessLoop] = []

    def start(self, programs: Sequence[Program]) -> Batch | QueuedBatch:
        """All of them, from a thread that will wait() for their results."""
        held = self.semaphore.take(len(programs))
        if held is not None:
            return submit_programs(Batch(len(programs), self.helper(), held, self.loops), programs)
        if not self.is_serving():
            try:
                with self.lock:
                    return QueuedBatch(self.reactor("threads"), programs)
            except RuntimeError:  # no more threads
                pass
        return submit_programs(Batch(self.parallel, self.helper()), programs)

    def is_serving(self) -> bool:
        """Whether this is the thread of a reactor, which cannot wait for what it would have to serve."""
        return any(reactor.thread is threading.current_thread() for reactor in list(self.reactors.values()))

    def submit_if_open(self, program: Program, done: Callable[[Completed], None]) -> Ticket | None:
        """For work that nobody waits for: not after close()."""
        with self.lock:
            return None if self.closed else self.reactor("loops").submit(program, done)

    def submit(
        self, program: Program, done: Callable[[Completed], None], meanwhile: Callable[[], object] | None = None
    ) -> Ticket:
        """The lock keeps a second reactor from being made, and close() out of the way."""
        with self.lock:
            return self.reactor("loops").submit(program, done, meanwhile)

    def reactor(self, way: str) -> Reactor:
        """One for all loops, one for all threads. With the lock held."""
        found = self.reactors.get(way)
        if found is None or found.closed:
            found = self.reactors[way] = Reactor(self.parallel, self.helper(), self.semaphore)
        return found

    def helper(self) -> Helper | None:
        """Who starts and ends child processes; None where we do."""
        if self.helping is None and self.supervisor != "off" and sys.platform == "linux":
            from tenterhook.runtime.supervisor.client import helper

            self.helping = helper(self.supervisor, self)
            if self.helping and self.supervisor == "fork":  # at once: it gets ready while we go on
                self.helping.prepare()
        return self.helping

    def close(self) -> None:
        """End what loops wait for; what threads wait for comes to its own end."""
        with self.lock:
            self.closed = True
            open_ones, self.reactors = self.reactors, {}
        for way, reactor in open_ones.items():
            reactor.close() if way == "loops" else reactor.retire()
        if self.helping is not None:
            self.helping.left(self)


class QueuedBatch:
    """Programs that a reactor serves while a thread waits for them. Left by an exception, it ends them first."""

    def __init__(self, reactor: Reactor, programs: Sequence[Program]) -> None:
        self.reactor = reactor
        self.results = [Completed()] * len(programs)
        self.left = len(programs)
        self.over = threading.Event()
        # All are listed before the first is put in line, so that an interrupt at any moment finds them.
        finished = self.finished
        self.tickets = [Ticket(program, partial(finished, place), reactor) for place, program in enumerate(programs)]
        with self.ending_all_on_error():
            for ticket in self.tickets:
                reactor.put(ticket)

    def finished(self, place: int, completed: Completed) -> None:
        """In the reactor's thread."""
        self.results[place] = completed
        self.left -= 1
        if not self.left:
            self.over.set()

    def meanwhile(self, function: Callable[[], object]) -> None:
        """What the thread may do while it would only wait."""
        with self.ending_all_on_error():
            function()

    def wait(self) -> list[Completed]:
        """All results, in the order of the programs."""
        caller = CALLER.get(-1)
        with self.ending_all_on_error():
            while not self.over.wait(LOOK if caller >= 0 else None):
                still_there(caller)
        return self.results

    @contextlib.contextmanager
    def ending_all_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.end_all()
            raise

    def end_all(self) -> None:
        for ticket in self.tickets:
            ticket.cancel()
        if self.reactor.thread is not None:
            self.over.wait(ENDING)  # not longer: some may not have been put in line


def submit_programs(batch: Batch, programs: Sequence[Program]) -> Batch:
    for program in programs:
        batch.add(program)
    return batch

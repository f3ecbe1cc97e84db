"""All child processes of one engine, for all its callers: at most `parallel` at once, first come, first served.

A thread that gets slots serves its programs itself, which is fastest. Otherwise they are queued and served by a shared
thread: no thread is added for an event that waits.
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

# Much more than ending cancelled programs takes.
ENDING = 1.0


class Pool:
    """`submit` is for event loops, `start` for threads; each has its own reactor, because close() ends only the
    first.
    """

    def __init__(self, parallel: int, supervisor: str) -> None:
        self.parallel, self.supervisor = parallel, supervisor
        self.semaphore = ProcessSemaphore(parallel)
        self.lock = threading.Lock()
        self.closed = False
        self.helping: Helper | None = None
        self.reactors: dict[str, Reactor] = {}
        # Idle loops: as many as threads have served their own programs at once.
        self.loops: list[ProcessLoop] = []

    def start(self, programs: Sequence[Program]) -> Batch | QueuedBatch:
        """Start all programs, from a thread that will wait() for their results."""
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
        """Whether this is a reactor's thread, which cannot wait for what it has to serve itself."""
        return any(reactor.thread is threading.current_thread() for reactor in list(self.reactors.values()))

    def submit_if_open(self, program: Program, done: Callable[[Completed], None]) -> Ticket | None:
        """For background work: not after close()."""
        with self.lock:
            return None if self.closed else self.reactor("loops").submit(program, done)

    def submit(
        self, program: Program, done: Callable[[Completed], None], meanwhile: Callable[[], object] | None = None
    ) -> Ticket:
        """The lock prevents a second reactor, and a concurrent close()."""
        with self.lock:
            return self.reactor("loops").submit(program, done, meanwhile)

    def reactor(self, way: str) -> Reactor:
        """One reactor for event loops, one for threads. With the lock held."""
        found = self.reactors.get(way)
        if found is None or found.closed:
            found = self.reactors[way] = Reactor(self.parallel, self.helper(), self.semaphore)
        return found

    def helper(self) -> Helper | None:
        """The helper that starts and ends child processes; None if this process does."""
        if self.helping is None and self.supervisor != "off" and sys.platform == "linux":
            from tenterhook.runtime.supervisor.client import helper

            self.helping = helper(self.supervisor, self)
            if self.helping and self.supervisor == "fork":  # now: it gets ready while we go on
                self.helping.prepare()
        return self.helping

    def close(self) -> None:
        """End what event loops wait for; what threads wait for runs to its end."""
        with self.lock:
            self.closed = True
            open_ones, self.reactors = self.reactors, {}
        for way, reactor in open_ones.items():
            reactor.close() if way == "loops" else reactor.retire()
        if self.helping is not None:
            self.helping.release_user(self)


class QueuedBatch:
    """Programs that a reactor serves while a thread waits for them. Left by an exception, it ends them first."""

    def __init__(self, reactor: Reactor, programs: Sequence[Program]) -> None:
        self.reactor = reactor
        self.results = [Completed()] * len(programs)
        self.left = len(programs)
        self.over = threading.Event()
        # All are listed before the first is queued, so that an interrupt at any moment finds them.
        finished = self.finished
        self.tickets = [Ticket(program, partial(finished, place), reactor) for place, program in enumerate(programs)]
        with self.ending_all_on_error():
            for ticket in self.tickets:
                reactor.put(ticket)

    def finished(self, place: int, completed: Completed) -> None:
        """Called in the reactor's thread."""
        self.results[place] = completed
        self.left -= 1
        if not self.left:
            self.over.set()

    def meanwhile(self, function: Callable[[], object]) -> None:
        """Work for the thread while it would only wait."""
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
            self.over.wait(ENDING)  # not longer: some may not have been queued


def submit_programs(batch: Batch, programs: Sequence[Program]) -> Batch:
    for program in programs:
        batch.add(program)
    return batch

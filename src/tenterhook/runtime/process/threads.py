"""Child processes where pipes cannot be polled: each has threads that read its pipes and wait for it.

What is not there: a supervisor, a sandbox, a grace before the end. A late program is ended at once with its children,
and what it leaves running when it ends by itself goes on.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tenterhook.runtime.process.program import Completed, Modified, Program, by_shell
from tenterhook.runtime.process.running import LEFTOVER_GRACE, Running
from tenterhook.runtime.process.slots import ProcessSemaphore
from tenterhook.runtime.process.spawn import spawn_program
from tenterhook.runtime.process.stream import OutputStream
from tenterhook.runtime.process.ticket import NEVER_STARTED, Ticket, report

if TYPE_CHECKING:
    from tenterhook.runtime.process.slots import HeldSlots
    from tenterhook.runtime.supervisor.client import Helper

LATE = "no answer within {:g} s, so it was ended: make the hook faster or raise its timeout"
# Ctrl-C does not interrupt a longer wait on Windows.
LOOK = 0.2
# How long the program that ends a tree of processes may take.
ENDING = 5.0
# A group of its own, so that Ctrl-C is for us alone; and no window.
FLAGS = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)


class ThreadChild(Running):
    """A child that threads wait for; `run` returns when it has ended."""

    def __init__(self, program: Program, sandbox: str = "", notes: tuple[str, ...] = ()) -> None:
        super().__init__(program, sandbox, notes)
        self.popen: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()

    def run(self) -> Completed:
        try:
            self.begin()
        except Modified as exc:
            return Completed(error="modified", detail=str(exc))
        except Exception as exc:  # whatever Popen complains about becomes a value
            if not (self.program.instead and isinstance(exc, OSError)):
                return self.not_started(exc)
            return ThreadChild(by_shell(self.program), self.sandbox, self.notes).run()
        assert self.popen is not None
        readers = [self.thread(partial(read_all, stream)) for stream in self.streams]
        self.thread(self.write)
        try:
            self.status = self.popen.wait(self.program.timeout)
        except subprocess.TimeoutExpired:
            self.detail = LATE.format(self.program.timeout)
            self.stop("timeout")
            self.status = self.popen.wait()
        except BaseException:
            self.stop("cancelled")
            raise
        self.ended = time.monotonic()
        for reader in readers:  # another process may hold its pipes: what it writes is not part of the answer
            reader.join(max(0.0, self.ended + LEFTOVER_GRACE - time.monotonic()))
        self.streams = (detach_output(self.streams[0]), detach_output(self.streams[1]))
        return self.completed()

    def start(self) -> None:
        program = self.program
        with self.lock:
            if self.error:
                raise OSError(0, "cancelled before it was started")
            self.popen = subprocess.Popen(
                list(program.argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**program.env}, cwd=program.cwd or None, creationflags=FLAGS, bufsize=0,
            )  # fmt: skip
        for stream, pipe in zip(self.streams, (self.popen.stdout, self.popen.stderr), strict=True):
            assert pipe is not None
            stream.fd = os.dup(pipe.fileno())
            pipe.close()
        self.started = True

    def thread(self, work: Callable[[], object]) -> threading.Thread:
        made = threading.Thread(target=work, name="tenterhook-pipe", daemon=True)
        made.start()
        return made

    def write(self) -> None:
        assert self.popen is not None
        assert self.popen.stdin is not None
        with contextlib.suppress(OSError), self.popen.stdin as pipe:  # it need not read what it is told
            pipe.write(self.program.stdin)

    def stop(self, error: str) -> None:
        """End it with its children, from any thread."""
        with self.lock:
            self.error = self.error or error
            if self.popen is not None and self.popen.poll() is None:
                end_tree(self.popen)

    def settle(self) -> bool:
        return self.status is not None


def read_all(stream: OutputStream) -> None:
    """Read a pipe to its end. A thread of its own may wait."""
    with contextlib.suppress(OSError):
        while stream.drain() != 0:
            continue
    stream.close()


def detach_output(stream: OutputStream) -> OutputStream:
    """What was read until now, in a stream without a pipe: the thread keeps its own."""
    made = OutputStream(0)
    made.parts, made.last, made.truncated = [*stream.parts], stream.last, stream.truncated
    return made


def end_tree(popen: subprocess.Popen[bytes]) -> None:
    """End a process with its children; the system's own program knows them."""
    if sys.platform == "win32":
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            line = ["taskkill", "/F", "/T", "/PID", str(popen.pid)]
            subprocess.run(line, capture_output=True, timeout=ENDING, creationflags=FLAGS, check=False)
    with contextlib.suppress(OSError):
        popen.kill()


class ThreadReactor:
    """submit() from any thread; `done` is called in a thread of the program's and should be quick."""

    # Pools ask whether the current thread serves others, which would have to wait for itself: none does.
    thread: threading.Thread | None = None

    def __init__(
        self, parallel: int = 64, helper: Helper | None = None, semaphore: ProcessSemaphore | None = None
    ) -> None:
        self.semaphore = semaphore or ProcessSemaphore(parallel)
        self.lock = threading.Lock()
        self.tickets: set[Ticket] = set()
        self.closed = False

    def submit(
        self, program: Program, done: Callable[[Completed], None], meanwhile: Callable[[], object] | None = None
    ) -> Ticket:
        """Run it as soon as there is a slot; call `meanwhile` while it waits or runs. RuntimeError after close()."""
        ticket = Ticket(program, done, self)
        self.put(ticket, meanwhile)
        return ticket

    def put(self, ticket: Ticket, meanwhile: Callable[[], object] | None = None) -> None:
        with self.lock:
            if self.closed:
                raise RuntimeError("this reactor is closed: make a new one")
            self.tickets.add(ticket)
        if self.semaphore.enter(ticket):
            self.admit(ticket)
        if meanwhile is not None:
            self.thread_for(partial(report, meanwhile))

    def admit(self, ticket: Ticket) -> None:
        """The semaphore has a slot for it."""
        self.thread_for(partial(self.serve, ticket))

    def thread_for(self, work: Callable[[], object]) -> None:
        threading.Thread(target=work, name="tenterhook-program", daemon=True).start()

    def serve(self, ticket: Ticket) -> None:
        completed = NEVER_STARTED if ticket.cancelled else run_ticket(ticket)
        with self.lock:
            self.tickets.discard(ticket)
        self.semaphore.give()
        report(ticket.done, completed)

    def cancel(self, ticket: Ticket) -> None:
        ticket.cancelled = True
        if self.semaphore.withdraw(ticket):
            self.admit(ticket)
        elif isinstance(ticket.child, ThreadChild):
            ticket.child.stop("cancelled")

    def close(self) -> None:
        """End everything that runs, as by cancellation."""
        self.retire()
        with self.lock:
            left = [*self.tickets]
        for ticket in left:
            self.cancel(ticket)

    def retire(self) -> None:
        """Accept nothing new."""
        with self.lock:
            self.closed = True


def run_ticket(ticket: Ticket) -> Completed:
    """Never raises: a thread waits for this result."""
    try:
        child = spawn_program(ticket.program, None)
        if isinstance(child, Completed):
            return child
        assert isinstance(child, ThreadChild)
        ticket.child = child
        return NEVER_STARTED if ticket.cancelled else child.run()
    except Exception as exc:
        return Completed(error="spawn", detail=f"the system failed while it ran: {exc}")


class ThreadBatch:
    """Many programs at once, for a thread that waits for all. Left by an exception, it ends what it started."""

    def __init__(
        self,
        parallel: int = 64,
        helper: Helper | None = None,
        held: HeldSlots | None = None,
        spare: list[object] | None = None,
    ) -> None:
        self.reactor = ThreadReactor(parallel)
        self.held, self.lock = held, threading.Lock()
        self.results: list[Completed] = []
        self.left: set[int] = set()
        self.over = threading.Event()
        self.works: list[Callable[[], object]] = []

    def add(self, program: Program) -> int:
        """Start it, or queue it if `parallel` programs are running. Returns its index in the result of wait()."""
        place = len(self.results)
        self.results.append(Completed())
        self.left.add(place)
        self.reactor.submit(program, partial(self.store_result, place))
        return place

    def store_result(self, place: int, completed: Completed) -> None:
        self.results[place] = completed
        self.give(1)
        self.left.discard(place)
        self.over.set()

    def meanwhile(self, function: Callable[[], object]) -> None:
        """Do this while the programs run, instead of only waiting."""
        self.works.append(function)

    def wait(self) -> list[Completed]:
        """All results, in the order of add()."""
        try:
            for work in self.works:
                work()
            while self.left:
                self.over.wait(LOOK)
                self.over.clear()
        except BaseException:
            self.end_all()
            raise
        return self.results

    def end_all(self) -> None:
        self.reactor.close()
        self.give(len(self.results))

    def give(self, count: int) -> None:
        """Give slots back that the thread has taken."""
        with self.lock:
            if self.held is not None:
                self.held.give(min(count, self.held.count))

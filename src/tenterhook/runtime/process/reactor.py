"""The loop in its own thread, for async hosts and for many threads.

The thread starts with the first submit. After os.fork the child process starts a new one; the parent's programs stay
the parent's.
"""

from __future__ import annotations

import atexit
import os
import select
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tenterhook.runtime.process.loop import ProcessLoop
from tenterhook.runtime.process.program import Completed, Program
from tenterhook.runtime.process.slots import ProcessSemaphore
from tenterhook.runtime.process.stream import close
from tenterhook.runtime.process.ticket import NEVER_STARTED, Ticket, report

if TYPE_CHECKING:
    from tenterhook.runtime.supervisor.client import Helper


class Reactor:
    """submit() from any thread; `done` is called in the reactor's thread and should be quick."""

    def __init__(
        self, parallel: int = 64, helper: Helper | None = None, semaphore: ProcessSemaphore | None = None
    ) -> None:
        self.parallel, self.helper = parallel, helper
        self.semaphore = semaphore or ProcessSemaphore(parallel)
        self.begin_empty()

    def begin_empty(self) -> None:
        self.owner = os.getpid()
        self.lock = threading.Lock()
        self.loop = ProcessLoop(self.parallel, self.helper)
        self.inbox: deque[Callable[[], object]] = deque()
        self.thread: threading.Thread | None = None
        self.closed = self.cancelling = False
        # How many were queued, and how many are done; the second belongs to the thread and needs no lock.
        self.taken = self.done = 0
        self.bell = self.rope = -1

    def submit(
        self, program: Program, done: Callable[[Completed], None], meanwhile: Callable[[], object] | None = None
    ) -> Ticket:
        """Run it as soon as there is a slot; call `meanwhile` while it waits or runs. RuntimeError after close()."""
        ticket = Ticket(program, done, self)
        self.put(ticket, meanwhile)
        return ticket

    def put(self, ticket: Ticket, meanwhile: Callable[[], object] | None = None) -> None:
        if self.owner != os.getpid():
            self.forget_parent()
        with self.lock:
            if self.closed:
                raise RuntimeError("this reactor is closed: make a new one")
            if self.thread is None:
                self.start_thread()
            ticket.done = partial(self.finished, ticket.done)
            self.taken += 1
            if meanwhile is not None:
                self.send(partial(self.loop.meanwhile.append, partial(report, meanwhile)))
            if self.semaphore.enter(ticket):
                self.send(partial(self.serve_one, ticket))

    def admit(self, ticket: Ticket) -> None:
        """The semaphore has a slot for it."""
        if threading.current_thread() is self.thread:
            self.serve_one(ticket)
            return
        with self.lock:
            self.send(partial(self.serve_one, ticket))

    def serve_one(self, ticket: Ticket) -> None:
        if ticket.cancelled or self.cancelling:
            ticket.done(NEVER_STARTED)
        else:
            self.loop.waiting.append(ticket)

    def finished(self, done: Callable[[Completed], None], completed: Completed) -> None:
        self.done += 1
        self.semaphore.give()
        report(done, completed)

    def cancel(self, ticket: Ticket) -> None:
        if self.owner == os.getpid():
            with self.lock:
                if self.thread is not None:
                    self.send(partial(self.recall, ticket))

    def recall(self, ticket: Ticket) -> None:
        ticket.cancelled = True
        if self.semaphore.withdraw(ticket):
            self.serve_one(ticket)
        else:
            self.loop.cancel(ticket)

    def close(self) -> None:
        """End everything that runs, as by cancellation, and the thread."""
        self.end(self.cancel_all)
        thread = self.thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def retire(self) -> None:
        """Accept nothing new; the thread ends when all is done."""
        self.end(int)  # any message wakes it

    def end(self, action: Callable[[], object]) -> None:
        if self.owner != os.getpid():
            self.forget_parent()
        with self.lock:
            self.closed = True
            if self.thread is not None:
                self.send(action)

    def cancel_all(self) -> None:
        self.cancelling = True
        for ticket in [ticket for ticket in list(self.semaphore.queue) if ticket.home is self]:
            self.recall(ticket)
        self.loop.cancel_all()

    def start_thread(self) -> None:
        self.bell, self.rope = os.pipe()
        os.set_blocking(self.bell, False)
        os.set_blocking(self.rope, False)
        self.loop.watch(self.bell, select.POLLIN, self.receive)
        # A daemon thread, so that a forgotten close() does not keep the host alive; atexit still ends its children.
        thread = threading.Thread(target=self.serve, name="tenterhook-reactor", daemon=True)
        try:
            self.thread = thread  # serve() removes it when it ends
            thread.start()
        except RuntimeError:
            self.loop.unwatch(self.bell)
            close(self.bell, self.rope)
            self.thread, self.bell, self.rope = None, -1, -1
            raise
        atexit.register(self.close)

    def send(self, action: Callable[[], object]) -> None:
        """With the lock held, so that the thread cannot close the pipe meanwhile."""
        self.inbox.append(action)
        if len(self.inbox) > 1:  # an earlier message has woken it, and it takes all that is there
            return
        try:
            os.write(self.rope, b"!")
        except BlockingIOError:  # the pipe is full of wake-ups already
            return

    def receive(self) -> None:
        os.read(self.bell, 65536)
        while self.inbox:
            self.inbox.popleft()()

    def serve(self) -> None:
        try:
            while not self.closed or self.inbox or self.done < self.taken:
                self.loop.step()
        except BaseException:
            self.cancel_all()
            self.loop.abandon()
            raise
        finally:
            with self.lock:
                self.thread, self.closed = None, True
                close(self.bell, self.rope)
                self.bell = self.rope = -1
            atexit.unregister(self.close)

    def forget_parent(self) -> None:
        self.loop.abandon()
        close(self.bell, self.rope)
        self.begin_empty()

"""The loop in a thread of its own, for async hosts and for many threads.

No thread before the first submit. After os.fork the child starts a new one; what the parent runs stays the parent's.
"""

from __future__ import annotations

import atexit
import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tenterhook.process.loop import Loop, Ticket
from tenterhook.process.program import Completed, Program
from tenterhook.process.stream import close

if TYPE_CHECKING:
    from tenterhook.supervisor.client import Helper

__all__ = ["Reactor"]


class Reactor:
    """submit() from any thread; `done` is called in the reactor's thread and should be quick."""

    def __init__(self, parallel: int = 64, helper: Helper | None = None) -> None:
        self.parallel, self.helper = parallel, helper
        self.begin_empty()

    def begin_empty(self) -> None:
        self.owner = os.getpid()
        self.lock = threading.Lock()
        self.loop = Loop(self.parallel, self.helper)
        self.inbox: deque[Callable[[], object]] = deque()
        self.thread: threading.Thread | None = None
        self.closed = False
        self.bell = self.rope = -1

    def submit(
        self, program: Program, done: Callable[[Completed], None], meanwhile: Callable[[], object] | None = None
    ) -> Ticket:
        """Run it as soon as fewer than `parallel` run; `meanwhile` while it does. RuntimeError after close()."""
        if self.owner != os.getpid():
            self.forget_parent()
        ticket = Ticket(program, partial(report, done), self.cancel)
        with self.lock:
            if self.closed:
                raise RuntimeError("this reactor is closed: make a new one")
            if self.thread is None:
                self.start_thread()
            if meanwhile is not None:
                self.inbox.append(partial(self.loop.meanwhile.append, partial(report, meanwhile)))
            self.send(partial(self.loop.waiting.append, ticket))
        return ticket

    def cancel(self, ticket: Ticket) -> None:
        if self.owner == os.getpid():
            with self.lock:
                if self.thread is not None:
                    self.send(partial(self.loop.cancel, ticket))

    def close(self) -> None:
        """End all that runs, as by cancellation, and the thread."""
        if self.owner != os.getpid():
            self.forget_parent()
        with self.lock:
            self.closed, thread = True, self.thread
            if thread is not None:
                self.send(self.loop.cancel_all)
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        atexit.unregister(self.close)

    def start_thread(self) -> None:
        self.bell, self.rope = os.pipe()
        os.set_blocking(self.bell, False)
        os.set_blocking(self.rope, False)
        self.loop.watch(self.bell, select.POLLIN, self.hear)
        # A daemon, so that a forgotten close() does not keep the host alive; atexit still ends its children.
        thread = threading.Thread(target=self.serve, name="tenterhook-reactor", daemon=True)
        try:
            self.thread = thread  # serve() takes it away when it ends
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
        try:
            os.write(self.rope, b"!")
        except BlockingIOError:  # full of calls already: it will look
            return

    def hear(self) -> None:
        os.read(self.bell, 65536)
        while self.inbox:
            self.inbox.popleft()()

    def serve(self) -> None:
        try:
            while not self.closed or self.inbox or self.loop.busy:
                self.loop.step()
        except BaseException:
            self.loop.abandon()
            raise
        finally:
            with self.lock:
                self.thread, self.closed = None, True
                close(self.bell, self.rope)
                self.bell = self.rope = -1

    def forget_parent(self) -> None:
        self.loop.abandon()
        close(self.bell, self.rope)
        self.begin_empty()


def report(done: Callable[..., object], *completed: Completed) -> None:
    """A callback that fails must not end the thread that serves all the others."""
    try:
        done(*completed)
    except Exception:
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

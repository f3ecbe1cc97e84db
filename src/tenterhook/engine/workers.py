"""Threads for calls that block. A call past its time is abandoned, counted, and its thread is used again when it ends.

Daemon threads, unlike concurrent.futures': a function that never returns must not keep the host from exiting. Two bare
locks hand a call over and back in 7 microseconds; a future and its condition take 13.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from tenterhook.engine.reentry import INSIDE

Function = Callable[[Any], Any]


class Worker:
    """One thread. `go` starts a call, `done` says that its result is there; both are held while nothing happens."""

    __slots__ = ("abandoned", "argument", "done", "function", "go", "pool", "result", "then")

    def __init__(self, pool: Workers) -> None:
        self.pool = pool
        self.go, self.done = threading.Lock(), threading.Lock()
        self.go.acquire()
        self.done.acquire()
        self.function: Function | None = None
        self.argument: Any = None
        self.then: Callable[[Any], None] | None = None
        self.result: Any = None
        self.abandoned = False
        threading.Thread(target=self.work, name="tenterhook-worker", daemon=True).start()

    def work(self) -> None:
        if self.pool.begin is not None:
            self.pool.begin()
        while True:
            self.go.acquire()
            if self.function is None:
                return
            INSIDE.set(mark := [True])  # everything that runs here is a hook
            try:
                self.result = self.function(self.argument)
            except BaseException as exc:
                self.result = exc
            mark.clear()
            self.function = self.argument = None
            if self.then:
                self.then(self.result)
                self.then = self.result = None  # an idle thread must not keep objects of the host alive
                self.pool.free(self)
                continue
            self.done.release()
            # The waiting caller or the thread itself takes `done` back; the one that does frees the thread.
            if self.abandoned and self.done.acquire(blocking=False):
                self.abandoned, self.result = False, None
                self.pool.free(self)


pools: weakref.WeakSet[Workers] = weakref.WeakSet()


def forget_threads() -> None:
    """Forget the idle threads after a fork: they do not exist in the child."""
    for pool in pools:
        pool.idle = []


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=forget_threads)


class Workers:
    """A pool of threads, one for each concurrent call; none before the first call."""

    # Called first in each thread.
    begin: Callable[[], object] | None = None

    def __init__(self) -> None:
        self.idle: list[Worker] = []
        self.abandoned = 0
        self.closed = False
        pools.add(self)

    def start(self, function: Function, argument: Any, then: Callable[[Any], None] | None = None) -> Worker:
        """Call a function in a thread. `then` gets the result there; without it, wait. An exception is a result."""
        try:
            worker = self.idle.pop()
        except IndexError:
            worker = Worker(self)
        worker.function, worker.argument, worker.then = function, argument, then
        worker.go.release()
        return worker

    def wait(self, worker: Worker, timeout: float | None) -> Any:
        """The call's result; None if it took too long, and then it is abandoned."""
        there = False
        try:
            there = worker.done.acquire(timeout=-1 if timeout is None else timeout)
        finally:  # also after Ctrl-C: the thread must become free again
            if not there:
                worker.abandoned = True
                there = worker.done.acquire(blocking=False)
        if not there:
            self.abandoned += 1
            return None
        worker.abandoned = False
        result, worker.result = worker.result, None
        self.idle.append(worker)
        if self.closed:
            self.close()
        return result

    def free(self, worker: Worker) -> None:
        """Make a thread available again, unless the pool was closed meanwhile."""
        self.idle.append(worker)
        if self.closed:
            self.close()

    def close(self) -> None:
        """End the idle threads; a thread that still runs a call ends with the process."""
        self.closed = True
        while True:
            try:
                worker = self.idle.pop()
            except IndexError:
                return
            worker.function = None
            worker.go.release()

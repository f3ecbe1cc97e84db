"""Threads for calls that block. A call past its time is abandoned, counted, and its thread used again when it ends.

Daemon threads, unlike concurrent.futures': a function that never returns must not keep the host from exiting. Two
bare locks hand a call over and back in 7 microseconds; a future and its condition take 13.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tenterhook.inside import INSIDE

Function = Callable[[Any], Any]


class Worker:
    """One thread. `go` starts a call, `done` says that its result is there; both are held while nothing happens."""

    __slots__ = ("abandoned", "argument", "done", "function", "go", "idle", "result", "then")

    def __init__(self, idle: list[Worker]) -> None:
        self.idle = idle
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
        INSIDE.set(True)  # whatever runs here is a hook
        while True:
            self.go.acquire()
            if self.function is None:
                return
            try:
                self.result = self.function(self.argument)
            except BaseException as exc:
                self.result = exc
            if self.then:
                self.then(self.result)
                self.idle.append(self)
                continue
            self.done.release()
            # Whoever gets `done` back, the one who waited or the thread itself, makes the thread free again.
            if self.abandoned and self.done.acquire(blocking=False):
                self.abandoned = False
                self.idle.append(self)


class Workers:
    """As many threads as there are calls at once; none before the first call."""

    def __init__(self) -> None:
        self.idle: list[Worker] = []
        self.abandoned = 0

    def start(self, function: Function, argument: Any, then: Callable[[Any], None] | None = None) -> Worker:
        """Call a function in a thread. `then` gets the result there; without it, wait. An exception is a result."""
        try:
            worker = self.idle.pop()
        except IndexError:
            worker = Worker(self.idle)
        worker.function, worker.argument, worker.then = function, argument, then
        worker.go.release()
        return worker

    def wait(self, worker: Worker, timeout: float | None) -> Any:
        """The call's result; None where it took too long, and then it is abandoned."""
        if not worker.done.acquire(timeout=-1 if timeout is None else timeout):
            worker.abandoned = True
            if not worker.done.acquire(blocking=False):
                self.abandoned += 1
                return None
            worker.abandoned = False
        result = worker.result
        self.idle.append(worker)
        return result

    def close(self) -> None:
        """End the threads that have nothing to do; one that still runs a call goes when the process does."""
        while self.idle:
            worker = self.idle.pop()
            worker.function = None
            worker.go.release()

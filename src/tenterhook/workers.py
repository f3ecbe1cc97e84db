"""Threads for calls that block. A call past its time is abandoned, counted, and its thread used again when it ends.

Daemon threads, unlike concurrent.futures': a function that never returns must not keep the host from exiting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any


class Call:
    """One call under way."""

    __slots__ = ("done", "function", "result", "then")

    def __init__(self, function: Callable[[], Any], then: Callable[[Any], None] | None) -> None:
        self.function, self.then = function, then
        self.result: Any = None
        self.done = threading.Lock()
        self.done.acquire()

    def finish(self, result: Any) -> None:
        self.result = result
        self.done.release()
        if self.then:
            self.then(result)


class Workers:
    """As many threads as there are calls at once; none before the first call."""

    def __init__(self) -> None:
        self.idle: list[SimpleQueue[Call | None]] = []
        self.lock = threading.Lock()
        self.abandoned = 0

    def start(self, function: Callable[[], Any], then: Callable[[Any], None] | None = None) -> Call:
        """Run a function that never raises in a thread; `then` is called there with its result."""
        call = Call(function, then)
        with self.lock:
            inbox = self.idle.pop() if self.idle else None
        if inbox is None:
            inbox = SimpleQueue()
            threading.Thread(target=self.work, args=(inbox,), name="tenterhook-worker", daemon=True).start()
        inbox.put(call)
        return call

    def wait(self, call: Call, timeout: float | None) -> bool:
        """Whether the call ended in time; if not, it is abandoned."""
        if call.done.acquire(timeout=-1 if timeout is None else timeout):
            return True
        self.abandoned += 1
        return False

    def work(self, inbox: SimpleQueue[Call | None]) -> None:
        while (call := inbox.get()) is not None:
            result = call.function()
            # Idle before done: whoever waits for this call finds this thread free for the next one.
            with self.lock:
                self.idle.append(inbox)
            call.finish(result)

    def close(self) -> None:
        with self.lock:
            inboxes, self.idle = self.idle, []
        for inbox in inboxes:
            inbox.put(None)

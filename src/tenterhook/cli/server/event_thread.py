"""Run a client's event, Python hooks included, in the client's own thread: handing a call to another thread and back
takes longer than most hooks.

A watchdog thread enforces time-outs. When a hook is late, another thread finishes the event as timed out and answers
the client; the late call keeps running, and its result is dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from math import inf
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tenterhook.engine.reentry import inside_a_hook
from tenterhook.engine.runner import patience
from tenterhook.pipeline.failure_policy import attempt_for_stuck_thread, attempt_from_exception
from tenterhook.runtime.process.client_gone import CALLER
from tenterhook.types import Attempt, Job, Outcome

if TYPE_CHECKING:
    from tenterhook.cli.server.protocol import ClientConnection
    from tenterhook.engine.engine import Engine, Flow


class Overtaken(BaseException):
    """Another thread has finished this event: the result here is dropped."""


class EventRun:
    """One event of one client. `finish` handles the outcome if another thread has to produce it."""

    def __init__(
        self,
        engine: Engine,
        watchdog: Watchdog,
        connection: ClientConnection,
        finish: Callable[[Callable[[], Outcome]], None],
    ) -> None:
        self.engine, self.watchdog, self.connection, self.finish = engine, watchdog, connection, finish
        self.flow: Flow | None = None

    def fire(self, event: str, data: dict[str, Any]) -> Outcome:
        """Fire like the engine does, except that Python hooks run in this thread."""
        flow = self.engine.begin_flow(event, data)
        if isinstance(flow, Outcome):
            return flow
        self.flow = flow
        before = EVENT_RUN.set(self)
        try:
            return self.engine.drive_flow(flow)
        finally:
            EVENT_RUN.reset(before)

    def finish_timed_out(self, job: Job) -> None:
        """Finish the event in another thread, in the late thread's context. The flow waits only for this job's
        attempt.
        """
        assert self.flow is not None
        flow = self.flow
        self.engine.give_up()
        self.finish(lambda: self.engine.drive_flow(flow, [attempt_for_stuck_thread(job)]))


EVENT_RUN: ContextVar[EventRun] = ContextVar("tenterhook.cli.server.turn")


def call(handler: ModuleType, job: Job) -> Attempt:
    """Run a Python hook in the client's own thread. Raises Overtaken if the watchdog has finished the event
    meanwhile.
    """
    run, seconds, context = EVENT_RUN.get(), patience(job), copy_context()
    context.run(CALLER.set, -1)  # a Python hook runs on even if its client has gone
    watched = None if seconds is None else run.watchdog.begin(run, job, seconds)
    result = context.run(run_handler_safely, handler, job)
    if watched and not run.watchdog.end(watched):
        raise Overtaken
    return result


def run_handler_safely(handler: ModuleType, job: Job) -> Attempt:
    """Never raises: a call that ended with an exception would stay on the watchdog's list."""
    with inside_a_hook():
        try:
            return handler.run(job)  # type: ignore[no-any-return]
        except BaseException as exc:
            return attempt_from_exception(job, exc)


class WatchedCall:
    """A call with a deadline, and the context that it was made in."""

    __slots__ = ("context", "job", "run", "until")

    def __init__(self, run: EventRun, job: Job, until: float) -> None:
        self.run, self.job, self.until = run, job, until
        self.context = copy_context()

    def finish_timed_out(self) -> None:
        self.context.run(self.run.finish_timed_out, self.job)


class Watchdog:
    """Passes late calls to `take_over`.

    It sleeps until the first deadline and checks then: waking it for each call would cost what this design saves.
    """

    def __init__(self, take_over: Callable[[WatchedCall], None]) -> None:
        self.take_over = take_over
        self.lock = threading.Lock()
        self.bell = threading.Event()
        self.calls: set[WatchedCall] = set()
        self.next = inf

    def start(self) -> None:
        threading.Thread(target=self.run, name="tenterhook clock", daemon=True).start()

    def begin(self, run: EventRun, job: Job, seconds: float) -> WatchedCall:
        one = WatchedCall(run, job, time.monotonic() + seconds)
        with self.lock:
            self.calls.add(one)
            first = one.until < self.next
            self.next = min(self.next, one.until)
        if first:
            self.bell.set()
        return one

    def end(self, one: WatchedCall) -> bool:
        """Whether the call ended in time: if it is still on the list, the watchdog has not taken it."""
        with self.lock:
            if one in self.calls:
                self.calls.remove(one)
                return True
            return False

    def run(self) -> None:
        while True:
            left = self.next - time.monotonic()
            self.bell.wait(None if left == inf else max(0.0, left))
            self.bell.clear()
            now = time.monotonic()
            with self.lock:
                late = [one for one in self.calls if one.until <= now]
                self.calls.difference_update(late)
                self.next = min((one.until for one in self.calls), default=inf)
            for one in late:
                self.take_over(one)

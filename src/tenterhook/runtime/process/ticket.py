"""One program of a caller, from the moment that it is requested."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from tenterhook.runtime.process.program import Completed, Program

if TYPE_CHECKING:
    from tenterhook.runtime.process.running import Running

NEVER_STARTED = Completed(error="cancelled", detail="cancelled by the host before it was started")


class TicketQueue(Protocol):
    """Serves a ticket once it has a slot."""

    def admit(self, ticket: Ticket) -> None: ...

    def cancel(self, ticket: Ticket) -> None: ...


class Ticket:
    """One program in a loop: waiting, running or done."""

    __slots__ = ("cancelled", "child", "done", "home", "outdated", "program", "retried")

    def __init__(self, program: Program, done: Callable[[Completed], None], home: TicketQueue | None = None) -> None:
        self.program, self.done, self.home = program, done, home
        self.child: Running | None = None
        self.retried = self.cancelled = self.outdated = False

    def cancel(self) -> None:
        """Cancel it, from any thread at any time; `done` gets error="cancelled" within 0.1 s, unless it was called
        before.
        """
        if self.home is not None:
            self.home.cancel(self)


def report(done: Callable[..., object], *completed: Completed) -> None:
    """Report a failing callback, which must not end the thread that serves all others."""
    try:
        done(*completed)
    except Exception:
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

"""The client that waits for a batch of programs: when it hangs up, they are ended, as on Ctrl-C."""

from __future__ import annotations

import select
from contextvars import ContextVar

# The descriptor of a connection on which only its end can still come.
CALLER: ContextVar[int] = ContextVar("tenterhook.caller")


# Seconds between two checks, if no poll includes it.
LOOK = 0.1


class CallerGone(BaseException):
    """The client has hung up. Not an Exception: like Ctrl-C it must pass through error handlers."""


def still_there(caller: int) -> None:
    """Raise CallerGone if the client has hung up."""
    poller = select.poll()
    poller.register(caller, select.POLLIN)
    if poller.poll(0):
        raise CallerGone

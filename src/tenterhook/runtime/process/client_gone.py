"""Who waits for a batch of programs: when it hangs up, they end, as they do when a command is ended itself."""

from __future__ import annotations

import select
from contextvars import ContextVar

# The descriptor of a connection on which nothing more comes but its end.
CALLER: ContextVar[int] = ContextVar("tenterhook.caller")


# Seconds between two looks at it, where nothing polls it.
LOOK = 0.1


class CallerGone(BaseException):
    """Nobody waits any more. No Exception: like Ctrl-C it is not for those who see to what goes wrong."""


def still_there(caller: int) -> None:
    """CallerGone where it has hung up."""
    poller = select.poll()
    poller.register(caller, select.POLLIN)
    if poller.poll(0):
        raise CallerGone

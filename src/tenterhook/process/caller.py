"""Who waits for a batch of programs: when it hangs up, they end, as they do when a command is ended itself."""

from __future__ import annotations

from contextvars import ContextVar

# The descriptor of a connection on which nothing more comes but its end.
CALLER: ContextVar[int] = ContextVar("tenterhook.caller")


class CallerGone(BaseException):
    """Nobody waits any more. No Exception: like Ctrl-C it is not for those who see to what goes wrong."""

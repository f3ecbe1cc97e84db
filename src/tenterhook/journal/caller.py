"""Which agent asked, where that is not the agent of the engine's dialect: a host that answers for many sets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct


class Caller(Struct, frozen=True):
    """The agent that called, and its version if it told it.

    `obeys` is what it does with each effect at this event (`{"deny": "enforced"}`), in the words of `tenter matrix`, or
    `refused` where the host refuses the operation instead; an effect that is not there is impossible. With `each` there
    is a line for every event, also where no hook ran.
    """

    agent: str
    version: str = ""
    obeys: Mapping[str, str] = {}
    each: bool = False


CALLER: ContextVar[Caller | None] = ContextVar("CALLER", default=None)


@contextmanager
def called_by(caller: Caller) -> Iterator[None]:
    """The journal says of the events fired here that this agent asked."""
    token = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(token)

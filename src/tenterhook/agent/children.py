"""A child process for a tool, awaited: cancelled, the child ends with all its descendants before we go on."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenterhook.process import Completed, Program, Reactor

lock = threading.Lock()
reactors: list[Reactor] = []


async def completed(program: Program) -> Completed:
    import asyncio

    from tenterhook.runner import hand_over

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    ticket = reactor().submit(program, partial(hand_over, loop, future))
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        ticket.cancel()
        await future
        raise


def reactor() -> Reactor:
    """One for all: its thread starts with the first child."""
    from tenterhook.process import Reactor

    with lock:
        if not reactors or reactors[-1].closed:
            reactors[:] = [Reactor()]
        return reactors[-1]

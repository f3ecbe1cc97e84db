"""A child process for a tool: one reactor for all of them, whose thread starts with the first child."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tenterhook.runtime.asyncio_bridge import await_child

if TYPE_CHECKING:
    from tenterhook.runtime.process import Completed, Program, Reactor

lock = threading.Lock()
reactors: list[Reactor] = []


async def run_to_completion(program: Program) -> Completed:
    """Wait for its end; if cancelled, it is ended with all its descendants first."""
    return await await_child(reactor().submit, program)


def reactor() -> Reactor:
    from tenterhook.runtime.process import Reactor

    with lock:
        if not reactors or reactors[-1].closed:
            reactors[:] = [Reactor()]
        return reactors[-1]

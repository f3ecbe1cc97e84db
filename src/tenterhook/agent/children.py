"""A child process for a tool: one reactor for all of them, whose thread starts with the first child."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tenterhook.runner import awaited

if TYPE_CHECKING:
    from tenterhook.process import Completed, Program, Reactor

lock = threading.Lock()
reactors: list[Reactor] = []


async def completed(program: Program) -> Completed:
    """Its end; cancelled, it ends with all its descendants before we go on."""
    return await awaited(reactor().submit, program)


def reactor() -> Reactor:
    from tenterhook.process import Reactor

    with lock:
        if not reactors or reactors[-1].closed:
            reactors[:] = [Reactor()]
        return reactors[-1]

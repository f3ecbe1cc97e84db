"""A child process for a tool: one reactor for all of them, whose thread starts with the first child.

Where there is a helper it starts the children, so that they end with us, even if we are killed.
"""

from __future__ import annotations

import sys
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
    from tenterhook.runtime.supervisor.client import helper

    with lock:
        if not reactors or reactors[-1].closed:
            reactors[:] = [Reactor(helper=helper("auto") if sys.platform == "linux" else None)]
        return reactors[-1]

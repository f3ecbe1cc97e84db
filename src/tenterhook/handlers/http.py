"""A URL: the event is sent to it as JSON, and the JSON object that comes back is the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenterhook.handlers import Traits
from tenterhook.types import Attempt, Job

if TYPE_CHECKING:
    from tenterhook.clients.connection import Connection

TRAITS = Traits(
    about="the event is sent to a URL, the response is the answer",
    options=("headers", "loopback", "private", "connect_timeout", "unlisted"),
    failures=("network", "output", "timeout"),
    reads_answer=True,
    leeway=0.5,
)


def run(job: Job) -> Attempt:
    from tenterhook.clients.hook_request import send_hook_request

    return send_hook_request(job, connection_for(job))


async def arun(job: Job) -> Attempt:
    """The same for the caller's loop, from a thread. If cancelled, the connection ends, and the thread with it."""
    import asyncio
    from threading import Thread

    from tenterhook.clients.hook_request import send_hook_request
    from tenterhook.runtime.asyncio_bridge import call_handler_safely, hand_over

    line = connection_for(job)
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Attempt] = loop.create_future()

    def work() -> None:
        hand_over(loop, future, call_handler_safely(lambda job: send_hook_request(job, line), job))

    Thread(target=work, name="tenterhook-http", daemon=True).start()
    try:
        return await future
    except asyncio.CancelledError:
        line.end()
        raise


def connection_for(job: Job) -> Connection:
    """Not connected yet; the time-out counts from now."""
    from tenterhook.clients.connection import Connection
    from tenterhook.clients.hook_request import TOTAL, WIRE

    return Connection(job.timeout or TOTAL, WIRE)

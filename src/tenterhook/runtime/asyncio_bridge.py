"""Between child processes or threads and an event loop: results handed over, cancellation passed on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tenterhook.pipeline.failure_policy import attempt_from_exception
from tenterhook.types import Job

if TYPE_CHECKING:
    import asyncio

    from tenterhook.runtime.process import Completed, Program, Ticket


async def await_child(submit: Callable[..., Ticket], program: Program, meanwhile: Any = None) -> Completed:
    """A child's end. Cancelled, the child ends with all its descendants before we go on."""
    import asyncio

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Completed] = loop.create_future()
    ticket = submit(program, partial(hand_over, loop, future), meanwhile)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        ticket.cancel()
        await future
        raise


def hand_over(loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], result: Any) -> None:
    """Give a result to a loop that may be closed, or no longer interested, by now."""

    def settle() -> None:
        if not future.done():
            future.set_result(result)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return


def call_handler_safely(function: Callable[[Job], Any], job: Job) -> Any:
    """A handler that raises is a fault of ours; it fails the hook, not the host."""
    try:
        return function(job)
    except Exception as exc:
        return attempt_from_exception(job, exc)

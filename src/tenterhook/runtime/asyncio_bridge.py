"""Connects child processes and threads to an event loop: hands over results, passes on cancellation."""

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
    """Wait for a child to end. If cancelled, the child and all its descendants are ended first."""
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
    """Give a result to a loop that may be closed, or to a future that may be cancelled, by now."""

    def settle() -> None:
        if not future.done():
            future.set_result(result)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return


def call_handler_safely(function: Callable[[Job], Any], job: Job) -> Any:
    """Call a handler. One that raises has a bug of ours; that fails the hook, not the host."""
    try:
        return function(job)
    except Exception as exc:
        return attempt_from_exception(job, exc)

"""The pieces of a streamed response as they come, while hooks around the whole call wait for its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class LiveUpdates(Generic[Result]):
    """Iterates over everything that `work` passes to its argument; `result` is what `work` returned, at the end."""

    result: Result

    def __init__(self, work: Callable[[Callable[[Any], None]], Awaitable[Result]]) -> None:
        self.work = work

    async def __aiter__(self) -> AsyncIterator[Any]:
        queue: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()

        async def run() -> None:
            try:
                self.result = await self.work(lambda update: queue.put_nowait((update,)))
            finally:
                queue.put_nowait(())

        task = asyncio.create_task(run())
        try:
            while update := await queue.get():
                yield update[0]
            await task
        finally:
            task.cancel()

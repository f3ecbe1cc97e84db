"""The one seam through which every handler is called: jobs in, attempts out, nothing raised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tenterhook import handlers
from tenterhook.types import Attempt, Job
from tenterhook.workers import Worker, Workers

if TYPE_CHECKING:
    import asyncio

    from tenterhook.process import Reactor

# A function's own time-out ends it where it can be ended; the thread is given up a little later.
ABANDON = 0.05


class Runner:
    """Runs the jobs of a batch together: children in the calling thread, calls that block in threads."""

    def __init__(self, parallel: int = 64) -> None:
        self.parallel = parallel
        self.workers = Workers()
        self.reactor: Reactor | None = None

    def together(self, jobs: Sequence[Job]) -> list[Attempt]:
        """All jobs at once, from the calling thread."""
        if len(jobs) == 1 and (handler := handlers.get(jobs[0].hook.handler)) and not hasattr(handler, "program"):
            return [self.call(handler, jobs[0])]
        results: list[Attempt | None] = [None] * len(jobs)
        calls: list[tuple[int, Worker]] = []
        inline: list[tuple[int, ModuleType]] = []
        children: list[tuple[int, ModuleType]] = []
        batch = None
        for n, job in enumerate(jobs):
            handler = handlers.get(job.hook.handler)
            if handler is None:
                results[n] = no_handler(job)
            elif hasattr(handler, "program"):
                program = guarded(handler.program, job)
                if isinstance(program, Attempt):
                    results[n] = program
                    continue
                if batch is None:
                    from tenterhook.process import Batch

                    batch = Batch(self.parallel)
                batch.add(program)
                children.append((n, handler))
            elif handler.inline(job):
                inline.append((n, handler))
            else:
                calls.append((n, self.workers.start(partial(guarded, handler.run, job))))
        for n, handler in inline:
            results[n] = guarded(handler.run, jobs[n])
        if batch is not None:
            for (n, handler), completed in zip(children, batch.wait(), strict=True):
                results[n] = handler.attempt(jobs[n], completed)
        for n, call in calls:
            results[n] = self.collect(call, jobs[n])
        return results  # type: ignore[return-value]

    def call(self, handler: ModuleType, job: Job) -> Attempt:
        if handler.inline(job):
            return guarded(handler.run, job)  # type: ignore[no-any-return]
        return self.collect(self.workers.start(partial(guarded, handler.run, job)), job)

    def collect(self, worker: Worker, job: Job) -> Attempt:
        limit = None if job.timeout is None else job.timeout + ABANDON
        return self.workers.wait(worker, limit) or abandoned(job)

    async def atogether(self, jobs: Sequence[Job]) -> list[Attempt]:
        """All jobs at once, without blocking the caller's loop. Cancelled, it ends what it started first."""
        if len(jobs) == 1:
            return [await self.acall(jobs[0])]
        import asyncio

        tasks = [asyncio.ensure_future(self.acall(job)) for job in jobs]
        try:
            return list(await asyncio.gather(*tasks))
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    async def acall(self, job: Job) -> Attempt:
        handler = handlers.get(job.hook.handler)
        if handler is None:
            return no_handler(job)
        if hasattr(handler, "program"):
            return await self.achild(handler, job)
        if hasattr(handler, "arun") and await self.in_thread(partial(guarded, handler.awaits, job), job, quick(job)):
            return await handler.arun(job)  # type: ignore[no-any-return]
        if handler.inline(job):
            return guarded(handler.run, job)  # type: ignore[no-any-return]
        result = await self.in_thread(partial(guarded, handler.run, job), job)
        return result if isinstance(result, Attempt) else abandoned(job)

    async def achild(self, handler: ModuleType, job: Job) -> Attempt:
        import asyncio

        program = guarded(handler.program, job)
        if isinstance(program, Attempt):
            return program
        if self.reactor is None:
            from tenterhook.process import Reactor

            self.reactor = Reactor(self.parallel)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        ticket = self.reactor.submit(program, partial(hand_over, loop, future))
        try:
            completed = await asyncio.shield(future)
        except asyncio.CancelledError:
            ticket.cancel()
            await future
            raise
        return handler.attempt(job, completed)  # type: ignore[no-any-return]

    async def in_thread(self, function: Callable[[], Any], job: Job, here: bool = False) -> Any:
        """The function's result, from a thread; None where it took longer than the hook may."""
        if here:
            return function()
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self.workers.start(function, partial(hand_over, loop, future))
        try:
            async with asyncio.timeout(None if job.timeout is None else job.timeout + ABANDON):
                return await future
        except TimeoutError:
            self.workers.abandoned += 1
            return None

    def close(self) -> None:
        self.workers.close()
        if self.reactor is not None:
            self.reactor.close()
            self.reactor = None


def quick(job: Job) -> bool:
    """Whether finding out what the function is can import nothing, and so needs no thread."""
    return callable(job.hook.spec["main"])


def hand_over(loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], result: Any) -> None:
    """Give a result to a loop that may be closed, or no longer interested, by now."""

    def settle() -> None:
        if not future.done():
            future.set_result(result)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return


def guarded(function: Callable[[Job], Any], job: Job) -> Any:
    """A handler that raises is a fault of ours; it fails the hook, not the host."""
    try:
        return function(job)
    except Exception as exc:
        detail = f"{type(exc).__name__}: {exc}"
        return Attempt(job.hook.name, job.hook.handler, str(job.hook.source), error="exception", detail=detail)


def no_handler(job: Job) -> Attempt:
    hook = job.hook
    detail = f"this version has no handler for hooks of type {hook.handler!r}"
    return Attempt(hook.name, hook.handler, str(hook.source), error="spawn", detail=detail)


def abandoned(job: Job) -> Attempt:
    hook = job.hook
    detail = f"timed out after {job.timeout:g} s; the function cannot be ended and was left running in its thread"
    return Attempt(hook.name, hook.handler, str(hook.source), error="timeout", detail=detail, seconds=job.timeout or 0)

"""Run hooks: every handler is called here. Jobs in, attempts out, nothing raised."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from tenterhook import handlers
from tenterhook.engine.reentry import INSIDE, inside_a_hook
from tenterhook.engine.workers import Worker, Workers
from tenterhook.pipeline.failure_policy import attempt_for_stuck_thread, attempt_from_exception, no_handler
from tenterhook.runtime.asyncio_bridge import await_child, call_handler_safely, hand_over
from tenterhook.types import Attempt, Job

if TYPE_CHECKING:
    import asyncio

    from tenterhook.runtime.process import Batch
    from tenterhook.runtime.process.pool import Pool, QueuedBatch
    from tenterhook.runtime.supervisor.client import Helper

Made = TypeVar("Made")


class Runner:
    """Runs the jobs of a batch together: children in the calling thread, calls that block in threads."""

    # Runs a blocking call that is alone in its batch and has no approval to check; None: a thread does.
    aside: Callable[[ModuleType, Job], Attempt] | None = None

    def __init__(self, parallel: int = 64, supervisor: str = "off") -> None:
        self.parallel, self.supervisor = parallel, supervisor
        self.workers = Workers()
        self.lock = threading.Lock()
        self.closed = False
        # Made for the first child. The finalizer ends idle threads of an engine that is dropped without close().
        self.pools: list[Pool] = []
        weakref.finalize(self, end, self.workers, self.pools).atexit = False

    def together(self, jobs: Sequence[Job], meanwhile: Callable[[Job], object] | None = None) -> list[Attempt]:
        """Run all jobs at once, from the calling thread; `meanwhile` is called with one while its process runs."""
        for job in jobs:
            if checks_seal(job):
                from tenterhook.trust.seal import run_sealed_jobs

                return run_sealed_jobs(jobs, partial(self.at_once, meanwhile=meanwhile))
        if self.aside and len(jobs) == 1 and blocks(jobs[0]):
            return [self.aside(handler_of(jobs[0]), jobs[0])]
        return self.at_once(jobs, meanwhile)

    def at_once(self, jobs: Sequence[Job], meanwhile: Callable[[Job], object] | None = None) -> list[Attempt]:
        """Run jobs without checking approvals; the caller has checked them."""
        if len(jobs) == 1:
            one = jobs[0]
            return [self.child(one, meanwhile) if handlers.starts_child(one.hook.handler) else self.call(one)]
        results: dict[int, Attempt] = {}
        children = {n: job for n, job in enumerate(jobs) if handlers.starts_child(job.hook.handler)}
        began = time.monotonic()
        waiting = {n: self.in_worker(handler_of(job), job) for n, job in enumerate(jobs) if blocks(job)}
        batch = self.started(children, results) if children else None
        if batch and meanwhile:
            batch.meanwhile(partial(meanwhile, jobs[0]))
        try:
            for n, job in enumerate(jobs):
                if n not in children and n not in waiting and n not in results:
                    results[n] = self.call(job)
        except BaseException:
            if batch:
                batch.end_all()
            raise
        for (n, job), completed in zip(children.items(), batch.wait() if batch else (), strict=True):
            results[n] = handler_of(job).attempt(job, completed)
        for n, worker in waiting.items():
            results[n] = self.collect(worker, jobs[n], began)
        return [results[n] for n in range(len(jobs))]

    def child(self, job: Job, meanwhile: Callable[[Job], object] | None) -> Attempt:
        """One child process, as most events have."""
        self.rouse(job)
        handler = handler_of(job)
        program = call_handler_safely(handler.program, job)
        if isinstance(program, Attempt):
            return program
        batch = self.pool().start([program])
        if meanwhile:
            batch.meanwhile(partial(meanwhile, job))
        return handler.attempt(job, batch.wait()[0])  # type: ignore[no-any-return]

    def started(self, children: dict[int, Job], results: dict[int, Attempt]) -> Batch | QueuedBatch | None:
        """Start the child processes. One that cannot even be tried gets its result here and is no longer a child."""
        self.rouse(next(iter(children.values())))
        programs = []
        for n, job in list(children.items()):
            program = call_handler_safely(handler_of(job).program, job)
            if isinstance(program, Attempt):
                results[n] = program
                del children[n]
            else:
                programs.append(program)
        return self.pool().start(programs) if programs else None

    def call(self, job: Job) -> Attempt:
        handler = handlers.get(job.hook.handler)
        if handler is None:
            return no_handler(job)
        if not handlers.inline(job.hook.handler)(job):
            return self.collect(self.in_worker(handler, job), job)
        mark = [True]  # as inside_a_hook does, without the microsecond that a context manager costs
        before = INSIDE.set(mark)
        try:
            return call_handler_safely(handler.run, job)  # type: ignore[no-any-return]
        finally:
            mark.clear()
            INSIDE.reset(before)

    def in_worker(self, handler: ModuleType, job: Job) -> Worker | Attempt:
        try:
            return self.workers.start(handler.run, job)
        except RuntimeError as exc:  # no more threads
            return attempt_from_exception(job, exc)

    def collect(self, worker: Worker | Attempt, job: Job, began: float = 0.0) -> Attempt:
        """Wait for a call. Its time counts from its start, which may be before other calls were collected."""
        if isinstance(worker, Attempt):
            return worker
        left = patience(job)
        if began and left is not None:
            left = max(0.0, began + left - time.monotonic())
        result = self.workers.wait(worker, left)
        if result is None:
            return attempt_for_stuck_thread(job)
        return attempt_from_exception(job, result) if isinstance(result, BaseException) else result

    async def atogether(self, jobs: Sequence[Job], meanwhile: Callable[[Job], object] | None = None) -> list[Attempt]:
        """Run all jobs at once, without blocking the caller's loop. If cancelled, it first ends what it started."""
        if len(jobs) == 1:
            return [await self.acall(jobs[0], meanwhile)]
        import asyncio

        tasks = [asyncio.ensure_future(self.acall(job, meanwhile)) for job in jobs]
        try:
            return list(await asyncio.gather(*tasks))
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    async def acall(self, job: Job, meanwhile: Callable[[Job], object] | None = None) -> Attempt:
        if checks_seal(job):
            from tenterhook.trust.seal import arun_sealed_job

            return await arun_sealed_job(job, partial(self.acall_now, meanwhile=meanwhile))
        return await self.acall_now(job, meanwhile)

    async def acall_now(self, job: Job, meanwhile: Callable[[Job], object] | None = None) -> Attempt:
        """Run a job without checking its approval; the caller has checked it."""
        handler = handlers.get(job.hook.handler)
        if handler is None:
            return no_handler(job)
        if handlers.starts_child(job.hook.handler):
            return await self.achild(handler, job, meanwhile)
        awaits = hasattr(handler, "arun") and await self.awaits(handler, job)
        if awaits is None:
            return attempt_for_stuck_thread(job)
        if awaits:
            with inside_a_hook():
                return await guarded_too(handler.arun, job)
        if handlers.inline(job.hook.handler)(job):
            return self.call(job)
        result = await self.in_thread(handler.run, job)
        if result is None:
            return attempt_for_stuck_thread(job)
        return attempt_from_exception(job, result) if isinstance(result, BaseException) else result

    async def awaits(self, handler: ModuleType, job: Job) -> bool | None:
        """Whether the call can run on the caller's loop; None if its time-out passed before that was known.

        A handler that does not say otherwise always can. Finding out may need an import, which is done off the loop.
        """
        if not hasattr(handler, "awaits"):
            return True
        if callable(job.hook.spec["main"]):
            return bool(handler.awaits(job))
        known = await self.in_thread(handler.awaits, job)
        return None if known is None else known is True

    async def achild(self, handler: ModuleType, job: Job, meanwhile: Callable[[Job], object] | None = None) -> Attempt:
        self.rouse(job)
        program = call_handler_safely(handler.program, job)
        if isinstance(program, Attempt):
            return program
        try:
            completed = await await_child(self.pool().submit, program, meanwhile and partial(meanwhile, job))
        except RuntimeError as exc:  # no more threads
            return attempt_from_exception(job, exc)
        return handler.attempt(job, completed)  # type: ignore[no-any-return]

    def rouse(self, job: Job) -> None:
        """Wake the helper that starts child processes while we build the program to start."""
        if self.pools and (helping := self.pools[0].helping):
            helping.rouse(job.profile)

    def pool(self) -> Pool:
        """The pool of all child processes of this engine, made on first use."""
        with self.lock:
            if not self.pools:
                from tenterhook.runtime.process.pool import Pool

                self.pools.append(Pool(self.parallel, self.supervisor))
            return self.pools[0]

    def helper(self) -> Helper | None:
        """The helper that starts and ends child processes; None if this process does it."""
        return self.pool().helper()

    def release(self) -> None:
        """Let processes that hooks left behind go on, for a command that ends with its event."""
        if self.pools and (helping := self.pools[0].helping):
            helping.release()

    async def in_thread(self, function: Callable[[Job], Any], job: Job) -> Any:
        """The function's result, from a thread; None if it took longer than the hook may."""
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        try:
            self.workers.start(function, job, partial(hand_over, loop, future))
        except RuntimeError as exc:  # no more threads
            return exc
        try:
            async with asyncio.timeout(patience(job)):
                return await future
        except TimeoutError:
            self.workers.abandoned += 1
            return None
        except asyncio.CancelledError:
            self.workers.abandoned += 1
            raise

    async def in_a_thread(self, function: Callable[[], Any]) -> Any:
        """Call a host's function in a thread and the caller's context. If cancelled, it is left running and counted."""
        import asyncio

        try:
            return await self.off_loop(function)
        except asyncio.CancelledError:
            self.workers.abandoned += 1
            raise

    async def off_loop(self, function: Callable[[], Made]) -> Made:
        """The function's result, from a thread and in the caller's context."""
        import asyncio
        from contextvars import copy_context

        loop, context = asyncio.get_running_loop(), copy_context()
        future: asyncio.Future[Any] = loop.create_future()
        self.workers.start(partial(run_catching, context.run), function, partial(hand_over, loop, future))
        value, exc = await future
        if exc is not None:
            raise exc
        return value  # type: ignore[no-any-return]

    def close(self) -> None:
        self.closed = True
        end(self.workers, self.pools)


def end(workers: Workers, pools: list[Pool]) -> None:
    workers.close()
    for pool in pools:
        pool.close()


def handler_of(job: Job) -> Any:
    """The handler of a job that is known to have one."""
    return handlers.get(job.hook.handler)


def checks_seal(job: Job) -> bool:
    """Whether the job has an approval to check here; most have none, and then no code for it is loaded."""
    if job.hook.seal is None:
        return False
    from tenterhook.trust.seal import seal_to_check

    return seal_to_check(job) is not None


def blocks(job: Job) -> bool:
    """Whether the job is a call that needs a thread of its own."""
    name = job.hook.handler
    return handlers.get(name) is not None and not handlers.starts_child(name) and not handlers.inline(name)(job)


def run_catching(
    run: Callable[[Callable[[], Any]], Any], function: Callable[[], Any]
) -> tuple[Any, BaseException | None]:
    try:
        return run(function), None
    except BaseException as exc:
        return None, exc


async def guarded_too(function: Callable[[Job], Awaitable[Attempt]], job: Job) -> Attempt:
    try:
        return await function(job)
    except Exception as exc:
        return attempt_from_exception(job, exc)


def patience(job: Job) -> float | None:
    """Seconds that we wait for a call; None for as long as it takes."""
    return None if job.timeout is None else job.timeout + handlers.traits(job.hook.handler).leeway

"""Several tool calls of one reply at once: each has a state, and results come in the order of the calls.

    validating -> executing (-> awaiting_approval -> executing) -> success | idle | error | cancelled

A call that hooks blocked ends as `idle`: its result, the reason, is kept and published like any other, so that the
model sees it. It is never tried again; the model decides what to do about it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from tenterhook.errors import UsageError, nearest
from tenterhook.hosts.result import ToolError, ToolResult
from tenterhook.hosts.steps import Host, adrive
from tenterhook.hosts.tool import Tool
from tenterhook.support import logs

log = logs.redacting_logger("tenterhook.scheduler")

# The state in which a call ends, by the type of its result's error; any other type is an error.
ENDS = {"blocked": "idle", "stopped": "idle", "refused": "cancelled", "cancelled": "cancelled"}
STOPPED = "the agent was stopped before this call began"
CANCELLED = "the call was cancelled"


class ToolCall(Struct, frozen=True):
    """A call as a model asks for it. Some APIs give its input as JSON text, which is accepted too."""

    name: str
    input: dict[str, Any] | str
    id: str = ""


class Progress:
    """The progress of one call."""

    def __init__(self, call: ToolCall) -> None:
        self.call, self.state = call, ""
        self.result: ToolResult | None = None
        self.task: asyncio.Task[None] | None = None
        self.cancelled = ""
        self.input: dict[str, Any] = {}  # after the hooks so far
        self.running = self.finished = False


class Scheduler:
    """`changed` is called with every new state, `publish` with every result, in the order of the calls."""

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        host: Host | None = None,
        parallel: int = 8,
        changed: Callable[[Progress], object] | None = None,
        publish: Callable[[ToolCall, ToolResult], object] | None = None,
    ) -> None:
        self.tools: dict[str, Tool] = {}
        for tool in tools:
            if not isinstance(tool, Tool):
                raise UsageError(f"a tool is needed, @engine.tool(NAME), not {tool!r}")
            if tool.name in self.tools:
                raise UsageError(f"two tools are called {tool.name!r}")
            self.tools[tool.name] = tool if host is None or tool.host is host else tool.of(host)
        if not isinstance(parallel, int):
            raise UsageError(f"parallel must be a whole number, not {parallel!r}")
        self.parallel, self.changed, self.publish = max(1, parallel), changed, publish
        self.calls: list[Progress] = []

    def run(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        """Run the calls from a thread without an event loop."""
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            raise UsageError("an event loop runs here already: await arun(...) instead")
        return asyncio.run(self.arun(calls))

    async def arun(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        """Run all calls, a limited number at once; their results are in the order of the calls."""
        if odd := [call for call in calls if not (isinstance(call, ToolCall) and isinstance(call.name, str))]:
            raise UsageError(f"a call is a ToolCall(name, input, id), not {odd[0]!r}")
        mine = [Progress(call) for call in calls]
        self.calls += mine
        slots = asyncio.Semaphore(self.parallel)
        for one in mine:
            one.task = asyncio.ensure_future(self.one(one, mine, slots))
        try:
            for one in mine:  # buffered: a later call that is done first waits for those before it
                await self.settled(one)
                if one.result is not None and (tool := self.tools.get(one.call.name)):
                    one.result = tool.received(one.result)
                self.tell(self.publish, one.call, one.result)
        finally:
            tasks = [one.task for one in mine if one.task]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.calls = [one for one in self.calls if one not in mine]
        return [one.result for one in mine if one.result is not None]

    async def settled(self, one: Progress) -> None:
        """Wait until the call has its result, even if the user cancelled it."""
        task = one.task
        assert task is not None
        await asyncio.wait([task])
        if one.result is None and one.cancelled:
            await self.report_interruption(one)
        if one.result is None:
            task.result()  # a tool's failure does not get here; a bug of ours must not be silent

    async def one(self, one: Progress, all: Sequence[Progress], slots: asyncio.Semaphore) -> None:
        """Run one call. If the user cancels it, it ends at once; its result still waits for its place."""
        try:
            await self.made(one, all, slots)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not one.cancelled or task is None or task.uncancel():
                raise
            await self.report_interruption(one)

    async def made(self, one: Progress, all: Sequence[Progress], slots: asyncio.Semaphore) -> None:
        async with slots:
            tool = self.tools.get(one.call.name)
            if any(other.result is not None and other.result.stop for other in all):
                return self.end(one, without(STOPPED, "cancelled"))
            if tool is None:
                text = f"there is no tool {one.call.name!r}{nearest(one.call.name, self.tools)}"
                return self.end(one, without(text, "unknown_tool"))

            def note(state: str, input: dict[str, Any]) -> None:
                one.running, one.finished, one.input = state == "running", state == "finished", input
                self.enter(one, "executing" if one.running or one.finished else state)

            result = await adrive(tool.host, tool.asked(one.call.input, one.call.id, note))
        return self.end(one, result)

    def cancel(self, id: str, reason: str = CANCELLED) -> bool:
        """Cancel one call for the user, on the scheduler's own loop; false if it is too late: the tool has run."""
        for one in self.calls:
            if id and one.call.id == id and one.result is None and one.task and not (one.cancelled or one.finished):
                one.cancelled = reason or CANCELLED
                return one.task.cancel()
        return False

    async def report_interruption(self, one: Progress) -> None:
        """Run the failure hooks of a tool that was running; one that had not begun has not failed."""
        result = without(one.cancelled, "cancelled")
        tool = self.tools.get(one.call.name)
        if one.running and tool:
            result = await adrive(tool.host, tool.unsuccessful(result, one.input, one.call.id, ()))
        self.end(one, result)

    def end(self, one: Progress, result: ToolResult) -> None:
        one.result = result
        self.enter(one, ENDS.get(result.error.type, "error") if result.error else "success")

    def enter(self, one: Progress, state: str) -> None:
        if one.state != state:
            one.state = state
            self.tell(self.changed, one)

    def tell(self, callback: Callable[..., object] | None, *what: Any) -> None:
        if callback is None:
            return
        try:
            callback(*what)
        except Exception:
            log.exception("a callback of the scheduler failed; the calls go on")


def without(text: str, kind: str) -> ToolResult:
    """The result of a call that was not made."""
    return ToolResult(text, text, error=ToolError(text, kind))

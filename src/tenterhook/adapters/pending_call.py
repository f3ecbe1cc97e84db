"""A tool call in two halves, for SDKs that ask before a tool runs and after it.

    call = PendingCall(session, "Bash", {"command": "ls"}, id="1")
    if call.begin() is None:  # else its result is a refusal, and the tool does not run
        call.finish(run(**call.input))
    call.result.llm_content

The steps are those of `hosts.tool`; here they stop where the tool itself runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tenterhook.hosts.steps import Call, Fire, acall_step, afire_step, call_step, fire_step
from tenterhook.hosts.tool import Tool, accept_any_input, silent

if TYPE_CHECKING:
    from tenterhook.clients.tool_inputs import Input
    from tenterhook.hosts.permission import Ask
    from tenterhook.hosts.result import ToolResult
    from tenterhook.hosts.steps import Host


class PendingCall:
    """`input` is what the tool gets, after `begin`. `result` is there when the call is over.

    `suspends` are exceptions with which the SDK's own approval leaves a call: they go through, and the next `begin`
    asks again, without running hooks twice.
    """

    def __init__(
        self,
        host: Host,
        name: str,
        input: Input | str,
        *,
        id: str = "",
        permission: Ask | None = None,
        suspends: type[BaseException] | tuple[type[BaseException], ...] = (),
    ) -> None:
        self.host, self.suspends = host, suspends
        self.tool = SdkTool(host, name, permission) if permission else tool_of(host, name)
        self.steps = self.tool.asked(input, id, silent)
        self.step: Fire | Call | None = None
        self.input: Input = {}
        self.result: ToolResult | None = None

    @property
    def quiet(self) -> bool:
        """Whether no hook listens: then the SDK may run the tool as it is."""
        listens = self.tool.engine.listens
        return not (
            self.tool.is_out_of_turn() or listens("tool.before") or listens("tool.after") or listens("tool.failed")
        )

    def begin(self) -> ToolResult | None:
        """Run the hooks before the tool, and ask for permission. Returns the refusal, or None if the tool may run."""
        return self.advance(lambda: self.step or next(self.steps))

    def finish(self, value: Any) -> ToolResult:
        """Run the hooks on what the tool returned."""
        return self.over(self.advance(lambda: self.steps.send(value)))

    def fail(self, exc: BaseException) -> ToolResult:
        """Run the hooks on the tool's failure."""
        return self.over(self.advance(lambda: self.steps.throw(exc)))

    async def abegin(self) -> ToolResult | None:
        return await self.aadvance(lambda: self.step or next(self.steps))

    async def afinish(self, value: Any) -> ToolResult:
        return self.over(await self.aadvance(lambda: self.steps.send(value)))

    async def afail(self, exc: BaseException) -> ToolResult:
        return self.over(await self.aadvance(lambda: self.steps.throw(exc)))

    def advance(self, resume: Callable[[], Fire | Call]) -> ToolResult | None:
        try:
            self.step = resume()
            while not self.at_tool():
                try:
                    value = fire_step(self.host, self.step) if self.step.__class__ is Fire else call_step(self.step)
                except self.suspends:
                    raise
                except BaseException as exc:
                    self.step = self.steps.throw(exc)
                else:
                    self.step = self.steps.send(value)
        except StopIteration as done:
            self.result = self.tool.received(done.value)
        return self.result

    async def aadvance(self, resume: Callable[[], Fire | Call]) -> ToolResult | None:
        try:
            self.step = resume()
            while not self.at_tool():
                try:
                    fires = self.step.__class__ is Fire
                    value = await (afire_step if fires else acall_step)(self.host, self.step)
                except self.suspends:
                    raise
                except BaseException as exc:
                    self.step = self.steps.throw(exc)
                else:
                    self.step = self.steps.send(value)
        except StopIteration as done:
            self.result = self.tool.received(done.value)
        return self.result

    def at_tool(self) -> bool:
        """Whether the next step is the tool itself, which the SDK runs."""
        step: Any = self.step
        if step.__class__ is not Call or step.function is not refuse_to_run:
            return False
        self.input = step.kwargs
        return True

    def over(self, result: ToolResult | None) -> ToolResult:
        assert result is not None, "the tool ran once, so its call is over"
        return result


class SdkTool(Tool):
    """A tool that the SDK runs; hooks see any input."""

    places = None  # refuse_to_run takes every input by name, so no signature is looked at

    def __init__(self, host: Host, name: str, permission: Ask | None) -> None:
        super().__init__(host, name, refuse_to_run, schema=accept_any_input, permission=permission or host.ask)


TOOLS: WeakKeyDictionary[Host, dict[str, SdkTool]] = WeakKeyDictionary()


def tool_of(host: Host, name: str) -> SdkTool:
    """The tool of that name, made once for each host."""
    tools = TOOLS.setdefault(host, {})
    return tools.get(name) or tools.setdefault(name, SdkTool(host, name, None))


def refuse_to_run(**input: Any) -> Any:
    """Marks the step at which the SDK runs the tool; it is never called."""
    raise AssertionError("an adapter runs the tool itself")

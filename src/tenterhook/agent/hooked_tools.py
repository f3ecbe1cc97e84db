"""A tool definition as a tool of a conversation: with hooks, with the dialect's input names, without forged tags in its
output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.clients.tool_inputs import WrongInput
from tenterhook.clients.workspace.names import DialectTool
from tenterhook.hosts.result import ToolError, ToolResult
from tenterhook.hosts.steps import is_async
from tenterhook.hosts.tool import Tool
from tenterhook.pipeline.deliver import FORGED

if TYPE_CHECKING:
    from tenterhook.agent.loop import AgentLoop


def build_session_tool(loop: AgentLoop, named: DialectTool) -> Tool:
    """A definition as a tool of this session: hooks see the dialect's names of its inputs, the function gets its
    own.
    """
    definition = named.definition
    asks = definition.asks
    function = definition.function

    def ours(input: dict[str, Any]) -> dict[str, Any]:
        return named.ours(input, loop.shown)

    def check(input: dict[str, Any]) -> None:
        """Hooks run first, whatever the model's input: one may refuse it, or correct it."""
        if input != loop.shown:
            ours(input)

    def wants(input: dict[str, Any]) -> bool:
        try:
            return asks(ours(input)) if callable(asks) else asks
        except WrongInput:  # it will not run
            return False

    async def call_async(**input: Any) -> Any:
        try:
            mine = ours(input)
        except WrongInput as exc:
            return not_taken(named.name, exc)
        return escape_hook_tags(await function(**mine))

    def plain(**input: Any) -> Any:
        try:
            mine = ours(input)
        except WrongInput as exc:
            return not_taken(named.name, exc)
        return escape_hook_tags(function(**mine))

    made = loop.session.tool(named.name, schema=check, asks=wants)
    bare: Callable[..., Any] = call_async if is_async(function) else plain
    tool: Tool = made(bare)
    return tool


def not_taken(name: str, exc: WrongInput) -> ToolResult:
    text = f"{name} does not take this input: {exc}"
    return ToolResult(text, text, error=ToolError(text, "invalid_input", exc))


def escape_hook_tags(given: Any) -> Any:
    """Escape a tool's output so that nothing in it looks like a hook's message, which the model takes for the
    user's.
    """
    if isinstance(given, str):
        return FORGED.sub("&lt;", given)
    if isinstance(given, ToolResult) and isinstance(given.llm_content, str):
        return replace(given, llm_content=FORGED.sub("&lt;", given.llm_content))
    return given

"""The tools of one MCP server as tool definitions, and their results as text."""

from __future__ import annotations

from typing import Any

from tenterhook.clients.mcp.config import ServerError
from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.texts import cut_end
from tenterhook.errors import format_exception_line
from tenterhook.support.terminal.text import as_json

# A server that returns pages without end must not delay the start.
PAGES = 100
# Seconds: long enough for any tool that a user waits for.
CALL = 600.0
# Characters of a result.
LONGEST = 40_000


async def definitions(client: Any) -> list[Definition]:
    tools: list[Any] = []
    cursor = None
    for _ in range(PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return [definition(client, tool) for tool in tools]


def definition(client: Any, tool: Any) -> Definition:
    schema = tool.input_schema

    async def call(**given: Any) -> str:
        try:
            result = await client.call_tool(tool.name, given, read_timeout_seconds=CALL)
        except Exception as exc:
            raise ServerError(f"{tool.name} could not be called: {reason(exc)}") from exc
        text = render_tool_result(result)
        if result.is_error:
            raise ServerError(text or f"{tool.name} failed and did not say why")
        return text

    return Definition(
        name=tool.name,
        about=tool.description or tool.title or "",
        # A schema may also be just `true`: then it says nothing.
        inputs={name: one if isinstance(one, dict) else {} for name, one in schema.get("properties", {}).items()},
        function=call,
        required=tuple(str(name) for name in schema.get("required", ())),
        asks=True,
        schema={"type": "object", **schema},
    )


def render_tool_result(result: Any) -> str:
    """A tool's result, as one text; of a long one the beginning."""
    if not result.content and result.structured_content is not None:
        return cut_end(as_json(result.structured_content), LONGEST)
    return cut_end("\n".join(part(one) for one in result.content), LONGEST)


def part(content: Any) -> str:
    """Texts as they are, everything else by name."""
    if content.type == "text":
        return str(content.text)
    if content.type == "resource_link":
        return f"[a link to {content.name}: {content.uri}]"
    if content.type == "resource":
        held = content.resource
        text = getattr(held, "text", None)
        return f"[a file: {held.uri}, {held.mime_type or 'of unknown type'}]" if text is None else str(text)
    return f"[{content.type}: {content.mime_type}, {len(content.data) * 3 // 4} bytes]"


def reason(exc: BaseException) -> str:
    """The first real error of a group, in one line; a server's error in its own words."""
    while isinstance(exc, BaseExceptionGroup):
        exc = exc.exceptions[0]
    own = isinstance(exc, ServerError) or type(exc).__name__ == "MCPError"
    text = " ".join((str(exc) if own else format_exception_line(exc)).split())
    text = text.partition(" For more information")[0]  # the HTTP library explains its status codes
    return text if len(text) <= 300 else text[:297] + "..."

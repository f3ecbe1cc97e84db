"""A real MCP server: over stdio when run, over HTTP where a test serves it."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import BlobResourceContents, EmbeddedResource, ResourceLink, TextContent, TextResourceContents
from pydantic import BaseModel

server = MCPServer("tools")


class Point(BaseModel):
    x: int
    y: int = 0


@server.tool()
def add(one: int, other: int = 1) -> str:
    """Add two numbers."""
    return str(one + other)


@server.tool(structured_output=False)
def place(point: Point) -> list[TextContent]:
    """Say where a point is."""
    return [TextContent(type="text", text=f"x is {point.x}"), TextContent(type="text", text=f"y is {point.y}")]


class Tree(BaseModel):
    name: str
    branches: "list[Tree]" = []


@server.tool()
def tree(root: Tree) -> str:
    """Say how many branches a tree has."""
    return str(len(root.branches))


@server.tool()
def refuse(reason: str) -> str:
    """Fail."""
    raise ToolError(reason)


@server.tool(structured_output=False)
def picture() -> list[Any]:
    """A picture and a word."""
    return ["Look:", Image(data=b"123456", format="png")]


@server.tool(structured_output=False)
def linked() -> list[Any]:
    """A link, a file with text, a file without."""
    return [
        ResourceLink(type="resource_link", name="notes", uri="file:///notes.txt"),
        EmbeddedResource(
            type="resource", resource=TextResourceContents(uri="file:///a.txt", text="the text of a file")
        ),
        EmbeddedResource(type="resource", resource=BlobResourceContents(uri="file:///a.bin", blob="AAAA")),
    ]


@server.tool(structured_output=False)
def nothing() -> None:
    """Say nothing."""


@server.tool()
def told(name: str) -> str:
    """A variable of the environment, as the server sees it."""
    return os.environ.get(name, "not set")


@server.tool()
def where() -> str:
    """The folder that the server runs in."""
    return os.getcwd()


@server.tool()
def header(name: str, context: Context[Any]) -> str:
    """A header of the request."""
    return (context.headers or {}).get(name, "none")


@server.tool()
async def wait(note: str) -> str:
    """Wait until cancelled, and leave a note about it."""
    Path(note).write_text("waiting")
    try:
        await asyncio.sleep(60)
    except BaseException:
        Path(note).write_text("cancelled")
        raise
    return "waited"


@server.tool()
def die() -> str:
    """End the server in the middle of a call."""
    os.kill(os.getpid(), signal.SIGKILL)
    return "dead"


@server.tool()
def pid() -> str:
    """The server's process."""
    return str(os.getpid())


@server.tool()
def leave_behind() -> str:
    """Start a process that leaves the server's group and outlives it."""
    program = [sys.executable, "-c", "import time; time.sleep(60)"]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    return str(subprocess.Popen(program, start_new_session=True, **streams).pid)


if __name__ == "__main__":
    if "stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        server.run("stdio")
        while True:
            signal.pause()
    if "chatty" in sys.argv:
        print("this is no JSON", flush=True)
    server.run("stdio")

"""A server of the official SDK: over stdio, or over HTTP at the port of its first argument."""

import sys

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("sdk")


class Answer(BaseModel):
    yes: bool


@server.tool()
def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


@server.tool()
async def steps(context: Context) -> str:
    """Report progress."""
    for step in range(3):
        await context.report_progress(step, 3)
    return "done"


@server.tool()
async def consult(context: Context) -> str:
    """Ask the person."""
    answer = await context.elicit("Really?", Answer)
    return answer.action


if len(sys.argv) > 1:
    server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()

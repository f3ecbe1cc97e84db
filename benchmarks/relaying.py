"""Row 20: what `tenter mcp` adds to a call of the official SDK's client to the official SDK's server, over stdio."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from figures import Line, Measured, Pairs, Rounds, Row, Unavailable

DIRECT = "the same call without tenter mcp"
QUIET = Line("an MCP tool call through tenter mcp, no hooks", DIRECT, 1.25)
ELSEWHERE = Line("an MCP tool call through tenter mcp, a hook on another tool", DIRECT, 1.25)
SERVER = """from mcp.server.mcpserver import MCPServer
server = MCPServer("bench")
@server.tool()
def add(a: int, b: int) -> str:
    return str(a + b)
server.run()
"""
HOOK = '[[hook]]\non = "tool.before"\nmatch = "mcp__bench__other"\ncommand = "true"\n'
CALLS = 20


def relayed(rounds: Rounds) -> Measured:
    try:
        import mcp  # noqa: F401
    except ImportError:
        for line in (QUIET, ELSEWHERE):
            yield line.key, "the package mcp is not installed"
        return
    with tempfile.TemporaryDirectory() as folder:
        for line, hooks in ((QUIET, ""), (ELSEWHERE, HOOK)):
            yield line.key, asyncio.run(calls(Path(folder), hooks, rounds(40)))


async def calls(folder: Path, hooks: str, rounds: int) -> Pairs:
    """Two connections take turns: a round is some calls through each."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    (folder / "server.py").write_text(SERVER)
    (folder / "tenterhook.toml").write_text(hooks)
    server = [sys.executable, str(folder / "server.py")]
    relay = [sys.executable, "-m", "tenterhook", "mcp", "--name", "bench", "--project", str(folder), "--trust", "--"]

    def start(words: list[str]) -> Any:
        return Client(stdio_client(StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))))

    async def timed(client: Any) -> float:
        began = perf_counter()
        for _ in range(CALLS):
            if (await client.call_tool("add", {"a": 1, "b": 2})).content[0].text != "3":
                raise Unavailable("the server did not add")
        return (perf_counter() - began) / CALLS

    async with start([*relay, *server]) as ours, start(server) as theirs:
        await timed(ours), await timed(theirs)
        return [(await timed(ours), await timed(theirs)) for _ in range(rounds)]


ROWS = {20: Row((QUIET, ELSEWHERE), relayed)}

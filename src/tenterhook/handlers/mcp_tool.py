"""A tool of an MCP server: it is called with values of the event, and its text is the hook's answer.

The server is one that the agent's own files define. It is started for the call and ended after it.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any

from tenterhook.errors import ConfigError, UsageError
from tenterhook.handlers import Traits
from tenterhook.pipeline.payload_fields import lookup
from tenterhook.types import Attempt, Event, Hook, Job

if TYPE_CHECKING:
    from tenterhook.clients.mcp import McpServer

TRAITS = Traits(
    about="a tool of an MCP server is called, its text is the answer",
    options=("server", "input", "files", "context_limit"),
    leeway=15.0,  # to close the server
)
PLACEHOLDER = re.compile(r"\$\{([\w.]+)\}")


async def arun(job: Job) -> Attempt:
    import asyncio

    from tenterhook.clients.mcp import ServerError

    began = time.monotonic()
    hook = job.hook
    result: dict[str, Any]
    try:
        async with asyncio.timeout(job.timeout):
            text = await call_mcp_tool(server_of(hook, job.given.event), job)
        result = {"exit_code": 0, "stdout": text}
    except TimeoutError:
        result = {
            "error": "timeout",
            "detail": f"no answer within {job.timeout:g} s: make it faster or raise its timeout",
        }
    except (UsageError, ConfigError) as exc:
        result = {"error": "spawn", "detail": str(exc)}
    except ServerError as exc:
        result = {"exit_code": 1, "stderr": str(exc)}
    return Attempt(hook.name, hook.handler, str(hook.source), seconds=time.monotonic() - began, **result)


def run(job: Job) -> Attempt:
    """Run on a new event loop, in the runner's thread."""
    import asyncio

    return asyncio.run(arun(job))


def server_of(hook: Hook, event: Event) -> McpServer:
    """The server that the entry names. Servers in the project's files count for the project's hooks only."""
    from tenterhook.clients.mcp import read_servers

    wanted, home = hook.spec.get("server", ""), event.environ.get("HOME") or os.path.expanduser("~")
    files = hook.spec.get("files", "").split()
    own = [os.path.join(home, name[2:]) for name in files if name.startswith("~/")]
    theirs = [os.path.join(event.project, name) for name in files if not name.startswith("~/")]
    known = read_servers([*theirs, *own] if hook.source.scope == "project" else own)
    for server in known:
        if server.name == wanted:
            return server
    if any(server.name == wanted for server in read_servers(theirs)):
        raise UsageError(f"the MCP server {wanted!r} is the project's, and only a hook of the project may use it")
    names = ", ".join(server.name for server in known) or "none"
    raise UsageError(f"no MCP server {wanted!r} in {', '.join(files)}; there are: {names}")


async def call_mcp_tool(server: McpServer, job: Job) -> str:
    from tenterhook.clients.mcp import Servers

    given = job.given
    tool, payload = job.hook.spec["main"], given.payload()
    async with Servers([server], environ=given.event.environ, cwd=given.event.project) as servers:
        if servers.problems:
            raise UsageError(servers.problems[0])
        found = {one.name: one for _, one in servers.tools}
        if tool not in found:
            raise UsageError(f"the MCP server {server.name!r} has no tool {tool!r}; it has: {', '.join(found)}")
        return str(await found[tool].function(**fill_placeholders(job.hook.spec.get("input", {}), payload)))


def fill_placeholders(value: Any, payload: dict[str, Any]) -> Any:
    """Replace `${dotted.path}` by a value of the payload: alone it keeps its type, in a text it is text; empty if
    missing.
    """
    if isinstance(value, dict):
        return {key: fill_placeholders(one, payload) for key, one in value.items()}
    if isinstance(value, list):
        return [fill_placeholders(one, payload) for one in value]
    if not isinstance(value, str):
        return value
    if alone := PLACEHOLDER.fullmatch(value):
        found = lookup(alone[1], payload)
        return "" if found is None else found
    return PLACEHOLDER.sub(lambda one: as_text(lookup(one[1], payload)), value)


def as_text(value: object) -> str:
    from tenterhook.support.terminal.text import as_json

    return "" if value is None else value if isinstance(value, str) else as_json(value)

"""The tools of MCP servers: which servers the dialect's agent would start, and what it calls their tools."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from tenterhook.clients.mcp import Server, Servers, read_servers
from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.names import word
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.dialects.schema.vocabulary import TOOLS
from tenterhook.engine.engine import Engine
from tenterhook.errors import ConfigError, UsageError

Warn = Callable[[list[str]], None]


@asynccontextmanager
async def remote_tools(engine: Engine, warn: Warn) -> AsyncIterator[list[Definition]]:
    """The tools of MCP servers, by the dialect's names for them. What cannot be had is left out, and said."""
    servers = Servers(named_servers(engine, warn), environ=engine.environ, cwd=engine.project)
    try:
        await servers.__aenter__()
    except UsageError as exc:
        warn([f"{exc}; without it the MCP servers are left out"])
        yield []
        return
    try:
        warn(servers.problems)
        yield list(name_mcp_tools(servers, engine.dialect, warn))
    finally:
        await servers.__aexit__()


def named_servers(engine: Engine, warn: Warn) -> list[Server]:
    """The MCP servers of the dialect's files; a project's own are started only where they are approved."""
    found: dict[str, Server] = {}
    for name in engine.dialect.tools.mcp_files:
        own = name.startswith("~/")
        file = os.path.join(engine.home, name[2:]) if own else os.path.join(engine.project, name)
        for server in read_servers([file]) if own else approved_ones(engine, file, warn):
            found.setdefault(server.name, server)
    return list(found.values())


def approved_ones(engine: Engine, file: str, warn: Warn) -> list[Server]:
    """Those of a project's file that the user approved, as they were then."""
    from tenterhook.tools.approve.survey import judge_approvals, server_item
    from tenterhook.trust.approvals import binder_for

    try:
        servers = read_servers([file])
    except ConfigError as exc:  # a file that nobody trusts must not keep the agent from running
        if engine.trust == "all":
            raise
        warn([str(exc)])
        return []
    binder = binder_for(engine.dialect, engine.project, engine.home, engine.environ)
    states = [one.state for one in judge_approvals(engine, [server_item(s, binder) for s in servers])]
    aside = [server.name for server, state in zip(servers, states, strict=True) if state != "trusted"]
    if aside:
        warn([f"not started, because not approved (see tenter trust): the MCP servers {', '.join(aside)}"])
    return [server for server, state in zip(servers, states, strict=True) if state == "trusted"]


def name_mcp_tools(servers: Servers, dialect: Dialect, warn: Warn) -> Iterator[Definition]:
    """By the dialect's names. Of two that would be called the same, the first one counts: hooks could not tell them."""
    taken = {word(dialect, tool).name for tool in TOOLS}
    for server, one in servers.tools:
        name = dialect.tools.mcp_tool.format(server=server, tool=one.name)
        if name in taken:
            warn([f"two tools are called {name}: the one of the MCP server {server!r} is left out"])
        else:
            taken.add(name)
            yield replace(one, name=name)

"""The tools of MCP servers: which servers the dialect's agent would start, and what it calls their tools."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from tenterhook.agent.names import word
from tenterhook.agent.servers import Server, Servers, read_servers
from tenterhook.agent.tools import Definition
from tenterhook.dialect import TOOLS, Dialect
from tenterhook.engine import Engine
from tenterhook.errors import ConfigError, UsageError

Warn = Callable[[list[str]], None]


@asynccontextmanager
async def remote_tools(engine: Engine, warn: Warn, *, trusted: bool) -> AsyncIterator[list[Definition]]:
    """The tools of MCP servers, by the dialect's names for them. What cannot be had is left out, and said."""
    servers = Servers(named_servers(engine, warn, trusted), environ=engine.environ, cwd=engine.project)
    try:
        await servers.__aenter__()
    except UsageError as exc:
        warn([f"{exc}; without it the MCP servers are left out"])
        yield []
        return
    try:
        warn(servers.problems)
        yield list(named(servers, engine.dialect, warn))
    finally:
        await servers.__aexit__()


def named_servers(engine: Engine, warn: Warn, trusted: bool) -> list[Server]:
    """The MCP servers of the dialect's files; a project's own are started only where the project is trusted."""
    files: list[str] = []
    aside: list[str] = []
    for name in engine.dialect.mcp_files:
        if name.startswith("~/"):
            files.append(os.path.join(engine.home, name[2:]))
        else:
            (files if trusted else aside).append(os.path.join(engine.project, name))
    try:
        if found := [one.name for one in read_servers(aside)]:
            warn([f"not started, because not trusted (see --trust): the MCP servers {', '.join(found)}"])
    except ConfigError as exc:  # a file that nobody trusts must not keep the agent from running
        warn([str(exc)])
    return read_servers(files)


def named(servers: Servers, dialect: Dialect, warn: Warn) -> Iterator[Definition]:
    """By the dialect's names. Of two that would be called the same, the first one counts: hooks could not tell them."""
    taken = {word(dialect, tool).name for tool in TOOLS}
    for server, one in servers.tools:
        name = dialect.mcp_tool.format(server=server, tool=one.name)
        if name in taken:
            warn([f"two tools are called {name}: the one of the MCP server {server!r} is left out"])
        else:
            taken.add(name)
            yield replace(one, name=name)

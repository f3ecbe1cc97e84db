"""MCP servers, through the official SDK: `read_servers` says which, `async with Servers(...)` runs them.

A server has its own task that starts it, waits, and ends it: the SDK must be entered and left in the same task. Calls
come from any task of the loop. A server that fails is left out and named in `problems`; the others work.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from typing import Any

from tenterhook.clients.formats import sdk
from tenterhook.clients.mcp.config import McpServer, ServerError, expand_server_variables, read_servers
from tenterhook.clients.mcp.tools import definitions, reason
from tenterhook.clients.tool_definition import Definition
from tenterhook.runtime.process_tree import TAG, read_table
from tenterhook.support.secrets.mask import mask_secret_values, secrets

__all__ = ["McpServer", "ServerError", "Servers", "read_servers"]

# Seconds to start, and seconds to end before it is killed.
START, END = 30.0, 12.0


class Servers:
    """All servers from `async with` to its end. `tools` are those of the running ones, `problems` name the others."""

    def __init__(
        self,
        servers: Iterable[McpServer],
        *,
        environ: Mapping[str, str] | None = None,
        cwd: str = "",
        timeout: float = START,
    ) -> None:
        self.servers, self.timeout, self.cwd = list(servers), timeout, cwd
        self.environ = os.environ if environ is None else environ
        self.listed: dict[str, list[Definition]] = {}
        self.failed: dict[str, str] = {}
        self.keepers: list[asyncio.Task[None]] = []
        self.tokens: list[str] = []

    @property
    def tools(self) -> list[tuple[str, Definition]]:
        """Pairs of a server's name and a tool of it, in the order of the servers."""
        return [(one.name, tool) for one in self.servers for tool in self.listed.get(one.name, ())]

    @property
    def problems(self) -> list[str]:
        return [self.failed[one.name] for one in self.servers if one.name in self.failed]

    async def __aenter__(self) -> Servers:
        if self.servers:
            sdk("mcp", "mcp", "mcp")
            silence_sdk_logger()
        self.ending = asyncio.Event()
        ready = [asyncio.get_running_loop().create_future() for _ in self.servers]
        pairs = zip(self.servers, ready, strict=True)
        self.keepers = [asyncio.create_task(self.keep(one, future), name=f"MCP {one.name}") for one, future in pairs]
        try:
            await asyncio.gather(*ready)
        except BaseException:
            for keeper in self.keepers:
                keeper.cancel()
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Servers are asked to end, then cancelled; the SDK ends their processes either way."""
        self.ending.set()
        try:
            if self.keepers:
                await asyncio.wait(self.keepers, timeout=END)
        finally:
            if left := [keeper for keeper in self.keepers if not keeper.done()]:
                sweep(self.tokens)  # their time is up, or the caller was cancelled
                await asyncio.wait(left, timeout=1)
            for keeper in left:
                keeper.cancel()
            if left:
                await asyncio.wait(left, timeout=END)

    async def keep(self, server: McpServer, ready: asyncio.Future[None]) -> None:
        """The whole life of one server, in one task."""
        tail, token = Tail(), os.urandom(8).hex()
        self.tokens.append(token)
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(self.timeout):
                    client = await self.connect(server, stack, tail, token)
                    self.listed[server.name] = await definitions(client)
                ready.set_result(None)
                await self.ending.wait()
        except Exception as exc:
            if not ready.done():
                self.listed.pop(server.name, None)
                self.failed[server.name] = self.left_out(server, exc, tail)
        finally:
            tail.close()
            if server.type == "stdio":
                sweep([token])
            if not ready.done():
                ready.set_result(None)

    def left_out(self, server: McpServer, exc: Exception, tail: Tail) -> str:
        why = f"it did not start within {self.timeout:g} seconds" if isinstance(exc, TimeoutError) else reason(exc)
        last = f" (its last words: {words})" if (words := tail.text()) else ""
        return mask_secret_values(f"MCP server {server.name!r} is left out: {why}{last}", secrets(self.environ))

    async def connect(self, server: McpServer, stack: AsyncExitStack, tail: Tail, token: str) -> Any:
        """The SDK's client, which ends with the stack."""
        mcp = sdk("mcp", "mcp", "mcp")
        one = expand_server_variables(server, self.environ)
        if one.type == "stdio":
            with await tail.open_file() as errors:
                transport = mcp.stdio_client(self.parameters(mcp, one, token), errlog=errors)
                return await stack.enter_async_context(mcp.Client(transport))
        if one.type == "sse":
            transport = sdk("mcp", "mcp.client.sse", "mcp").sse_client(one.url, headers=one.headers)
        else:
            module = sdk("mcp", "mcp.client.streamable_http", "mcp")
            http = await stack.enter_async_context(module.create_mcp_http_client(headers=one.headers))
            http.event_hooks = {"response": [tail.note_response]}
            transport = module.streamable_http_client(one.url, http_client=http)
        return await stack.enter_async_context(mcp.Client(transport))

    def parameters(self, mcp: Any, server: McpServer, token: str) -> Any:
        """A server gets the part of the environment that the SDK considers safe, and its entry's variables."""
        safe = mcp.client.stdio.DEFAULT_INHERITED_ENV_VARS
        environ = {name: self.environ[name] for name in safe if name in self.environ}
        tag = {TAG: f"{self.environ.get(TAG, '')}{token};"}
        return mcp.StdioServerParameters(
            command=server.command,
            args=list(server.args),
            env={**environ, **server.env, **tag},
            cwd=os.path.join(self.cwd, server.cwd) or None,
        )


class Tail(asyncio.Protocol):
    """The end of a server's stderr, or its last refusal: often the only clue to why it does not start."""

    def __init__(self) -> None:
        self.end_of_output = b""
        self.transport: asyncio.BaseTransport | None = None

    async def open_file(self) -> Any:
        """A file for the server to write to."""
        reading, writing = os.pipe()
        source = os.fdopen(reading, "rb", buffering=0)
        self.transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: self, source)
        return os.fdopen(writing, "w")

    def data_received(self, data: bytes) -> None:
        self.end_of_output = (self.end_of_output + data)[-2000:]

    async def note_response(self, response: Any) -> None:
        if response.status_code >= 400:
            self.data_received(f"HTTP {response.status_code} {response.reason_phrase}\n".encode())

    def text(self) -> str:
        lines = self.end_of_output.decode(errors="replace").split("\n")
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        if self.transport:
            self.transport.close()


def sweep(tokens: Iterable[str]) -> None:
    """End what servers left behind, even outside their group: the tag is in the environment that they inherited."""
    table = read_table((), {})
    for entry in [one for token in tokens for one in table.tagged.get(token.encode(), ())] if table else ():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(entry.pid, signal.SIGKILL)


def silence_sdk_logger() -> None:
    """The SDK logs tracebacks; unless the host handles them, they must not end up on the user's screen."""
    import logging

    logger = logging.getLogger("mcp")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())

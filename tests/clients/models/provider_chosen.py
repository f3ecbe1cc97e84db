"""One protocol and its server, asked through the provider that a user would get."""

import asyncio
import os
from typing import Any

import pytest

from tenterhook.clients.models import Provider, provider_for

from .provider_apis import Protocol
from .provider_server import Api

HELLO = [{"role": "user", "content": "Hello"}]
TOOLS = [
    {
        "name": "Read",
        "description": "Read a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
    {"name": "mcp.files.list", "description": "List files."},
    {"name": "Bash", "description": "Run a command."},
]


def provider_in(environ: dict[str, str], name: str) -> Provider:
    """The library and the SDKs look into the process's environment."""
    with pytest.MonkeyPatch.context() as patch:
        for key in list(os.environ):
            patch.delenv(key)
        for key, value in environ.items():
            patch.setenv(key, value)
        return provider_for(name)


class Chosen:
    """A protocol, its server, and what a provider for it makes of a call."""

    def __init__(self, protocol: Protocol, api: Api) -> None:
        self.protocol, self.api = protocol, api

    def provider(self) -> Provider:
        return provider_in(self.protocol.environ(self.api.url), self.protocol.model(self.api.url))

    def ask(self, **call: Any) -> list[dict[str, Any]]:
        return asyncio.run(self.chunks(**call))

    async def chunks(self, **call: Any) -> list[dict[str, Any]]:
        provider = self.provider()
        try:
            call = {"model": provider.model, "messages": HELLO, **call}
            return [chunk async for chunk in await provider.ask(**call)]
        finally:
            await provider.aclose()

    def sent(self) -> list[tuple[str, Any]]:
        return self.protocol.messages(self.api.last)

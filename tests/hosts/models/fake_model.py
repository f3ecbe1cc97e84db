"""A model without any SDK for the tests of a host: its function in every form, and hooks that say one thing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from tenterhook import Engine, Reply
from tenterhook.hosts.reply import AsyncStream, Stream

TOOLS = [{"name": "read"}, {"name": "write"}]
PIECES = [{"text": "Hel"}, {"text": "lo"}, {"text": "", "candidates": [{"finishReason": "STOP"}]}]
both = pytest.mark.parametrize("asynchronous", [False, True], ids=["def", "async def"])


def call(**more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "hi", "id": 7}]
    return {"model": "m-1", "messages": messages, "config": {"temperature": 0.5}, **more}


def answer(text: str = "Hello", **more: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": [text]}
    return {"text": text, "candidates": [{"content": content, "finishReason": "STOP", "index": 0}], **more}


class Fake:
    """A model's function, sync or async, plain or streaming; what it was called with stands in `calls`."""

    def __init__(self, asynchronous: bool = False, response: Any = None, error: BaseException | None = None) -> None:
        self.calls: list[dict[str, Any]] = []
        self.asynchronous, self.error = asynchronous, error
        self.response = answer() if response is None else response
        self.given: Any = None
        self.ended = False

    def here(self, **call: Any) -> Any:
        self.calls.append(call)
        if self.error:
            raise self.error
        if call.get("stream"):
            self.given = self.apieces() if self.asynchronous else self.pieces()
            return self.given
        return self.response

    async def there(self, **call: Any) -> Any:
        return self.here(**call)

    def pieces(self) -> Iterator[Any]:
        try:
            yield from PIECES
        finally:
            self.ended = True

    async def apieces(self) -> AsyncIterator[Any]:
        try:
            for piece in PIECES:
                yield piece
        finally:
            self.ended = True

    def ask(self, host: Any, options: dict[str, Any] | None = None, **given: Any) -> Reply:
        """One call in a host of either kind; a stream is read to its end, its chunks stand in `shown`."""
        model = host.model(self.there if self.asynchronous else self.here, format="plain", **options or {})
        if not self.asynchronous:
            reply = model(**given)
            if isinstance(reply, Stream):
                reply.shown = list(reply)
            return reply

        async def later() -> Reply:
            reply = await model(**given)
            if isinstance(reply, AsyncStream):
                reply.shown = [chunk async for chunk in reply]
            return reply

        return asyncio.run(later())


def on(host: Engine, event: str, said: Any = None) -> tuple[list[Any], Callable[[], None]]:
    """A hook that says this; what it was told, and how to take it away."""
    told: list[Any] = []

    def hook(event: Any) -> Any:
        told.append(event)
        return said(event) if callable(said) else said

    return told, host.add(event, hook, name="mine")

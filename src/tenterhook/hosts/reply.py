"""A model's reply after its hooks: complete, or as a stream that is complete when it has been read."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tenterhook.errors import UsageError
from tenterhook.hosts.result import Heard
from tenterhook.hosts.steps import Steps, adrive, drive
from tenterhook.types import Outcome

if TYPE_CHECKING:
    from tenterhook.clients.formats import Collector, Format
    from tenterhook.hosts.steps import Host

INCOMPLETE = "the stream ended before its response was complete, so no hook was told of it"


class Reply(Heard):
    """`response` is of the SDK's own type. A host checks `stop` first, then uses the response as if it came from the
    model.

    `synthetic` says that no model was asked; `allowed` are the tools that hooks left the model, if they narrowed them;
    `user_messages` are to be added to the conversation; `problems` are wishes of hooks that the API cannot express.
    """

    def __init__(self, response: Any = None, outcomes: Sequence[Outcome] = (), *, synthetic: bool = False) -> None:
        self.made = response
        self.outcomes, self.synthetic = tuple(outcomes), synthetic
        self.allowed: frozenset[str] | None = None
        self.user_messages: tuple[str, ...] = ()
        self.problems: list[str] = []

    @property
    def response(self) -> Any:
        return self.made

    @property
    def blocked(self) -> bool:
        return any(outcome.blocked for outcome in self.outcomes)

    @property
    def reason(self) -> str:
        return next((outcome.reason for outcome in self.outcomes if outcome.blocked), "")

    @property
    def suppress_display(self) -> bool:
        """Whether to hide the response from the user; chunks that came before hooks saw it have been shown."""
        return any(outcome.suppress for outcome in self.outcomes)


# Called with the complete response: runs hooks, and applies their changes to the reply.
After = Callable[[Reply, Any], Steps[None]]


class Streamed(Reply):
    """Chunks as they come. `response` is set when all have come, with the changes of hooks.

    If no hook listens and the host does not collect, this returns the SDK's own iterator, which costs nothing.
    """

    def __init__(self, host: Host, format: Format, source: Any, after: After | None, collect: bool) -> None:
        super().__init__()
        self.host, self.source, self.after = host, source, after
        self.collector: Collector | None = format.collector() if after or collect else None

    @property
    def response(self) -> Any:
        """The response; None until the stream has been read to its end, and if it broke off."""
        if self.collector is None and self.made is None:
            raise UsageError("no hook listens, so this stream was not collected: engine.model(..., collect=True)")
        return self.made

    def whole(self) -> Steps[None]:
        """At the end of the stream, run the hooks on the response, once."""
        response = self.collector.response() if self.collector else None
        if response is None:
            self.problems.append(INCOMPLETE)
        elif self.after:
            yield from self.after(self, response)
        else:
            self.made = response


class Stream(Streamed):
    """A stream for `for`."""

    iterator: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        if self.iterator is None:
            self.iterator = self.read(self.collector) if self.collector else iter(self.source)
        return self.iterator

    def __next__(self) -> Any:
        return next(iter(self))

    def read(self, collector: Collector) -> Iterator[Any]:
        try:
            for chunk in self.source:
                collector.add(chunk)
                yield chunk
        finally:
            close_stream(self.source)
        drive(self.host, self.whole())

    def close(self) -> None:
        """Close before the end: no hook runs, as with any stream that breaks off."""
        with suppress(ValueError):  # another thread is reading it and ends with its source
            close_stream(self.iterator)
        close_stream(self.source)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncStream(Streamed):
    """A stream for `async for`."""

    iterator: AsyncIterator[Any] | None = None

    def __aiter__(self) -> AsyncIterator[Any]:
        if self.iterator is None:
            self.iterator = self.read(self.collector) if self.collector else aiter(self.source)
        return self.iterator

    async def __anext__(self) -> Any:
        return await anext(aiter(self))

    async def read(self, collector: Collector) -> AsyncIterator[Any]:
        try:
            async for chunk in self.source:
                collector.add(chunk)
                yield chunk
        finally:
            await ashut(self.source)
        await adrive(self.host, self.whole())

    async def aclose(self) -> None:
        with suppress(RuntimeError):  # another task is reading it and ends with its source
            await ashut(self.iterator)
        await ashut(self.source)

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


def close_stream(stream: Any) -> None:
    if callable(close := getattr(stream, "close", None)):
        close()


async def ashut(stream: Any) -> None:
    close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
    if callable(close) and inspect.isawaitable(closing := close()):
        await closing


async def each(chunks: Iterable[Any]) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk

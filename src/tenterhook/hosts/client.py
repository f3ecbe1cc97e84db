"""A client of a model SDK with hooks inside: the framework that gets it calls it like any other.

    agent = SomeFramework(client=engine.client(openai.OpenAI()))

The copy is of the client's own class. Its resources are copies, too, whose methods go through `engine.model` and return
the SDK's own response. What asks a model where no hook would hear of it is refused.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tenterhook.errors import TenterhookError, UsageError
from tenterhook.hosts.model import AsyncModel, Model, model
from tenterhook.hosts.reply import AsyncStream, Reply, Stream, Streamed
from tenterhook.support import logs

if TYPE_CHECKING:
    from tenterhook.hosts.steps import Host

Client = TypeVar("Client")
# A resource of a client: parts of its own, methods with the format of their calls, and (None) what is refused.
Parts = dict[str, "Parts | str | None"]

log = logs.redacting_logger("tenterhook.client")

UNHEARD: Parts = {"with_raw_response": None, "with_streaming_response": None}


def ask_with(format: str, *refused: str) -> Parts:
    """A resource whose calls have this format."""
    return {"create": format, "parse": format, "stream": None, **dict.fromkeys(refused), **UNHEARD}


CHAT: Parts = {"completions": ask_with("openai"), **UNHEARD}
MODELS: Parts = {"generate_content": "genai", "generate_content_stream": "genai"}
# Refused beside them: batches, older APIs, sockets, agents that the provider runs.
PROVIDER_RUNS = ("agents", "assistants", "batches", "chatkit", "realtime", "responses", "sessions", "threads")
SDKS: dict[str, Parts] = {
    "openai": {
        "chat": CHAT,
        "responses": ask_with("openai-responses", "connect", "compact"),
        "beta": {"chat": CHAT, **dict.fromkeys(PROVIDER_RUNS), **UNHEARD},
        **dict.fromkeys(("batches", "completions", "evals", "live", "realtime")),
        **UNHEARD,
    },
    "anthropic": {
        "messages": ask_with("anthropic", "batches"),
        "beta": {
            "messages": ask_with("anthropic", "batches", "thread", "tool_runner"),
            **dict.fromkeys(PROVIDER_RUNS),
            **UNHEARD,
        },
        "completions": None,
        **UNHEARD,
    },
    "google.genai": {
        "models": MODELS,
        "aio": {"models": MODELS, **dict.fromkeys(("agents", "batches", "interactions", "live", "triggers"))},
        **dict.fromkeys(("agents", "batches", "interactions", "live", "triggers")),
    },
}
# Methods that give another client of the same kind.
RENEWING = ("copy", "with_options", "with_middleware")
# Set on the class of a copy.
MARK = "__tenterhook_host__"


def client(host: Host, original: Client, *, hold: bool = True) -> Client:
    """A copy of a client, with hooks around its model calls."""
    kind = type(original)
    if hasattr(kind, MARK):
        raise UsageError("this client has hooks already: give the SDK's own one")
    sdk = next((name for name in SDKS if any(in_package(base, name) for base in kind.__mro__)), "")
    if not sdk or not any(name in SDKS[sdk] for name in dir(kind)):
        raise UsageError(
            "engine.client takes a client of openai, anthropic or google-genai, "
            f"not a {kind.__module__}.{kind.__name__}"
        )

    def renew(name: str) -> Callable[..., Any]:
        return lambda self, *args, **options: client(host, getattr(original, name)(*args, **options), hold=hold)

    own: dict[str, Any] = {name: renew(name) for name in RENEWING if hasattr(kind, name)}
    made: Client = Copier(host, sdk, hold).copy_of(original, SDKS[sdk], {**own, MARK: host})
    return made


def in_package(kind: type, package: str) -> bool:
    return kind.__module__ == package or kind.__module__.startswith(f"{package}.")


class Copier:
    """Makes a client's copies: of the client itself, and of its resources when they are asked for."""

    def __init__(self, host: Host, sdk: str, hold: bool) -> None:
        self.host, self.sdk, self.hold = host, sdk, hold

    def copy_of(self, original: Any, parts: Parts, more: dict[str, Any] | None = None) -> Any:
        kind = type(original)
        own = dict(more or {})
        for name, part in parts.items():
            if hasattr(kind, name) or hasattr(original, name):
                own[name] = property(self.getter(original, name, part))
        if hasattr(kind, "__del__"):  # it closes the connections, which are the original's
            own["__del__"] = lambda self: None
        made = copy.copy(original)
        same = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
        made.__class__ = type(kind.__name__, (kind,), {**same, **own})
        return made

    def getter(self, original: Any, name: str, part: Parts | str | None) -> Callable[[Any], Any]:
        """Makes the part once, when it is first asked for: an SDK imports its resources late."""
        made: list[Any] = []

        def get(copied: Any) -> Any:
            if not made:
                made.append(self.part_of(original, name, part))
            return made[0]

        return get

    def part_of(self, original: Any, name: str, part: Parts | str | None) -> Any:
        if part is None:
            return RefusedPart(name)
        if isinstance(part, dict):
            return self.copy_of(getattr(original, name), part)
        function = getattr(original, name)
        asked = model(self.host, function, format=part, collect=True)
        make = async_method if isinstance(asked, AsyncModel) else method
        return make(ClientCall(asked, self.sdk, self.hold))


class RefusedPart:
    """What asks a model past all hooks: it raises when it is used, so a framework may look whether it is there."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def refuse(self) -> UsageError:
        return UsageError(
            f"hooks cannot hear of calls through {self.__name__!r}, so a client with hooks has it not: call create "
            "(stream=True for a stream) or generate_content, or use the SDK's own client"
        )

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise self.refuse()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name) if name.startswith("__") else self.refuse()


class ClientCall:
    """One method of a client: its model with hooks, and how a reply becomes the SDK's own response."""

    def __init__(self, asked: Model, sdk: str, hold: bool) -> None:
        self.model, self.sdk, self.hold = asked, sdk, hold
        self.engine = asked.engine

    def texts(self) -> Sequence[str]:
        """What hooks said since the last call; a bare engine has no conversation that would keep it."""
        pending = getattr(self.model.host, "pending", None)
        return pending() if pending else ()

    def response(self, reply: Reply, call: dict[str, Any]) -> Any:
        """The response as hooks left it. A refusal is a text without calls, so an agent's loop ends with it."""
        self.warn_of_texts(reply)
        if text := self.refusal(reply):
            return self.model.format.build_response(saying(text), call)
        return reply.response

    def refusal(self, reply: Reply) -> str:
        """Why the model's response, if there is one, does not reach the framework."""
        if reply.outcomes and "response" in reply.outcomes[-1].changes:
            return ""
        if reply.stop or reply.blocked:
            return reply.stop_reason or reply.reason or "Stopped by a hook"
        if reply.allowed is None or reply.synthetic:
            return ""
        taken = sorted(set(self.model.format.called_tools(reply.response)) - reply.allowed)
        return f"The model called {', '.join(taken)}, which hooks do not allow in this turn" if taken else ""

    def warn_of_texts(self, reply: Reply) -> None:
        for text in reply.user_messages:
            log.warning("a client without a session has no conversation for this text of a hook: %s", text)

    def holds_streams(self) -> bool:
        """Whether hooks may still change a stream that is coming."""
        return self.hold and (self.engine.listens("model.after") or self.engine.listens("tools.select"))

    def judge_stream(self, reply: Streamed, call: dict[str, Any], chunks: list[Any]) -> list[Any]:
        """The chunks of a stream that hooks have heard: as they came, or those of another response."""
        whole = reply.response
        if whole is None:
            raise TenterhookError(
                "the stream ended before its response was complete, so hooks could not judge it and it was held back"
            )
        response = self.response(reply, call)
        replaced = response is not whole or (not reply.synthetic and "response" in reply.outcomes[-1].changes)
        return self.model.format.as_chunks(response) if replaced else chunks

    def warn_if_late(self, reply: Streamed) -> None:
        """A stream that was not held back: say what came too late."""
        self.warn_of_texts(reply)
        late = reply.outcomes and "response" in reply.outcomes[-1].changes and not reply.synthetic
        if late or (reply.made is not None and self.refusal(reply) and not reply.synthetic):
            log.warning("a hook changed or refused a response that was shown while it streamed (hold=False)")

    def pieces(self, reply: Stream, call: dict[str, Any]) -> Iterator[Any]:
        if reply.synthetic or self.holds_streams():
            yield from self.judge_stream(reply, call, list(reply))
        else:
            yield from reply
            self.warn_if_late(reply)

    async def apieces(self, reply: AsyncStream, call: dict[str, Any]) -> AsyncIterator[Any]:
        if reply.synthetic or self.holds_streams():
            for chunk in self.judge_stream(reply, call, [chunk async for chunk in reply]):
                yield chunk
        else:
            async for chunk in reply:
                yield chunk
            self.warn_if_late(reply)

    def stream(self, reply: Stream, call: dict[str, Any]) -> Any:
        pieces = self.pieces(reply, call)
        return pieces if self.sdk == "google.genai" else sdk_stream(ClientStream, self.sdk, "Stream")(reply, pieces)

    def astream(self, reply: AsyncStream, call: dict[str, Any]) -> Any:
        pieces = self.apieces(reply, call)
        if self.sdk == "google.genai":
            return pieces
        return sdk_stream(AsyncClientStream, self.sdk, "AsyncStream")(reply, pieces)


def method(made: ClientCall) -> Callable[..., Any]:
    def create(**call: Any) -> Any:
        texts = made.texts()
        if made.model.quiet() and not texts:
            made.model.host.narrow_tools(None)
            return made.model.function(**call)
        call = made.model.with_texts(call, texts)
        reply = made.model(**call)
        return made.stream(reply, call) if isinstance(reply, Stream) else made.response(reply, call)

    return create


def async_method(made: ClientCall) -> Callable[..., Any]:
    async def create(**call: Any) -> Any:
        texts = made.texts()
        if made.model.quiet() and not texts:
            made.model.host.narrow_tools(None)
            return await made.model.function(**call)
        call = made.model.with_texts(call, texts)
        reply = await made.model(**call)
        return made.astream(reply, call) if isinstance(reply, AsyncStream) else made.response(reply, call)

    return create


def saying(text: str) -> dict[str, Any]:
    """A response with this text."""
    parts = {"role": "model", "parts": [text]}
    return {"text": text, "candidates": [{"content": parts, "finishReason": "STOP", "index": 0}]}


# ---- streams of the SDK's own type


def sdk_stream(own: type, sdk: str, name: str) -> Any:
    """A class for streams that is also the SDK's class."""
    from importlib import import_module

    return type(name, (own, getattr(import_module(sdk), name)), {})


class ClientStream:
    """Chunks of the SDK. What else its streams have comes from the stream of the SDK itself."""

    def __init__(self, reply: Stream, pieces: Iterator[Any]) -> None:
        self.reply, self._iterator = reply, pieces

    def __iter__(self) -> Iterator[Any]:
        return self._iterator

    def __next__(self) -> Any:
        return next(self._iterator)

    def __enter__(self) -> ClientStream:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self.reply.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reply.source, name)


class AsyncClientStream:
    """The same for `async for`."""

    def __init__(self, reply: AsyncStream, pieces: AsyncIterator[Any]) -> None:
        self.reply, self._iterator = reply, pieces

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._iterator

    async def __anext__(self) -> Any:
        return await anext(self._iterator)

    async def __aenter__(self) -> AsyncClientStream:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.reply.aclose()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reply.source, name)

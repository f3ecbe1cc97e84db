"""Real models, through one library for all of them: pydantic-ai, only its models and never its agent loop.

`provider_for("anthropic:NAME")` gives a provider. A conversation goes in and chunks come out in the form of
formats/plain.py; turns.py and settings.py translate into the library's types, failures.py turns errors into our words.
Keys come from the environment alone, and no text that leaves here holds one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Protocol

from tenterhook.clients.formats import sdk
from tenterhook.clients.models.failures import ProviderError, describe_model_error, one_line
from tenterhook.clients.models.settings import UNTOLD, settings
from tenterhook.clients.models.turns import Names, turns
from tenterhook.errors import UsageError, nearest
from tenterhook.support.secrets.mask import mask_secret_values, secrets
from tenterhook.support.terminal.urls import bare

__all__ = ["Provider", "ProviderError", "provider_for"]

Message = dict[str, Any]
Chunk = dict[str, Any]

# The library's finish reasons, in those of the stable form.
FINISHED = {"stop": "STOP", "tool_call": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY", "error": "OTHER"}
MALFORMED = "MALFORMED_FUNCTION_CALL"
# Seconds that an abandoned stream may take to close.
CLOSE = 5.0
# Loop iterations after which an idle reader waits for the network.
PASSES = 5


class Provider(Protocol):
    """A model that can be asked. `name` is shown to the user, `model` is used unless a hook names another."""

    name: str
    model: str

    async def ask(
        self,
        *,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] = (),
        toolConfig: dict[str, Any] | None = None,  # noqa: N803 - its name in the stable form
        config: dict[str, Any] | None = None,
        **rest: Any,
    ) -> AsyncIterator[Chunk]:
        """Texts as they come, and last a chunk with the calls, the finish reason, the usage, and the cost if it is
        known.

        `problems` in that chunk are options of the request that the model does not support.
        """
        ...

    async def aclose(self) -> None: ...


class RemoteModel:
    """A model behind an API, over a provider of the library."""

    def __init__(self, kind: str, model: str, provider: Any, *, name: str, keys: Sequence[str] = ()) -> None:
        self.kind, self.model, self.name = kind, model, name
        self.provider, self.keys = provider, keys
        self.entered = False

    async def ask(
        self,
        *,
        model: str = "",
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] = (),
        toolConfig: dict[str, Any] | None = None,  # noqa: N803 - its name in the stable form
        config: dict[str, Any] | None = None,
        **rest: Any,
    ) -> AsyncIterator[Chunk]:
        if not self.entered:
            self.entered = True  # first, because others may ask meanwhile
            await self.provider.__aenter__()
        asked = self.model_name(model)
        problems = [f"{key}: {UNTOLD}" for key in rest]
        return self.chunks(asked, messages, tools, toolConfig or {}, config or {}, problems)

    def model_name(self, model: str) -> str:
        """The model's own name, with or without that of its provider before it."""
        return self.model if model in ("", self.name) else model.removeprefix(f"{self.kind}:")

    async def chunks(self, *request: Any) -> AsyncIterator[Chunk]:
        """The stream is read in its own task: a caller that leaves early cancels a read, which closes the connection.

        If left between two chunks, not every SDK closes what it has open.
        """
        queue: asyncio.Queue[Chunk | None] = asyncio.Queue()
        reading = asyncio.create_task(self.read(*request, put=queue.put_nowait))

        def on_reading_end(task: asyncio.Task[None]) -> None:
            if not task.cancelled():
                task.exception()  # a caller that has left does not ask for it
            queue.put_nowait(None)

        reading.add_done_callback(on_reading_end)
        try:
            while (chunk := await queue.get()) is not None:
                yield chunk
            await reading
        finally:
            if not reading.done():
                await hung_up(reading)

    async def read(
        self,
        asked: str,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        choice: dict[str, Any],
        config: dict[str, Any],
        problems: list[str],
        *,
        put: Callable[[Chunk], None],
    ) -> None:
        """One request, from its start to the end of the response."""
        ai = sdk("pydantic-ai-slim", "pydantic_ai", "agent")
        try:
            model = self.create_model(asked)
            names = Names(tools, messages)
            wanted, more = settings(choice, config, names, model)
            opened = ai.direct.model_request_stream(
                model,
                turns(ai, messages, names),
                model_settings=wanted,
                model_request_parameters=ai.models.ModelRequestParameters(function_tools=names.definitions(ai, tools)),
            )
            async with opened as stream:
                async for event in stream:
                    if text := text_of(event):
                        put({"text": text})
            last = ending(stream.get(), names, problems + more)
        except Exception as exc:
            raise ProviderError(self.redact(describe_model_error(exc, ai.exceptions, asked, self.address()))) from exc
        if last is None:
            raise ProviderError(self.redact("the stream broke off before the response was complete; try again"))
        put(last)

    def create_model(self, model: str) -> Any:
        models = sdk("pydantic-ai-slim", "pydantic_ai.models", "agent")
        return models.infer_model(f"{self.kind}:{model}", provider_factory=lambda kind: self.provider)

    def address(self) -> str:
        return bare(str(self.provider.base_url))

    def redact(self, text: str) -> str:
        return mask_secret_values(f"{self.name}: {text}", self.keys)

    async def aclose(self) -> None:
        if self.entered:
            self.entered = False
            await self.provider.__aexit__(None, None, None)


class Compatible(RemoteModel):
    """Any other endpoint with OpenAI's chat completions API."""

    def create_model(self, model: str) -> Any:
        return sdk("openai", "pydantic_ai.models.openai", "agent").OpenAIChatModel(model, provider=self.provider)


async def hung_up(reading: asyncio.Task[None]) -> None:
    for _ in range(PASSES):
        await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait((reading,), timeout=CLOSE)


def text_of(event: Any) -> str:
    """The text that an event of a stream adds to the response; reasoning and calls are not text."""
    part = getattr(event, "delta", None) if event.event_kind == "part_delta" else None
    if part is not None:
        return (part.content_delta or "") if part.part_delta_kind == "text" else ""
    if event.event_kind == "part_start" and event.part.part_kind == "text":
        return event.part.content or ""
    return ""


def ending(response: Any, names: Names, problems: list[str]) -> Chunk | None:
    """The last chunk; None for a stream that ended too early: half a call must never run."""
    raw = (response.provider_details or {}).get("finish_reason")
    finish = FINISHED.get(response.finish_reason) or (str(raw).upper() if raw else "")
    if response.state != "complete" or not finish:
        return None
    calls, problems = [], list(problems)
    for part in response.tool_calls:
        name = names.ours(part.tool_name)
        try:
            calls.append({"name": name, "input": part.args_as_dict(raise_if_invalid=True), "id": part.tool_call_id})
        except (ValueError, AssertionError):
            problems.append(f"the model called {name} with an input that is not a JSON object")
            finish = MALFORMED if finish == "STOP" else finish
    last: Chunk = {"tool_calls": calls} if calls else {}
    last["candidates"] = [{"finishReason": finish}]
    used, made = response.usage.input_tokens, response.usage.output_tokens
    if used or made:
        counted = {"promptTokenCount": used, "candidatesTokenCount": made, "totalTokenCount": used + made}
        last["usageMetadata"] = counted
        if (cost := price(response)) is not None:
            last["cost"] = cost
    return {**last, "problems": problems} if problems else last


def price(response: Any) -> float | None:
    """US dollars; None for a model whose price the library does not know."""
    try:
        return float(response.cost().total_price)
    except Exception:  # an unknown price must not lose the response
        return None


def provider_for(name: str, *, keyless: bool = False) -> Provider:
    """The provider of a model: "openai:NAME", "anthropic:NAME", "google:NAME" and so on, or "NAME@URL".

    With `keyless` nothing of the environment is sent to such a URL: for names that the user did not write.
    """
    sdk("pydantic-ai-slim", "pydantic_ai.direct", "agent")
    for scheme in ("http://", "https://"):
        model, found, rest = name.partition(f"@{scheme}")
        if found:
            return compatible(model, scheme + rest, keyless=keyless)
    kind, _, model = name.partition(":")
    if "@" in kind:
        raise UsageError(f"{name!r}: the address of a server begins with http:// or https://, as in NAME@http://...")
    if not kind or not model:
        raise UsageError(f"a model is named PROVIDER:NAME (anthropic:claude-sonnet-4-5, say) or NAME@URL, not {name!r}")
    return RemoteModel(kind, model, infer_library_provider(kind), name=name, keys=secrets(os.environ))


def compatible(model: str, url: str, *, keyless: bool = False) -> Provider:
    """Local servers mostly need no key; one that does gets OPENAI_API_KEY."""
    if not model:
        raise UsageError(f"the model's name is missing: NAME@{bare(url)}")
    found = sdk("openai", "pydantic_ai.providers.openai_compatible", "agent")
    name = f"{model}@{bare(url)}"
    try:
        key = None if keyless else os.environ.get("OPENAI_API_KEY") or None
        provider = found.OpenAICompatibleProvider("compatible", base_url=url, api_key=key)
        if keyless:
            clear_client_identity(provider.client)
    except Exception as exc:
        raise UsageError(f"{name}: this URL cannot be used: {one_line(exc)}") from exc
    return Compatible("", model, provider, name=name, keys=(*secrets(os.environ), *secret_parts(url)))


def clear_client_identity(client: Any) -> None:
    """The SDK takes more than the key from the environment: the organisation, and headers."""
    client.organization = client.project = None
    client._custom_headers = {}


def infer_library_provider(kind: str) -> Any:
    """The library's own provider of that name, with its key from the environment."""
    providers = sdk("pydantic-ai-slim", "pydantic_ai.providers", "agent")
    try:
        providers.infer_provider_class(kind)
        return providers.infer_provider(kind)
    except ValueError as exc:
        if not str(exc).startswith("Unknown provider"):
            raise UsageError(f"{kind}: {mask_secret_values(one_line(exc), secrets(os.environ))}") from exc
        raise UsageError(
            f"no provider {kind!r}{nearest(kind, kinds())}; among the known are: {', '.join(kinds())}"
        ) from None
    except ImportError as exc:
        raise UsageError(f"{kind} needs a package: pip install 'tenterhook[agent]' ({one_line(exc)})") from exc
    except Exception as exc:
        raise UsageError(f"{kind}: {missing(exc, secrets(os.environ))}") from exc


def missing(exc: Exception, keys: Sequence[str]) -> str:
    """Which variable a provider needs; its own message if it names none."""
    words = str(exc).replace("`", " ").replace("=", " ").split()
    variables = [word for word in words if word.isupper() and "_" in word]
    if variables:
        return f"set {variables[0]} in the environment"
    return mask_secret_values(one_line(exc), keys)


def kinds() -> list[str]:
    """The providers whose models the library knows, by prefix, without its own gateway."""
    listed = sdk("pydantic-ai-slim", "pydantic_ai.models", "agent").known_model_names()
    return sorted({name.partition(":")[0] for name in listed if ":" in name and "/" not in name.partition(":")[0]})


def secret_parts(url: str) -> list[str]:
    """The parts of a URL that must not be shown."""
    host = url.partition("://")[2].partition("/")[0]
    return [part for part in host.rpartition("@")[0].split(":") if part]

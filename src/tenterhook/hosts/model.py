"""A model call from its first hook to its last: `call` is the whole story, `prepared` and `answered` its two halves.

A host uses only the types of its SDK; the stable form that hooks see does not leave this file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.clients import formats
from tenterhook.errors import UsageError
from tenterhook.hosts.reply import AsyncStream, Reply, Stream, Streamed, each
from tenterhook.hosts.steps import Call, Fire, Host, Steps, adrive, drive, is_async
from tenterhook.pipeline.deliver import for_model
from tenterhook.types import Outcome

Function = Callable[..., Any]


class BeforeModel(Struct, frozen=True):
    """A request after its hooks. `modified_request` is the SDK's call to make, None if unchanged."""

    blocked: bool = False
    reason: str = ""
    synthetic_response: Any = None
    modified_request: dict[str, Any] | None = None
    allowed: frozenset[str] | None = None
    problems: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


class Model:
    """A function that calls a model, with hooks around it. Takes its own keyword arguments, returns a Reply."""

    asynchronous = False

    def __init__(
        self, host: Host, function: Function, *, format: str = "", stream: bool | None = None, collect: bool = False
    ) -> None:
        self.host, self.engine, self.function = host, host.engine, function
        self.format, self.name, self.stream, self.collect = formats.get(format), format, stream, collect

    def __call__(self, **call: Any) -> Any:
        if self.quiet():
            self.host.narrow_tools(None)
            return self.wrapped(self.function(**call), None)
        return drive(self.host, self.call(call))

    def quiet(self) -> bool:
        return not any(self.engine.listens(event) for event in ("model.before", "tools.select", "model.after"))

    def call(self, call: dict[str, Any]) -> Steps[Any]:
        """Hooks on the request, the call itself, hooks on the complete response."""
        ready = yield from self.prepared(call)
        if ready.blocked:
            self.host.narrow_tools(None)
            return self.answer_without_asking(ready, call)
        asked = call if ready.modified_request is None else ready.modified_request
        try:
            response = yield Call(self.function, (), asked)
        except Exception:
            self.host.narrow_tools(None)
            raise

        def after(reply: Reply, response: Any) -> Steps[None]:
            yield from self.answered(reply, asked, response)

        reply = self.wrapped(response, after if self.engine.listens("model.after") else None)
        reply.outcomes, reply.allowed, reply.problems = ready.outcomes, ready.allowed, list(ready.problems)
        if not isinstance(reply, Streamed):
            yield from after(reply, response)
        self.host.narrow_tools(ready.allowed)  # at the end: a cancelled call changes nothing
        return reply

    def prepared(self, call: dict[str, Any]) -> Steps[BeforeModel]:
        """Run the hooks on the request, and on the tools that the model may choose from."""
        view = self.format.request_view(call)
        before: Outcome = yield Fire("model.before", {"llm_request": view})
        if before.blocked or before.halts:
            return self.refused(before, call)
        asked = call
        problems: list[str] = []
        if "request" in before.changes:
            asked, problems = self.format.apply_request(before.changes["request"], call)
            self.engine.warn(before.event, problems)
        outcomes: tuple[Outcome, ...] = (before,)
        allowed = tools_narrowed_by_request(view, before.changes.get("request", view))
        if self.format.has_tools(asked):
            select: Outcome = yield Fire("tools.select", {"llm_request": self.format.request_view(asked)})
            outcomes += (select,)
            if select.halts:
                return replace(self.refused(select, call), outcomes=outcomes, problems=tuple(problems))
            if config := select.changes.get("tool_config"):
                asked, more = self.format.apply_tools(config, asked)
                self.engine.warn(select.event, more)
                problems += more
                allowed = both(allowed, tools_allowed_by_config(config))
        asked = self.with_words(asked, outcomes)
        changed = None if asked is call else asked
        return BeforeModel(False, "", None, changed, allowed, tuple(problems), outcomes)

    def refused(self, outcome: Outcome, call: dict[str, Any]) -> BeforeModel:
        """On a stop or a block the model is not asked; only a hook's own response replaces it."""
        view = outcome.changes.get("response")
        response = None if view is None else self.format.build_response(view, call)
        reason = outcome.reason if outcome.blocked else outcome.stop_reason
        return BeforeModel(True, reason, response, outcomes=(outcome,))

    def with_words(self, call: dict[str, Any], outcomes: Sequence[Outcome]) -> dict[str, Any]:
        """Add the hooks' texts for the model to this very call, after all other messages."""
        return self.with_texts(call, self.texts(outcomes))

    def with_texts(self, call: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
        if not texts:
            return call
        view = self.format.request_view(call)
        added = [{"role": "user", "content": text} for text in texts]
        return self.format.apply_request({**view, "messages": [*view["messages"], *added]}, call)[0]

    def answered(self, reply: Reply, call: dict[str, Any], response: Any) -> Steps[None]:
        """Run the hooks on a complete response: they may change it, hide it, or stop the agent with another one."""
        if not self.format.is_response(response):
            kind = f"{type(response).__module__}.{type(response).__name__}"
            raise UsageError(f"the format {self.name!r} does not know what this function gives, a {kind}")
        views = {"llm_request": self.format.request_view(call), "llm_response": self.format.response_view(response)}
        outcome: Outcome = yield Fire("model.after", views)
        if "response" in outcome.changes:
            if lost := self.format.called_tools(response):
                reply.problems.append(f"a hook changed the response, so its calls are gone: {', '.join(lost)}")
            response = self.format.build_response(outcome.changes["response"], call, response)
        reply.made = response
        reply.outcomes = (*reply.outcomes, outcome)
        reply.user_messages = tuple(self.host.received(self.texts([outcome])))

    def answer_without_asking(self, ready: BeforeModel, call: dict[str, Any]) -> Reply:
        """The hook's response in place of the model's; without one, an empty response."""
        response = ready.synthetic_response
        if response is None:
            response = self.format.build_response({"candidates": []}, call)
        reply = Reply(response, ready.outcomes, synthetic=True)
        if self.streams(call):
            reply = self.replay_response(response)
            reply.made, reply.outcomes, reply.synthetic = response, ready.outcomes, True
        reply.problems = list(ready.problems)
        reply.user_messages = tuple(self.host.received(self.texts(ready.outcomes)))
        return reply

    def streams(self, call: dict[str, Any]) -> bool:
        """Whether the caller expects a stream: by an option, the call, or the function's name."""
        if self.stream is not None:
            return self.stream
        bare = inspect.unwrap(self.function)
        if inspect.isgeneratorfunction(bare) or inspect.isasyncgenfunction(bare):
            return True
        return bool(call.get("stream")) or "stream" in getattr(self.function, "__name__", "")

    def replay_response(self, response: Any) -> Streamed:
        """A response that is already complete, so it is not assembled again."""
        chunks = self.format.as_chunks(response)
        if self.asynchronous or inspect.isasyncgenfunction(inspect.unwrap(self.function)):
            return AsyncStream(self.host, self.format, each(chunks), None, False)
        return Stream(self.host, self.format, iter(chunks), None, False)

    def wrapped(self, response: Any, after: Any) -> Any:
        """A stream, or a complete response."""
        if inspect.iscoroutine(response):
            response.close()
            raise UsageError(f"{self.function!r} is async and does not show it: wrap it in an async def")
        if hasattr(response, "__aiter__"):
            return AsyncStream(self.host, self.format, response, after, self.collect)
        if hasattr(response, "__next__"):
            return Stream(self.host, self.format, response, after, self.collect)
        if hasattr(response, "http_response") and hasattr(response, "parse"):
            raise UsageError("a raw HTTP response cannot be wrapped: wrap the function that gives the parsed one")
        if hasattr(response, "__enter__") or hasattr(response, "__aenter__"):
            raise UsageError("a helper that opens a stream cannot be wrapped: wrap create, call it with stream=True")
        return Reply(response)

    def texts(self, outcomes: Sequence[Outcome]) -> list[str]:
        messages = (one for outcome in outcomes for one in outcome.messages)
        return for_model(messages, self.engine.dialect.messages.marks, self.engine.hookset.label)


class AsyncModel(Model):
    """The same for functions that are async."""

    asynchronous = True

    async def __call__(self, **call: Any) -> Any:
        if self.quiet():
            self.host.narrow_tools(None)
            return self.wrapped(await self.function(**call), None)
        return await adrive(self.host, self.call(call))


def tools_allowed_by_config(config: dict[str, Any]) -> frozenset[str] | None:
    """The tools that a configuration leaves the model; None for all."""
    if config.get("mode") == "NONE":
        return frozenset()
    names = config.get("allowedFunctionNames")
    return frozenset(str(name) for name in names) if isinstance(names, list) else None


def tools_narrowed_by_request(before: dict[str, Any], wanted: dict[str, Any]) -> frozenset[str] | None:
    """The tools that a changed request leaves, if they were changed."""
    config = wanted.get("toolConfig")
    return tools_allowed_by_config(config) if isinstance(config, dict) and config != before.get("toolConfig") else None


def both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """The tools that both leave; None for all."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def model(host: Host, function: Function, **options: Any) -> Model:
    if not callable(function):
        raise UsageError(f"a function that calls a model is needed, not {function!r}")
    return (AsyncModel if is_async(function) else Model)(host, function, **options)

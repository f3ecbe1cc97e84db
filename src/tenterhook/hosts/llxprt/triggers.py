"""The functions that a host calls before and after its tools and its model. None of them raises."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from tenterhook.clients.formats.genai.values import get
from tenterhook.engine.engine import Engine
from tenterhook.hosts import tool
from tenterhook.hosts.llxprt.config import Config
from tenterhook.hosts.llxprt.handler import HookEventHandler
from tenterhook.hosts.llxprt.outputs import (
    AfterModelHookOutput,
    BeforeModelHookOutput,
    BeforeToolSelectionHookOutput,
    DefaultHookOutput,
)
from tenterhook.hosts.llxprt.registry import SWITCHED_ON
from tenterhook.hosts.llxprt.results import (
    AfterModelHookResult,
    BeforeModelHookResult,
    BeforeToolSelectionHookResult,
    normalise_tool_return,
)
from tenterhook.hosts.llxprt.translator import Request
from tenterhook.hosts.result import ToolResult
from tenterhook.hosts.steps import Host, is_async
from tenterhook.support import logs
from tenterhook.types import Outcome

log = logs.redacting_logger("tenterhook.llxprt")

P = ParamSpec("P")
T = TypeVar("T")
Input = Mapping[str, Any]


def never_raises(
    default: Callable[..., Any],
) -> Callable[[Callable[P, Coroutine[Any, Any, T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """On an exception, log it and return `default` of the same arguments, so that the caller can go on."""

    def wrap(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        @wraps(function)
        async def log_failure(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return await function(*args, **kwargs)
            except Exception:
                log.warning("%s failed, so no hook counts", function.__name__, exc_info=True)
                return default(*args, **kwargs)  # type: ignore[no-any-return]

        return log_failure

    return wrap


def ready(config: Config) -> HookEventHandler | None:
    """The event handler with its hooks loaded; None if hooks are off."""
    system = config.get_hook_system()
    if system is None:
        return None
    system.initialize()
    return system.get_event_handler()


@never_raises(lambda config, tool_name, tool_input: None)
async def fire_before_tool_hook(config: Config, tool_name: str, tool_input: Input) -> DefaultHookOutput | None:
    """The hooks' answer to a tool call; None if they have none."""
    handler = ready(config)
    return (await handler.fire_before_tool_event(tool_name, tool_input)).final_output if handler else None


@never_raises(lambda config, tool_name, tool_input, tool_response: None)
async def fire_after_tool_hook(
    config: Config, tool_name: str, tool_input: Input, tool_response: Input | ToolResult
) -> DefaultHookOutput | None:
    """The hooks' answer to a tool's result, a ToolResult or a mapping; None if they have none."""
    handler = ready(config)
    if handler is None:
        return None
    return (await handler.fire_after_tool_event(tool_name, tool_input, tool_response)).final_output


@never_raises(lambda config, llm_request: BeforeModelHookResult())
async def fire_before_model_hook(config: Config, llm_request: Request) -> BeforeModelHookResult:
    """Whether and how to ask the model. On a stop, as on a block, the model is not asked."""
    handler = ready(config)
    output = (await handler.fire_before_model_event(llm_request)).final_output if handler else None
    if not isinstance(output, BeforeModelHookOutput):
        return BeforeModelHookResult()
    if output.is_blocking_decision() or output.should_stop_execution():
        return BeforeModelHookResult(
            blocked=True,
            reason=output.get_effective_reason(),
            synthetic_response=stand_in(output, llm_request),
            output=output,
        )
    changed = output.apply_llm_request_modifications(llm_request)
    return BeforeModelHookResult(modified_request=None if changed is llm_request else dict(changed), output=output)


def stand_in(output: BeforeModelHookOutput, llm_request: Request) -> Any:
    """Keep the block even if its response cannot be built."""
    try:
        return output.get_synthetic_response(llm_request)
    except Exception:
        log.warning("the response of a hook cannot be built; the call stays blocked", exc_info=True)
        return None


@never_raises(lambda config, llm_request, llm_response: AfterModelHookResult(response=llm_response))
async def fire_after_model_hook(config: Config, llm_request: Request, llm_response: Any) -> AfterModelHookResult:
    """The response to continue with: the model's own, or the one that hooks made."""
    handler = ready(config)
    output = (await handler.fire_after_model_event(llm_request, llm_response)).final_output if handler else None
    if not isinstance(output, AfterModelHookOutput):
        return AfterModelHookResult(response=llm_response)
    changed = output.get_modified_response(llm_request, llm_response)
    return AfterModelHookResult(response=llm_response if changed is None else changed, output=output)


@never_raises(lambda config, llm_request: BeforeToolSelectionHookResult())
async def fire_before_tool_selection_hook(config: Config, llm_request: Request) -> BeforeToolSelectionHookResult:
    """Which of the request's tools the model may call."""
    handler = ready(config)
    output = (await handler.fire_before_tool_selection_event(llm_request)).final_output if handler else None
    if not isinstance(output, BeforeToolSelectionHookOutput):
        return BeforeToolSelectionHookResult()
    before = llm_request.get("config")
    changed = output.apply_tool_config_modifications(before)
    if changed is before:
        return BeforeToolSelectionHookResult(output=output)
    return BeforeToolSelectionHookResult(
        tool_config=get(changed, "tool_config"), tools=get(changed, "tools"), output=output
    )


async def execute_tool_with_hooks(
    config: Config, tool_name: str, tool_input: dict[str, Any], execute_fn: Callable[..., Any]
) -> ToolResult:
    """One tool call with all its hooks: before, the function with the input as hooks left it, after.

    The function takes the input as one mapping, by name, or not at all, and may be async. It returns a ToolResult, a
    mapping with `llmContent`, or content. If it raises, the result has the error.
    """
    return await tool.execute_tool_with_hooks(host_of(config), tool_name, tool_input, taking_input(execute_fn))


def taking_input(execute_fn: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    """A function of one mapping that calls the given one according to its parameters, and converts what it returns."""
    call = calling(execute_fn)

    async def call_async(input: dict[str, Any]) -> Any:
        return normalise_tool_return(await call(input))

    return call_async if is_async(execute_fn) else lambda input: normalise_tool_return(call(input))


def calling(execute_fn: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    """Adapt a function to take a mapping. The document's own takes nothing: it knows its input, which cannot change."""
    try:
        signature = inspect.signature(execute_fn)
    except (TypeError, ValueError):  # a builtin without a signature
        return execute_fn
    if not signature.parameters:
        return lambda input: execute_fn()
    try:
        signature.bind({})
    except TypeError:
        return lambda input: execute_fn(**input)
    return execute_fn


def host_of(config: Config) -> Host:
    """The host of tool calls; if hooks are off, an engine without hooks, so that tools are called the same way."""
    try:
        handler = ready(config)
        return quiet() if handler is None else ToolHost(handler)
    except Exception:
        log.warning("the hook system failed, so no hook counts", exc_info=True)
        return quiet()


@cache
def quiet() -> Engine:
    """One shared engine for hosts whose hooks are off: it reads nothing and has no hooks."""
    return Engine(files=False, dialect=SWITCHED_ON)


class ToolHost:
    """A host of tool calls that fires events through the handler, as every trigger does."""

    ask = None
    allowed = None

    def __init__(self, handler: HookEventHandler) -> None:
        self.handler = handler
        self.engine: Engine = handler.registry.engine

    def narrow_tools(self, allowed: frozenset[str] | None) -> None:
        self.engine.narrow_tools(allowed)

    def received(self, texts: Sequence[str]) -> Sequence[str]:
        return self.engine.received(texts)

    def fire(self, event: str, /, **data: Any) -> Outcome:
        return self.engine.fire(event, **self.handler.base(), **data)

    async def afire(self, event: str, /, **data: Any) -> Outcome:
        return (await self.handler.fire_tool_event(self.engine.rule(event).name, data)).outcome

"""Hooks in agents of the OpenAI Agents SDK: a runner in place of the SDK's own.

    result = await HookRunner(engine).run(agent, "Go.")        run_sync and run_streamed, too

`HookRunner(engine, approval=True)` asks for permission by the SDK's own interruptions. Hosted tools run at the
provider, so no hook sees them: an agent that has one is refused, unless `allow_hosted=True`.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, cast
from uuid import uuid4

from agents import Agent, FunctionTool, Handoff, Model, ModelProvider, ModelResponse, RunConfig, Runner, RunState
from agents.exceptions import AgentsException
from agents.models.multi_provider import MultiProvider
from agents.tool import Tool as SdkTool
from agents.tool import resolve_function_tool_failure_error_function, set_function_tool_failure_error_function
from agents.tool_context import ToolContext
from agents.usage import Usage
from openai.types.responses import Response, ResponseCompletedEvent, ResponseOutputMessage, ResponseOutputText

from tenterhook.adapters.endings import end_after_model, end_after_tool
from tenterhook.adapters.live_updates import LiveUpdates
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.adapters.waiting_calls import ApprovedCall, Key, WaitingCalls, key_of
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.hosts.model import AsyncModel
from tenterhook.hosts.permission import Ask, PermissionRequest
from tenterhook.hosts.result import ToolError, ToolResult
from tenterhook.hosts.session import Session

# The names of `Model.get_response`'s positional parameters.
PARAMETERS = ("system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs", "tracing")


class PromptRefused(AgentsException):
    """A hook refused the prompt, so no model was asked."""


class NeedsApproval(Exception):
    """A hook asks; the SDK's interruption asks the person."""


class HookRunner:
    """`permission` asks a person and `tell` gets texts for the user, as in a session."""

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
        approval: bool = False,
        allow_hosted: bool = False,
    ) -> None:
        self.engine, self.approval, self.allow_hosted = engine or Engine("."), approval, allow_hosted
        self.sessions = Sessions(self.engine, permission=permission, tell=tell)
        # With `approval`: calls that wait for it, or whose hooks ran before the SDK asked whether they need it.
        self.waiting = WaitingCalls()

    async def run(self, agent: Agent[Any], input: Any, *, conversation: str = "", **options: Any) -> Any:
        """`conversation` names what belongs together; without it each run is a session of its own."""
        run, options = await self.begin(input, conversation, options)
        return await Runner.run(run.agent(agent), await run.enter_prompt(input), **options)

    def run_sync(self, agent: Agent[Any], input: Any, *, conversation: str = "", **options: Any) -> Any:
        return shared_loop().run_until_complete(self.run(agent, input, conversation=conversation, **options))

    async def run_streamed(self, agent: Agent[Any], input: Any, *, conversation: str = "", **options: Any) -> Any:
        """Awaited, because hooks see the prompt before the run begins."""
        run, options = await self.begin(input, conversation, options)
        return Runner.run_streamed(run.agent(agent), await run.enter_prompt(input), **options)

    async def begin(self, input: Any, conversation: str, options: dict[str, Any]) -> tuple[HookedRun, dict[str, Any]]:
        id = conversation or self.session_of(input) or str(uuid4())
        run = HookedRun(self, await self.sessions.aget(id))
        config = options.get("run_config") or RunConfig()
        model = HookedModel(run, config.model) if isinstance(config.model, Model) else config.model
        provider = HookedProvider(run, config.model_provider or MultiProvider())
        return run, {**options, "run_config": replace(config, model=model, model_provider=provider)}

    def session_of(self, input: Any) -> str:
        """The session of a run that is resumed, if one of its calls waits here."""
        items = input.get_interruptions() if isinstance(input, RunState) else []
        return next((session for item in items if (session := self.waiting.session_of(call_id_of(item)))), "")


class HookedRun:
    """The hooks of one run. `stopped` is why it ends, after a hook stopped the agent."""

    def __init__(self, runner: HookRunner, session: Session) -> None:
        self.runner, self.session = runner, session
        self.stopped: str | None = None
        # Messages that hooks added, each with its place in the conversation: the SDK does not keep them.
        self.added: list[tuple[int, dict[str, Any]]] = []
        self.known: dict[int, Agent[Any]] = {}

    async def enter_prompt(self, input: Any) -> Any:
        """The input with the texts that hooks add; a run that is resumed has no prompt."""
        if isinstance(input, RunState):
            return input
        last = input if isinstance(input, str) else last_prompt(input)
        if last is None:
            return input
        prompt = await self.session.aprompt(last)
        if prompt.blocked or prompt.stop:
            raise PromptRefused(prompt.reason)
        if prompt.text == last:
            return input
        return prompt.text if isinstance(input, str) else [*input, user_item(prompt.text[len(last) :].strip())]

    # ---- agents

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """The agent with hooks around its tools and its model, and around those of the agents that it hands over to."""
        if id(agent) in self.known:
            return self.known[id(agent)]
        hooked = self.known[id(agent)] = copy.copy(agent)
        hooked.__class__ = hooked_class(type(agent))
        hooked.tenterhook_run = self  # type: ignore[attr-defined]
        if isinstance(agent.model, Model):
            hooked.model = HookedModel(self, agent.model)
        hooked.handoffs = [self.handoff(one) for one in agent.handoffs]
        return hooked

    def handoff(self, one: Any) -> Any:
        if isinstance(one, Agent):
            return self.agent(one)
        inner = cast(Handoff[Any, Any], one)

        async def invoke(context: Any, arguments: str) -> Any:
            return self.agent(await inner.on_invoke_handoff(context, arguments))

        return replace(inner, on_invoke_handoff=invoke)

    # ---- tools

    def tool(self, tool: SdkTool) -> SdkTool:
        if not isinstance(tool, FunctionTool):
            if self.runner.allow_hosted:
                return tool
            raise UsageError(
                f"no hook sees the hosted tool {tool.name!r}, because it runs at the provider: take it out, or say "
                "HookRunner(allow_hosted=True)"
            )
        hooked = copy.copy(tool)
        failures: dict[str, Exception] = {}

        def note_failure(context: Any, error: Exception) -> Any:
            failures[context.tool_call_id] = error
            explain = resolve_function_tool_failure_error_function(tool, context)
            if explain is None:
                raise error
            return explain(context, error)

        set_function_tool_failure_error_function(hooked, note_failure)
        invoke = hooked.on_invoke_tool

        async def invoke_with_hooks(context: ToolContext[Any], arguments: str) -> Any:
            return await self.call_tool(tool.name, invoke, context, arguments, failures)

        hooked.on_invoke_tool = invoke_with_hooks
        if self.runner.approval:
            hooked.needs_approval = self.asks_first(tool)
        return hooked

    def pending_call(self, name: str, arguments: str, id: str) -> PendingCall:
        if not self.runner.approval:
            return PendingCall(self.session, name, arguments, id=id)
        key = self.key_of(name, arguments, id)
        call = self.runner.waiting.find(key)
        if call is None:
            call = ApprovedCall(self.session, name, arguments, id=id, question=needs_approval, suspends=NeedsApproval)
            self.runner.waiting.keep(key, call)
        return call

    def key_of(self, name: str, arguments: str, id: str) -> Key:
        """The SDK writes the arguments again when it asks whether a call needs approval, so their text may differ."""
        from json import loads

        try:
            return key_of(self.session.id, id, name, loads(arguments))
        except ValueError:
            return key_of(self.session.id, id, name, arguments)

    def asks_first(self, tool: FunctionTool) -> Callable[[Any, dict[str, Any], str], Awaitable[bool]]:
        """Run the hooks when the SDK asks whether a call needs approval."""

        async def asks(context: Any, parameters: dict[str, Any], id: str) -> bool:
            from json import dumps

            call = self.pending_call(tool.name, dumps(parameters), id)
            try:
                if not call.quiet:
                    await call.abegin()
            except NeedsApproval:
                return True
            own = tool.needs_approval
            return bool(await own(context, parameters, id)) if callable(own) else own

        return asks

    async def call_tool(
        self, name: str, invoke: Any, context: ToolContext[Any], arguments: str, failures: dict[str, Exception]
    ) -> Any:
        call = self.pending_call(name, arguments, context.tool_call_id)
        if isinstance(call, ApprovedCall):
            call.answer = True  # the SDK calls a tool that needs approval only after it was approved
        try:
            if call.quiet:
                return await invoke(context, arguments)
            value: Any = None
            if call.result is None and (call.at_tool() or await call.abegin() is None):
                value = await self.run_tool(call, invoke, context, arguments, failures)
        finally:
            self.runner.waiting.remove(self.key_of(name, arguments, context.tool_call_id))
        result = call.result
        assert result is not None
        if (reason := end_after_tool(result)) is not None:
            self.stopped = reason
        self.session.received(result.user_messages)
        if result.error and result.error.exception and value is None:
            raise result.error.exception
        return value if result.llm_content == value else str(result)

    async def run_tool(
        self, call: PendingCall, invoke: Any, context: Any, arguments: str, failures: dict[str, Exception]
    ) -> Any:
        from json import dumps, loads

        same = arguments and call.input == loads(arguments)
        try:
            value = await invoke(context, arguments if same else dumps(call.input))
        except Exception as exc:
            await call.afail(exc)
            return None
        failed = failures.pop(context.tool_call_id, None)
        shown = ToolResult(value, value, {}, ToolError(str(failed))) if failed and isinstance(value, str) else value
        await call.afinish(shown)
        return value

    # ---- the model

    async def ask(self, model: Model, call: dict[str, Any], named: dict[str, Any]) -> ModelResponse:
        """Ask the model, with hooks, until a stop hook agrees with the end of the turn."""
        while True:
            response = await self.ask_once(lambda call: model.get_response(**call, **named), call)
            again = await self.goes_on(response, call)
            if again is None:
                return response

    async def ask_once(self, get: Callable[[dict[str, Any]], Awaitable[ModelResponse]], call: dict[str, Any]) -> Any:
        if self.stopped is not None:
            return response_saying(self.stopped)
        own = self.with_added(call)
        got: list[ModelResponse] = []

        async def create(**changed: Any) -> Response:
            got.append(await get(changed_call(own, changed)))
            return empty_response().model_copy(update={"output": got[0].output})

        asked = AsyncModel(self.session, create, format="openai_responses")
        if asked.quiet():
            return await get(own)
        reply = await asked(**view_of(own))
        if (reason := end_after_model(reply)) is not None:
            self.stopped = reason
        output = reply.response.output
        if got and output is got[0].output:
            return got[0]
        if not output and self.stopped is not None:
            return response_saying(self.stopped)
        return ModelResponse(list(output), got[0].usage if got else Usage(), None)

    def with_added(self, call: dict[str, Any]) -> dict[str, Any]:
        """The call with what hooks added to the conversation, each text in its place."""
        items = items_of(call["input"])
        self.added += [(len(items), user_item(text)) for text in self.session.pending()]
        for place, item in reversed(self.added):
            items.insert(place, item)
        return {**call, "input": items} if self.added else call

    async def goes_on(self, response: ModelResponse, call: dict[str, Any]) -> str | None:
        """The text with which a stop hook sends the agent back to work, if this is the end of its turn."""
        if self.stopped is not None or any(item.type != "message" for item in response.output):
            return None
        text = "".join(part.text for item in response.output for part in item.content if part.type == "output_text")
        stop = await self.session.astop(text)
        if not stop.goes_on:
            return None
        place = len(items_of(call["input"]))
        self.added += [(place, item) for item in cast(Any, response.to_input_items())]
        self.added.append((place, user_item(stop.text)))
        return stop.text


class HookedModel(Model):
    """A model with hooks around each call."""

    def __init__(self, run: HookedRun, model: Model) -> None:
        self.run, self.model = run, model

    async def get_response(self, *args: Any, **named: Any) -> ModelResponse:
        call, others = split_parameters(args, named)
        return await self.run.ask(self.model, call, others)

    async def stream_response(self, *args: Any, **named: Any) -> AsyncIterator[Any]:
        """The events as they come. The last one, with the whole response, comes after its hooks."""
        call, others = split_parameters(args, named)
        while True:
            live = LiveUpdates(partial(self.read, call, others))
            last: Any = None
            async for event in live:
                if event.type == "response.completed":
                    last = event
                else:
                    yield event
            if await self.run.goes_on(live.result, call) is None:
                yield final_event(last, live.result)
                return

    async def read(self, call: dict[str, Any], others: dict[str, Any], put: Callable[[Any], None]) -> ModelResponse:
        async def receive(call: dict[str, Any]) -> ModelResponse:
            last: Any = None
            async for last in self.model.stream_response(**call, **others):
                put(last)
            return ModelResponse(last.response.output, Usage(), last.response.id)

        return await self.run.ask_once(receive, call)

    async def close(self) -> None:
        await self.model.close()

    def get_retry_advice(self, request: Any) -> Any:
        return self.model.get_retry_advice(request)


class HookedProvider(ModelProvider):
    """A provider whose models have hooks."""

    def __init__(self, run: HookedRun, provider: ModelProvider) -> None:
        self.run, self.provider = run, provider

    def get_model(self, model_name: str | None) -> Model:
        return HookedModel(self.run, self.provider.get_model(model_name))

    async def aclose(self) -> None:
        await self.provider.aclose()


CLASSES: dict[type, type] = {}


def hooked_class(kind: type) -> type:
    """The agent's class with hooks around all of its tools, those of MCP servers too."""

    async def get_all_tools(self: Any, run_context: Any) -> list[SdkTool]:
        return [self.tenterhook_run.tool(tool) for tool in await kind.get_all_tools(self, run_context)]  # type: ignore[attr-defined]

    if kind not in CLASSES:
        CLASSES[kind] = type(kind.__name__, (kind,), {"get_all_tools": get_all_tools})
    return CLASSES[kind]


@cache
def shared_loop() -> asyncio.AbstractEventLoop:
    """The event loop of every `run_sync`: clients keep connections, which end with their loop."""
    return asyncio.new_event_loop()


def needs_approval(request: PermissionRequest) -> NeedsApproval:
    return NeedsApproval(request.reason)


def call_id_of(item: Any) -> str:
    """The id of the call that an interruption is about."""
    raw = item.raw_item
    return str((raw.get("call_id") if isinstance(raw, dict) else getattr(raw, "call_id", "")) or "")


def split_parameters(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters that hooks see or change, and the others."""
    every = {**dict(zip(PARAMETERS, args, strict=False)), **named}
    return {name: every.pop(name) for name in ("input", "tools", "model_settings")}, every


def view_of(call: dict[str, Any]) -> dict[str, Any]:
    tools = [{"type": "function", "name": tool.name} for tool in call["tools"]]
    return {"model": "", "input": call["input"], **({"tools": tools} if tools else {})}


def changed_call(own: dict[str, Any], changed: dict[str, Any]) -> dict[str, Any]:
    """The call as hooks left it."""
    made = {**own, "input": changed["input"]}
    choice = changed.get("tool_choice")
    if choice == "none":
        made["tools"] = []
    elif isinstance(choice, dict):
        names = {one.get("name") for one in choice.get("tools", [choice])}
        made["tools"] = [tool for tool in own["tools"] if tool.name in names]
    if choice == "required" or isinstance(choice, dict):
        made["model_settings"] = replace(own["model_settings"], tool_choice="required")
    return made


def items_of(input: Any) -> list[Any]:
    return [user_item(input)] if isinstance(input, str) else list(input)


def user_item(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def last_prompt(items: list[Any]) -> str | None:
    last = items[-1] if items else None
    if not isinstance(last, dict) or last.get("role") != "user":
        return None
    content = last["content"]
    return content if isinstance(content, str) else "".join(str(part.get("text") or "") for part in content)


def response_saying(text: str) -> ModelResponse:
    """A response that says this."""
    part = ResponseOutputText(annotations=[], text=text, type="output_text")
    message = ResponseOutputMessage(
        id=f"msg_{uuid4().hex}", content=[part], role="assistant", status="completed", type="message"
    )
    return ModelResponse([message], Usage(), None)


def final_event(last: Any, response: ModelResponse) -> Any:
    """The final event of a stream, with the response as hooks left it."""
    if last is not None and last.response.output == response.output:
        return last
    base = last.response if last is not None else empty_response()
    made = base.model_copy(update={"output": response.output})
    number = last.sequence_number if last is not None else 0
    return ResponseCompletedEvent(response=made, sequence_number=number, type="response.completed")


def empty_response() -> Response:
    return Response.model_construct(
        id=f"resp_{uuid4().hex}",
        created_at=0,
        model="",
        object="response",
        output=[],
        status="completed",
        tools=[],
        tool_choice="auto",
    )

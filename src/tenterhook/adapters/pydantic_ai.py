"""HookCapability in agents of Pydantic AI: a capability.

    agent = Agent(model, tools=tools, capabilities=[HookCapability(engine)])

`HookCapability(engine, approval=True)` asks for permission by Pydantic AI's own deferred tool calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from pydantic_ai import ModelRequestNode, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import AgentRunError, ApprovalRequired, CallDeferred, ModelRetry, ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.result import FinalResult
from pydantic_ai.tools import ToolDefinition
from pydantic_graph import End

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.endings import end_after_model, end_after_tool
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.adapters.waiting_calls import ApprovedCall, Key, WaitingCalls, key_of
from tenterhook.clients.formats.plain import PLAIN
from tenterhook.engine.engine import Engine
from tenterhook.hosts.model import AsyncModel
from tenterhook.hosts.permission import Ask, PermissionRequest
from tenterhook.hosts.session import Session

# Exceptions by which a tool tells the SDK something else than that it failed.
SIGNALS = (ApprovalRequired, CallDeferred, ModelRetry)


class RunRefused(AgentRunError):
    """A hook refused the prompt or stopped the run, and the agent's output is not text: so there is no result."""


class HookCapability(AbstractCapability[Any]):
    """`permission` asks a person and `tell` gets texts for the user, as in a session."""

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
        approval: bool = False,
    ) -> None:
        self.engine, self.permission, self.approval = engine or Engine("."), permission, approval
        self.sessions = Sessions(self.engine, permission=permission, tell=tell)
        # Calls that wait for approval: hooks that ran before do not run again when the run goes on.
        self.waiting = WaitingCalls()

    async def for_run(self, ctx: RunContext[Any]) -> CapabilityRun:
        return CapabilityRun(self, ctx)


class CapabilityRun(AbstractCapability[Any]):
    """The hooks of one run. `stopped` is why it ends, after a hook stopped the agent."""

    def __init__(self, hooks: HookCapability, ctx: RunContext[Any]) -> None:
        self.hooks, self.conversation = hooks, str(ctx.conversation_id or ctx.run_id)
        self.stopped: str | None = None

    async def session(self) -> Session:
        return await self.hooks.sessions.aget(self.conversation)

    # ---- the run

    async def wrap_node_run(self, ctx: RunContext[Any], *, node: Any, handler: Callable[..., Any]) -> Any:
        session = await self.session()
        if isinstance(node, ModelRequestNode) and self.stopped is not None:
            return end(ctx, self.stopped)
        if hasattr(node, "user_prompt") and node.user_prompt is not None:
            refused = await self.enter_prompt(session, ctx, node)
            if refused is not None:
                return refused
        result = await handler(node)
        if not isinstance(result, End) or self.stopped is not None:
            return result
        stop = await session.astop(str(result.data.output))
        return ModelRequestNode(ModelRequest([UserPromptPart(stop.text)])) if stop.goes_on else result

    async def enter_prompt(self, session: Session, ctx: RunContext[Any], node: Any) -> Any:
        """Run the hooks on the prompt. Returns the end of the run if they refuse it."""
        given = node.user_prompt
        text = given if isinstance(given, str) else "".join(part for part in given if isinstance(part, str))
        prompt = await session.aprompt(text)
        if prompt.blocked or prompt.stop:
            self.stopped = prompt.reason
            return end(ctx, prompt.reason)
        if prompt.text != text:
            added = prompt.text[len(text) :]
            node.user_prompt = prompt.text if isinstance(given, str) else [*given, added.strip()]
        return None

    # ---- tools

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Callable[..., Any],
    ) -> Any:
        session = await self.session()
        pending = self.pending_call(session, ctx, call)
        if pending.quiet:
            return await handler(args)
        if await pending.abegin() is None:
            value = await self.run_tool(ctx, call, pending, args, handler)
        result = pending.result
        assert result is not None
        self.hooks.waiting.remove(self.key_of(session, call))
        if (reason := end_after_tool(result)) is not None:
            self.stopped = reason
        if result.user_messages:
            ctx.enqueue(*result.user_messages)
        if result.error is not None:
            raise ToolFailed(str(result)) from result.error.exception
        return value if result.llm_content == result_text(value) else str(result)

    async def run_tool(
        self,
        ctx: RunContext[Any],
        call: ToolCallPart,
        pending: PendingCall,
        args: dict[str, Any],
        handler: Callable[..., Any],
    ) -> Any:
        try:
            value = await handler(self.validate_input(ctx, call, pending, args))
        except SIGNALS:
            raise
        except Exception as exc:
            await pending.afail(exc)
            return None
        await pending.afinish(value)
        return value

    def validate_input(
        self, ctx: RunContext[Any], call: ToolCallPart, pending: PendingCall, args: dict[str, Any]
    ) -> dict[str, Any]:
        """The input for the tool. One that a hook changed is validated as the model's own was."""
        if pending.input == call.args_as_dict():
            return args
        tool = ctx.tool_manager.tools.get(call.tool_name) if ctx.tool_manager and ctx.tool_manager.tools else None
        if tool is None:
            return pending.input
        try:
            checked: dict[str, Any] = tool.args_validator.validate_python(pending.input)
        except ValidationError as exc:
            raise ValueError(
                f"a hook changed the input of {call.tool_name} to one that it does not take: {exc}"
            ) from None
        return checked

    def pending_call(self, session: Session, ctx: RunContext[Any], call: ToolCallPart) -> PendingCall:
        name, args, id = call.tool_name, call.args_as_dict(), call.tool_call_id
        if not self.hooks.approval:
            return PendingCall(session, name, args, id=id)
        key = self.key_of(session, call)
        pending = self.hooks.waiting.find(key)
        if pending is None:
            pending = ApprovedCall(session, name, args, id=id, question=ask_for_approval, suspends=ApprovalRequired)
            self.hooks.waiting.keep(key, pending)
        pending.answer = True if ctx.tool_call_approved else None
        return pending

    def key_of(self, session: Session, call: ToolCallPart) -> Key:
        return key_of(session.id, call.tool_call_id, call.tool_name, call.args_as_dict())

    # ---- the model

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: Callable[..., Any]
    ) -> ModelResponse:
        session = await self.session()
        if texts := session.pending():
            ctx.enqueue(*texts)

        async def ask(**call: Any) -> plain.Plain:
            response = await handler(change_request(request_context, call))
            calls = [
                {"name": part.tool_name, "input": part.args_as_dict(), "id": part.tool_call_id}
                for part in response.parts
                if isinstance(part, ToolCallPart)
            ]
            return plain.response(response_text(response), calls, response)

        model = AsyncModel(session, ask, format="plain")
        if model.quiet():
            response: ModelResponse = await handler(request_context)
            return response
        reply = await model(**call_of(request_context))
        if (reason := end_after_model(reply)) is not None:
            self.stopped = reason
        own = plain.original_of(reply.response)
        return own or ModelResponse([TextPart(reply.response["text"] or self.stopped or "")])


def ask_for_approval(request: PermissionRequest) -> ApprovalRequired:
    return ApprovalRequired({"reason": request.reason, "input": request.tool_input})


def end(ctx: RunContext[Any], reason: str) -> Any:
    """The end of the run, with the reason as its output."""
    if ctx.agent is None or ctx.agent.output_type is not str:
        raise RunRefused(reason)
    return End(FinalResult(reason))


def result_text(value: Any) -> Any:
    from tenterhook.hosts.result import text_of

    return text_of(value)


def response_text(response: ModelResponse) -> str:
    return "".join(part.content for part in response.parts if isinstance(part, TextPart))


def call_of(context: ModelRequestContext) -> dict[str, Any]:
    """The request in the plain form. A message of Pydantic AI has parts of several roles: each part is a message."""
    tools = [{"name": tool.name} for tool in context.model_request_parameters.function_tools]
    messages = [one for n, message in enumerate(context.messages) for one in plain_parts(n, message)]
    return {"model": context.model.model_name, "messages": messages, **({"tools": tools} if tools else {})}


def plain_parts(number: int, message: ModelMessage) -> list[plain.Plain]:
    if isinstance(message, ModelResponse):
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        made: plain.Plain = {"role": "model", "content": response_text(message), plain.OBJECT: (number, message, None)}
        if calls:
            made["tool_calls"] = [
                {"name": part.tool_name, "input": part.args_as_dict(), "id": part.tool_call_id} for part in calls
            ]
        return [made]
    return [{**plain_part(part), plain.OBJECT: (number, message, part)} for part in message.parts]


def plain_part(part: Any) -> plain.Plain:
    if isinstance(part, UserPromptPart):
        text = part.content if isinstance(part.content, str) else [one for one in part.content if isinstance(one, str)]
        return {"role": "user", "content": text}
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, ToolReturnPart):
        return {"role": "tool", "content": "", "tool_call_id": part.tool_call_id}
    return {"role": "other", "content": ""}


def change_request(context: ModelRequestContext, call: dict[str, Any]) -> ModelRequestContext:
    """The request as hooks left it; the same object if they changed nothing."""
    changes: dict[str, Any] = {}
    if call["messages"] != call_of(context)["messages"]:
        changes["messages"] = own_messages(call["messages"])
    left = plain.tools_left(call.get("toolConfig"))
    if left is not None:
        parameters = context.model_request_parameters
        kept = [tool for tool in parameters.function_tools if tool.name in left]
        changes["model_request_parameters"] = replace(parameters, function_tools=kept)
    return replace(context, **changes) if changes else context


def own_messages(messages: list[plain.Plain]) -> list[ModelMessage]:
    """The SDK's messages: parts of one message come together again."""
    made: list[ModelMessage] = []
    sources: list[int] = []
    for one in messages:
        number, message, part = one.get(plain.OBJECT, (-1, None, None))
        if isinstance(message, ModelResponse):
            made.append(own_response(message, one))
        elif message is None and one["role"] == "model":
            made.append(ModelResponse([TextPart(PLAIN.text(one))]))
        elif number >= 0 and sources and sources[-1] == number and isinstance(made[-1], ModelRequest):
            made[-1] = replace(made[-1], parts=[*made[-1].parts, own_part(part, one)])
            continue
        elif message is not None:
            made.append(replace(message, parts=[own_part(part, one)]))
        else:
            made.append(ModelRequest([own_part(None, one)]))
        sources.append(number)
    return made


def own_part(part: Any, one: plain.Plain) -> Any:
    if part is None:
        kind = SystemPromptPart if one["role"] == "system" else UserPromptPart
        return kind(PLAIN.text(one))
    text = PLAIN.text(one)
    if text == PLAIN.text(plain_part(part)):
        return part
    if isinstance(part, UserPromptPart) and not isinstance(part.content, str):
        return replace(part, content=[text, *(other for other in part.content if not isinstance(other, str))])
    return replace(part, content=text)


def own_response(message: ModelResponse, one: plain.Plain) -> ModelResponse:
    kept = {call["id"] for call in one.get("tool_calls", ())}
    parts = [part for part in message.parts if not isinstance(part, ToolCallPart) or part.tool_call_id in kept]
    text = PLAIN.text(one)
    if text != response_text(message):
        others = [part for part in parts if not isinstance(part, TextPart)]
        parts = [*([TextPart(text)] if text else []), *others]
    return replace(message, parts=parts)

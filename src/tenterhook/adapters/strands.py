"""StrandsHooks in agents of Strands: a hook provider, which puts middleware around the model and the tools.

    agent = Agent(model=model, tools=tools, hooks=[StrandsHooks(engine)])

`StrandsHooks(engine, interrupt=True)` asks for permission by Strands' own interrupts.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

from strands.hooks import (
    AfterInvocationEvent,
    AgentInitializedEvent,
    BeforeInvocationEvent,
    HookProvider,
    HookRegistry,
)
from strands.interrupt import InterruptException
from strands.middleware import (
    ExecuteToolContext,
    ExecuteToolStage,
    InvokeModelContext,
    InvokeModelStage,
    ModelStopReason,
    ToolResultEvent,
)

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.endings import end_after_model, end_after_tool
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.adapters.waiting_calls import Key, WaitingCalls, key_of
from tenterhook.clients.formats.plain import PLAIN
from tenterhook.engine.engine import Engine
from tenterhook.hosts.model import AsyncModel
from tenterhook.hosts.permission import Ask, PermissionRequest
from tenterhook.hosts.result import ToolError, ToolResult
from tenterhook.hosts.session import Session

# Where an agent's state has the id of its session.
STATE = "tenterhook_session"
Message = dict[str, Any]


class StrandsHooks(HookProvider):
    """`permission` asks a person and `tell` gets texts for the user, as in a session."""

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
        interrupt: bool = False,
    ) -> None:
        self.engine, self.interrupt = engine or Engine("."), interrupt
        self.sessions = Sessions(self.engine, permission=permission, tell=tell)
        # Calls that wait for a person: hooks that ran before do not run again when the agent goes on.
        self.waiting = WaitingCalls()
        # The context in which each of them runs now; a resumed call has another than before.
        self.contexts: dict[Key, ExecuteToolContext] = {}
        # Why a session's run ends, after a hook stopped the agent.
        self.stopped: dict[str, str] = {}

    def register_hooks(self, registry: HookRegistry, **more: Any) -> None:
        registry.add_callback(AgentInitializedEvent, self.add_middleware)
        registry.add_callback(BeforeInvocationEvent, self.enter_prompt)
        registry.add_callback(AfterInvocationEvent, self.ask_to_stop)

    def add_middleware(self, event: AgentInitializedEvent[Any]) -> None:
        event.agent.add_middleware(InvokeModelStage, self.invoke_model)
        event.agent.add_middleware(ExecuteToolStage, self.execute_tool)

    async def session(self, agent: Any) -> Session:
        id = agent.state.get(STATE)
        if not id:
            id = str(uuid4())
            agent.state.set(STATE, id)
        return await self.sessions.aget(id)

    # ---- the run

    async def enter_prompt(self, event: BeforeInvocationEvent) -> None:
        session = await self.session(event.agent)
        self.stopped.pop(session.id, None)
        message = event.messages[-1] if event.messages else None
        texts = [block["text"] for block in message["content"] if "text" in block] if message else []
        if message is None or not texts or session.forced:  # resumed, or sent back to work by a stop hook
            return
        text = "".join(texts)
        prompt = await session.aprompt(text)
        if prompt.blocked or prompt.stop:
            self.stopped[session.id] = prompt.reason
            event.cancel = prompt.reason or True
        elif prompt.text != text:
            added = {"text": prompt.text[len(text) :].strip()}
            changed: Any = {**message, "content": [*message["content"], added]}
            event.messages = [*(event.messages or [])[:-1], changed]

    async def ask_to_stop(self, event: AfterInvocationEvent) -> None:
        session = await self.session(event.agent)
        if session.id in self.stopped or event.result is None or event.result.stop_reason != "end_turn":
            return
        stop = await session.astop(str(event.result).strip())
        if stop.goes_on:
            event.resume = stop.text

    # ---- tools

    async def execute_tool(self, context: ExecuteToolContext, next_fn: Any) -> AsyncIterator[Any]:
        session = await self.session(context.agent)
        call = self.pending_call(session, context)
        if call.quiet:
            async for event in next_fn(context):
                yield event
            return
        last: ToolResultEvent | None = None
        if await call.abegin() is None:
            async for event in next_fn(with_input(context, call.input)):
                if isinstance(event, ToolResultEvent):
                    last = event
                else:
                    yield event
            await self.finish(call, last)
        key = key_in(session, context)
        self.waiting.remove(key)
        self.contexts.pop(key, None)
        result = call.result
        assert result is not None
        if (reason := end_after_tool(result)) is not None:
            self.stopped[session.id] = reason
        session.received(result.user_messages)
        yield result_event(context, last, result)

    def pending_call(self, session: Session, context: ExecuteToolContext) -> PendingCall:
        use = context.tool_use
        id = use["toolUseId"]
        if not self.interrupt:
            return PendingCall(session, use["name"], dict(use["input"]), id=id)

        def ask(request: PermissionRequest) -> Any:
            question = {"tool": request.tool_name, "input": request.tool_input, "reason": request.reason}
            return answer_of(self.contexts[key].interrupt("hooks", reason=question).response)

        key = key_in(session, context)
        self.contexts[key] = context
        call = self.waiting.find(key)
        if call is None:
            call = PendingCall(
                session, use["name"], dict(use["input"]), id=id, permission=ask, suspends=InterruptException
            )
            self.waiting.keep(key, call)
        return call

    async def finish(self, call: PendingCall, event: ToolResultEvent | None) -> None:
        assert event is not None, "a tool's stage ends with its result"
        found = event.tool_result
        text = text_in(found["content"])
        if found["status"] != "error":
            await call.afinish(text)
        else:
            exc = event.exception
            shown = f"{type(exc).__name__}: {exc}" if exc is not None else text
            await call.afinish(ToolResult(text, text, {}, ToolError(shown, "failed", exc)))

    # ---- the model

    async def invoke_model(self, context: InvokeModelContext, next_fn: Any) -> AsyncIterator[Any]:
        session = await self.session(context.agent)
        if session.id in self.stopped:
            yield response_saying(self.stopped[session.id])
            return
        if texts := session.pending():
            added = user_message(*texts)
            context.agent.messages.append(copy.deepcopy(added))
            context = context.replace(messages=join_user_messages([*context.messages, added]))
        got: list[ModelStopReason] = []
        events: list[Any] = []

        async def ask(**call: Any) -> plain.Plain:
            async for event in next_fn(change_request(context, call)):
                (got if isinstance(event, ModelStopReason) else events).append(event)
            message = got[-1].message
            return plain.response(text_in(message["content"]), calls_in(message), got[-1])

        model = AsyncModel(session, ask, format="plain")
        if model.quiet():
            async for event in next_fn(context):
                yield event
            return
        reply = await model(**call_of(context))
        if (reason := end_after_model(reply)) is not None:
            self.stopped[session.id] = reason
        own = plain.original_of(reply.response)
        for event in events:
            yield event
        yield own or response_saying(
            reply.response["text"] or self.stopped.get(session.id, ""), got[-1] if got else None
        )


def key_in(session: Session, context: ExecuteToolContext) -> Key:
    use = context.tool_use
    return key_of(session.id, use["toolUseId"], use["name"], use["input"])


def with_input(context: ExecuteToolContext, input: dict[str, Any]) -> ExecuteToolContext:
    if input == context.tool_use["input"]:
        return context
    use: Any = {**context.tool_use, "input": input}
    return context.replace(tool_use=use)


def result_event(context: ExecuteToolContext, last: ToolResultEvent | None, result: ToolResult) -> ToolResultEvent:
    """The tool's own result, or what hooks made of it."""
    if last is not None and str(result) == text_in(last.tool_result["content"]):
        return last
    status = "error" if result.error else "success"
    made: Any = {"toolUseId": context.tool_use["toolUseId"], "status": status, "content": [{"text": str(result)}]}
    return ToolResultEvent(made, last.exception if last is not None else None)


def answer_of(response: Any) -> Any:
    """What a person answered to an interrupt: yes in Strands' own words, or as a permission callback answers."""
    return response.strip().lower() in ("y", "yes", "allow", "true") if isinstance(response, str) else response


def response_saying(text: str, base: ModelStopReason | None = None) -> ModelStopReason:
    """A response that says this, and ends the turn."""
    usage: Any = base.usage if base else {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
    metrics: Any = base.metrics if base else {"latencyMs": 0}
    return ModelStopReason("end_turn", {"role": "assistant", "content": [{"text": text}]}, usage, metrics)


def user_message(*texts: str) -> Any:
    return {"role": "user", "content": [{"text": text} for text in texts]}


def join_user_messages(messages: list[Any]) -> Any:
    """Two user messages in a row become one, as models want it."""
    if len(messages) > 1 and messages[-2]["role"] == "user":
        both = {**messages[-2], "content": [*messages[-2]["content"], *messages[-1]["content"]]}
        return [*messages[:-2], both]
    return messages


def text_in(content: Any) -> str:
    from json import dumps

    return "".join(
        block["text"] if "text" in block else dumps(block["json"]) for block in content if {"text", "json"} & set(block)
    )


def calls_in(message: Any) -> list[plain.Plain]:
    uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
    return [{"name": use["name"], "input": use["input"], "id": use["toolUseId"]} for use in uses]


def call_of(context: InvokeModelContext) -> dict[str, Any]:
    tools = [{"name": spec["name"]} for spec in context.tool_specs]
    name = str(context.model.get_config().get("model_id", ""))  # type: ignore[union-attr]
    messages = [as_plain(message) for message in context.messages]
    return {"model": name, "messages": messages, **({"tools": tools} if tools else {})}


def as_plain(message: Any) -> plain.Plain:
    results = [block["toolResult"]["toolUseId"] for block in message["content"] if "toolResult" in block]
    texts = [block["text"] for block in message["content"] if "text" in block]
    role = "model" if message["role"] == "assistant" else "tool" if results and not texts else "user"
    made: plain.Plain = {"role": role, "content": texts, plain.OBJECT: message}
    if calls := calls_in(message):
        made["tool_calls"] = calls
    return {**made, "tool_call_id": results[0]} if results else made


def change_request(context: InvokeModelContext, call: dict[str, Any]) -> InvokeModelContext:
    """The request as hooks left it; the same object if they changed nothing."""
    changes: dict[str, Any] = {}
    messages = [own_message(one) for one in call["messages"]]
    if messages != list(context.messages):
        changes["messages"] = messages
    left = plain.tools_left(call.get("toolConfig"))
    if left is not None:
        changes["tool_specs"] = [spec for spec in context.tool_specs if spec["name"] in left]
    return context.replace(**changes) if changes else context


def own_message(one: plain.Plain) -> Any:
    own, text = one.get(plain.OBJECT), PLAIN.text(one)
    if own is None:
        return {"role": "assistant" if one["role"] == "model" else "user", "content": [{"text": text}]}
    kept = {call["id"] for call in one.get("tool_calls", ())}
    blocks = [block for block in own["content"] if "toolUse" not in block or block["toolUse"]["toolUseId"] in kept]
    if text != "".join(block["text"] for block in blocks if "text" in block):
        blocks = [{"text": text}, *(block for block in blocks if "text" not in block)]
    return own if blocks == own["content"] else {**own, "content": blocks}

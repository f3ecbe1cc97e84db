"""Hooks in agents of the Microsoft Agent Framework: a bundle of middleware, which belongs first in the list.

    agent = Agent(client, tools=tools, middleware=[hook_middleware(engine)])

Middleware that stands before it runs outside of it. Hosted tools run at the provider, where no hook sees them.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from agent_framework import (
    AgentContext,
    AgentMiddleware,
    AgentResponse,
    AgentResponseUpdate,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationContext,
    FunctionMiddleware,
    Message,
    MiddlewareBundle,
    ResponseStream,
)

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.endings import end_after_model, end_after_tool
from tenterhook.adapters.live_updates import LiveUpdates
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.clients.formats.plain import PLAIN
from tenterhook.engine.engine import Engine
from tenterhook.hosts.model import AsyncModel
from tenterhook.hosts.permission import Ask
from tenterhook.hosts.session import Session

Next = Callable[[], Awaitable[None]]
ROLES = {"user": "user", "assistant": "model", "system": "system", "tool": "tool"}
OWN_ROLES = {"user": "user", "model": "assistant", "system": "system"}


def hook_middleware(
    engine: Engine | None = None, *, permission: Ask | None = None, tell: Callable[[str], object] | None = None
) -> MiddlewareBundle:
    """`permission` asks a person and `tell` gets texts for the user, as in a session."""
    runs = Runs(engine or Engine("."), permission, tell)
    return MiddlewareBundle([RunHooks(runs), ToolHooks(runs), ModelHooks(runs)])


class FrameworkRun:
    """One run of an agent. `stopped` is why it ends, after a hook stopped the agent."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.stopped: str | None = None
        # What hooks added to the conversation of this run, each with its place.
        self.added: list[tuple[int, Message]] = []


class Runs:
    """The sessions, and the run that is going on in this task."""

    def __init__(self, engine: Engine, permission: Ask | None, tell: Callable[[str], object] | None) -> None:
        self.engine = engine
        self.sessions = Sessions(engine, permission=permission, tell=tell)
        self.current: ContextVar[FrameworkRun | None] = ContextVar("tenterhook_run", default=None)

    async def begin(self, id: str) -> FrameworkRun:
        run = FrameworkRun(await self.sessions.aget(id))
        self.current.set(run)  # for the rest of the task: a stream is read after the middleware has returned
        return run

    async def get(self, session: Any) -> FrameworkRun:
        return self.current.get() or await self.begin(id_of(session))


class RunHooks(AgentMiddleware):
    """The prompt of a run."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    async def process(self, context: AgentContext, call_next: Next) -> None:
        run = await self.runs.begin(id_of(context.session))
        last = context.messages[-1] if context.messages else None
        if last is None or last.role != "user" or not last.text:
            await call_next()
            return
        prompt = await run.session.aprompt(last.text)
        if prompt.blocked or prompt.stop:
            context.result = refused_run(prompt.reason, stream=context.stream)
            return
        if prompt.text != last.text:
            contents = [*last.contents, Content.from_text(prompt.text[len(last.text) :].strip())]
            context.messages = [*context.messages[:-1], Message("user", contents)]
        await call_next()


class ToolHooks(FunctionMiddleware):
    """Every call of a function."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    async def process(self, context: FunctionInvocationContext, call_next: Next) -> None:
        run = await self.runs.get(context.session)
        given = context.arguments if isinstance(context.arguments, dict) else dict(context.arguments)
        call = PendingCall(run.session, context.function.name, given, id=str(context.metadata.get("call_id") or ""))
        if call.quiet:
            await call_next()
            return
        if await call.abegin() is None:
            if call.input != given:
                context.arguments = call.input
            try:
                await call_next()
            except Exception as exc:
                await call.afail(exc)
                raise
            await call.afinish(result_text(context.result))
        result = call.result
        assert result is not None
        if (reason := end_after_tool(result)) is not None:
            run.stopped = reason
        run.session.received(result.user_messages)
        if result.error or str(result) != result_text(context.result):
            context.result = str(result)


class ModelHooks(ChatMiddleware):
    """Every request to the model, and the end of the turn."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    async def process(self, context: ChatContext, call_next: Next) -> None:
        run = await self.runs.get(context.session)
        turn = ChatTurn(run, context, call_next)
        if not context.stream:
            context.result = await turn.ask(lambda update: None)
            return
        live = LiveUpdates(turn.ask)
        context.result = ResponseStream(turn.updates(live), finalizer=lambda updates: live.result)


class ChatTurn:
    """One request, which is made again as long as a stop hook wants the agent to go on."""

    def __init__(self, run: FrameworkRun, context: ChatContext, call_next: Next) -> None:
        self.run, self.context, self.call_next = run, context, call_next
        self.messages, self.options = list(context.messages), dict(context.options or {})

    async def updates(self, live: LiveUpdates[ChatResponse]) -> AsyncIterator[ChatResponseUpdate]:
        """The pieces as they come; if hooks put another response in their place, it follows as one piece."""
        seen: list[ChatResponseUpdate] = []
        async for update in live:
            seen.append(update)
            yield update
        if not seen or ChatResponse.from_updates(seen).text != live.result.text:
            for message in live.result.messages:
                yield ChatResponseUpdate(contents=message.contents, role="assistant")

    async def ask(self, put: Callable[[ChatResponseUpdate], None]) -> ChatResponse:
        while True:
            response = await self.ask_once(put)
            if not await self.goes_on(response):
                return response

    async def ask_once(self, put: Callable[[ChatResponseUpdate], None]) -> ChatResponse:
        run = self.run
        if run.stopped is not None:
            return response_saying(run.stopped)
        run.added += [(len(self.messages), Message("user", [text])) for text in run.session.pending()]
        messages = list(self.messages)
        for place, message in reversed(run.added):
            messages.insert(place, message)
        got: list[ChatResponse] = []

        async def create(**call: Any) -> plain.Plain:
            self.context.messages = [own_message(one) for one in call["messages"]]
            self.context.options = with_tools(self.options, plain.tools_left(call.get("toolConfig")))
            got.append(await self.receive(put))
            return plain.response(got[0].text, calls_in(got[0].messages), got[0])

        model = AsyncModel(run.session, create, format="plain")
        call = call_of(messages, self.options)
        if model.quiet():
            await create(**call)
            return got[0]
        reply = await model(**call)
        if (reason := end_after_model(reply)) is not None:
            run.stopped = reason
        return plain.original_of(reply.response) or response_saying(reply.response["text"] or run.stopped or "")

    async def receive(self, put: Callable[[ChatResponseUpdate], None]) -> ChatResponse:
        await self.call_next()
        result: Any = self.context.result
        if isinstance(result, ResponseStream):
            async for update in result:
                put(update)
            result = await result.get_final_response()
        response: ChatResponse = result
        return response

    async def goes_on(self, response: ChatResponse) -> bool:
        """Whether a stop hook sends the agent back to work at the end of its turn."""
        if self.run.stopped is not None or calls_in(response.messages):
            return False
        stop = await self.run.session.astop(response.text)
        if not stop.goes_on:
            return False
        place = len(self.messages)
        self.run.added += [(place, message) for message in response.messages]
        self.run.added.append((place, Message("user", [stop.text])))
        return True


def id_of(session: Any) -> str:
    """A conversation has the id of its session; without one each run is a session of ours."""
    return str(getattr(session, "session_id", "") or uuid4())


def response_saying(text: str) -> ChatResponse:
    return ChatResponse(messages=[Message("assistant", [text])], finish_reason="stop")


def refused_run(reason: str, *, stream: bool) -> Any:
    if not stream:
        return AgentResponse(messages=[Message("assistant", [reason])])

    async def updates() -> AsyncIterator[AgentResponseUpdate]:
        yield AgentResponseUpdate(contents=[Content.from_text(reason)], role="assistant")

    return ResponseStream(updates(), finalizer=AgentResponse.from_updates)


def result_text(result: Any) -> Any:
    """The result of a function as text, if it is nothing but text."""
    if isinstance(result, list) and all(isinstance(one, Content) and one.type == "text" for one in result):
        return "".join(one.text or "" for one in result)
    return result


def calls_in(messages: list[Message]) -> list[plain.Plain]:
    found = [one for message in messages for one in message.contents if one.type == "function_call"]
    return [{"name": one.name, "input": arguments_of(one), "id": one.call_id} for one in found]


def arguments_of(call: Content) -> Any:
    if not isinstance(call.arguments, str):
        return call.arguments or {}
    try:
        return json.loads(call.arguments or "{}")
    except ValueError:
        return {"arguments": call.arguments}


def call_of(messages: list[Message], options: dict[str, Any]) -> dict[str, Any]:
    tools = [{"name": tool_name(tool)} for tool in options.get("tools") or ()]
    shown = [as_plain(message) for message in messages]
    return {"model": str(options.get("model") or ""), "messages": shown, **({"tools": tools} if tools else {})}


def as_plain(message: Message) -> plain.Plain:
    texts = [one.text for one in message.contents if one.type == "text"]
    made: plain.Plain = {"role": ROLES.get(message.role, message.role), "content": texts, plain.OBJECT: message}
    if calls := calls_in([message]):
        made["tool_calls"] = calls
    results = [one.call_id for one in message.contents if one.type == "function_result"]
    return {**made, "tool_call_id": results[0]} if results else made


def own_message(one: plain.Plain) -> Message:
    own, text = one.get(plain.OBJECT), PLAIN.text(one)
    if own is None:
        return Message(OWN_ROLES.get(one["role"], "user"), [text])
    kept = {call["id"] for call in one.get("tool_calls", ())}
    contents = [part for part in own.contents if part.type != "function_call" or part.call_id in kept]
    if text != "".join(part.text or "" for part in contents if part.type == "text"):
        contents = [Content.from_text(text), *(part for part in contents if part.type != "text")]
    same = len(contents) == len(own.contents) and all(a is b for a, b in zip(contents, own.contents, strict=True))
    return own if same else Message(own.role, contents, author_name=own.author_name, message_id=own.message_id)


def with_tools(options: dict[str, Any], left: set[str] | None) -> dict[str, Any]:
    if left is None:
        return options
    return {**options, "tools": [tool for tool in options.get("tools") or () if tool_name(tool) in left]}


def tool_name(tool: Any) -> str:
    if isinstance(tool, dict):
        return str(tool.get("name") or (tool.get("function") or {}).get("name") or tool.get("type"))
    return str(tool.name)

"""Hooks in agents of LangChain and LangGraph: a middleware for `create_agent`.

    agent = create_agent(model, tools, middleware=[HookMiddleware(engine)])

With a checkpointer, `HookMiddleware(engine, interrupt=True)` asks for permission by LangGraph's own interrupt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NotRequired
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import ModelRequest, ModelResponse, PrivateStateAttr
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import interrupt

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.endings import end_after_model, end_after_tool
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.adapters.waiting_calls import WaitingCalls, key_of
from tenterhook.clients.formats.plain import PLAIN
from tenterhook.engine.engine import Engine
from tenterhook.hosts.model import AsyncModel, Model
from tenterhook.hosts.permission import Ask, PermissionRequest
from tenterhook.hosts.reply import Reply
from tenterhook.hosts.result import ToolResult
from tenterhook.hosts.session import Prompt, Session, Stop

ROLES = {"human": "user", "ai": "model", "system": "system", "tool": "tool"}
NEW = {"user": HumanMessage, "model": AIMessage, "system": SystemMessage}
Update = dict[str, Any]


class HookState(AgentState[Any]):
    """The agent's state, with the id of our session: it goes where the conversation goes."""

    tenterhook_session: NotRequired[Annotated[str, PrivateStateAttr]]  # type: ignore[valid-type]


class HookMiddleware(AgentMiddleware[HookState, Any, Any]):
    """`permission` asks a person and `tell` gets texts for the user, as in a session. `interrupt` asks by LangGraph's
    interrupt: resume with True, False, "allow", "deny", or {"allowed": bool, "input": {...}}.
    """

    state_schema = HookState

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
        interrupt: bool = False,
    ) -> None:
        super().__init__()
        self.engine = engine or Engine(".")
        ask = ask_by_interrupt if interrupt else permission
        self.sessions = Sessions(self.engine, permission=ask, tell=tell)
        self.suspends: tuple[type[BaseException], ...] = (GraphBubbleUp,) if interrupt else ()
        # Calls that wait for a person. LangGraph runs a step again when it is resumed; hooks do not run again.
        self.waiting = WaitingCalls()
        # Why a session's run ends, after a hook stopped the agent.
        self.stopped: dict[str, str] = {}

    # ---- the run

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: HookState, runtime: Any) -> Update | None:
        session = self.sessions.get(state.get("tenterhook_session") or str(uuid4()))
        text = last_prompt(state)
        prompt = None if text is None else session.prompt(text)
        return self.enter_prompt(session, state, text, prompt)

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: HookState, runtime: Any) -> Update | None:
        session = await self.sessions.aget(state.get("tenterhook_session") or str(uuid4()))
        text = last_prompt(state)
        prompt = None if text is None else await session.aprompt(text)
        return self.enter_prompt(session, state, text, prompt)

    def enter_prompt(self, session: Session, state: HookState, text: str | None, prompt: Prompt | None) -> Update:
        """A blocked prompt leaves the conversation; texts of hooks enter it with the prompt."""
        self.stopped.pop(session.id, None)
        update: Update = {"tenterhook_session": session.id}
        if prompt is None:
            return update
        message = state["messages"][-1]
        if prompt.blocked or prompt.stop:
            self.stopped[session.id] = prompt.reason
            erased = [RemoveMessage(id=message.id)] if message.id else []
            return {**update, "messages": [*erased, AIMessage(prompt.reason)], "jump_to": "end"}
        if prompt.text == text:
            return update
        added = prompt.text[len(text or "") :].strip()
        return {**update, "messages": [message.model_copy(update={"content": with_text(message.content, added)})]}

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: HookState, runtime: Any) -> Update | None:
        """End the run after a stop, else add what hooks said since the last call."""
        session = self.sessions.get(state["tenterhook_session"])
        if session.id in self.stopped:
            return {"messages": [AIMessage(self.stopped[session.id])], "jump_to": "end"}
        texts = session.pending()
        return {"messages": [HumanMessage(text) for text in texts]} if texts else None

    @hook_config(can_jump_to=["model"])
    def after_agent(self, state: HookState, runtime: Any) -> Update | None:
        session = self.sessions.get(state["tenterhook_session"])
        if session.id in self.stopped:
            return None
        return after_stop(session.stop(last_text(state)))

    @hook_config(can_jump_to=["model"])
    async def aafter_agent(self, state: HookState, runtime: Any) -> Update | None:
        session = await self.sessions.aget(state["tenterhook_session"])
        if session.id in self.stopped:
            return None
        return after_stop(await session.astop(last_text(state)))

    # ---- tools

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        call = self.pending_call(request)
        if call.quiet:
            return handler(request)
        if call.begin() is None:
            ran = RanTool(request, call.input)
            try:
                ran.message = handler(ran.request)
            except GraphBubbleUp:
                raise
            except Exception as exc:
                call.fail(exc)
            else:
                call.finish(ran.result())
            return self.finish_call(request, call, ran)
        return self.finish_call(request, call, None)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        call = self.pending_call(request)
        if call.quiet:
            return await handler(request)
        if await call.abegin() is None:
            ran = RanTool(request, call.input)
            try:
                ran.message = await handler(ran.request)
            except GraphBubbleUp:
                raise
            except Exception as exc:
                await call.afail(exc)
            else:
                await call.afinish(ran.result())
            return self.finish_call(request, call, ran)
        return self.finish_call(request, call, None)

    def pending_call(self, request: ToolCallRequest) -> PendingCall:
        session, asked = self.sessions.get(request.state["tenterhook_session"]), request.tool_call
        key = key_of(session.id, asked["id"] or "", asked["name"], asked["args"])
        call = self.waiting.find(key)
        if call is None:
            call = PendingCall(session, asked["name"], asked["args"], id=asked["id"] or "", suspends=self.suspends)
            if self.suspends:
                self.waiting.keep(key, call)
        return call

    def finish_call(self, request: ToolCallRequest, call: PendingCall, ran: RanTool | None) -> Any:
        session, result = self.sessions.get(request.state["tenterhook_session"]), call.result
        assert result is not None
        asked = request.tool_call
        self.waiting.remove(key_of(session.id, asked["id"] or "", asked["name"], asked["args"]))
        if (reason := end_after_tool(result)) is not None:
            self.stopped[session.id] = reason
        session.received(result.user_messages)
        return ran.with_result(result) if ran else refused_message(request, result)

    # ---- the model

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Any:
        session = self.sessions.get(request.state["tenterhook_session"])
        turn = ModelTurn(request)
        model = Model(session, lambda **call: turn.receive(handler(turn.change_request(call))), format="plain")
        return handler(request) if model.quiet() else self.finish_turn(session, turn, model(**turn.call()))

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Any:
        session = await self.sessions.aget(request.state["tenterhook_session"])
        turn = ModelTurn(request)

        async def ask(**call: Any) -> Any:
            return turn.receive(await handler(turn.change_request(call)))

        model = AsyncModel(session, ask, format="plain")
        return await handler(request) if model.quiet() else self.finish_turn(session, turn, await model(**turn.call()))

    def finish_turn(self, session: Session, turn: ModelTurn, reply: Reply) -> Any:
        if (reason := end_after_model(reply)) is not None:
            self.stopped[session.id] = reason
        return turn.answer(reply)


class RanTool:
    """A tool that ran: its message, and what hooks make of it."""

    def __init__(self, request: ToolCallRequest, input: dict[str, Any]) -> None:
        same = input == request.tool_call["args"]
        self.request = request if same else request.override(tool_call={**request.tool_call, "args": input})
        self.message: Any = None

    def result(self) -> Any:
        """What hooks see. A Command changes the graph and has no text for them."""
        if not isinstance(self.message, ToolMessage):
            return ""
        content = self.message.content if isinstance(self.message.content, str) else self.message.text
        if self.message.status != "error":
            return content
        from tenterhook.hosts.result import ToolError

        return ToolResult(content, content, {}, ToolError(content))

    def with_result(self, result: ToolResult) -> Any:
        if self.message is None:
            return refused_message(self.request, result)
        if not isinstance(self.message, ToolMessage) or result.llm_content in (self.message.content, self.message.text):
            return self.message
        return self.message.model_copy(update={"content": str(result)})


class ModelTurn:
    """One call of the model, in the SDK's form and in the plain one."""

    def __init__(self, request: ModelRequest[Any]) -> None:
        self.request = request
        self.response: ModelResponse[Any] | None = None

    def call(self) -> dict[str, Any]:
        request = self.request
        system = [request.system_message] if request.system_message else []
        tools = [{"name": tool_name(tool)} for tool in request.tools]
        name = getattr(request.model, "model_name", None) or getattr(request.model, "model", "")
        messages = [as_plain(message) for message in [*system, *request.messages]]
        return {"model": str(name), "messages": messages, **({"tools": tools} if tools else {})}

    def change_request(self, call: dict[str, Any]) -> ModelRequest[Any]:
        """The request as hooks left it; the same object if they changed nothing."""
        request, messages = self.request, [as_own(message) for message in call["messages"]]
        system = messages.pop(0) if messages and isinstance(messages[0], SystemMessage) else None
        changes: dict[str, Any] = {}
        if system is not request.system_message:
            changes["system_message"] = system
        if not same_objects(messages, request.messages):
            changes["messages"] = messages
        left = plain.tools_left(call.get("toolConfig"))
        if left is not None:
            changes["tools"] = [tool for tool in request.tools if tool_name(tool) in left]
        return request.override(**changes) if changes else request

    def receive(self, response: Any) -> dict[str, Any]:
        self.response = response if isinstance(response, ModelResponse) else ModelResponse(result=[response])
        last = next((one for one in reversed(self.response.result) if isinstance(one, AIMessage)), AIMessage(""))
        return plain.response(str(last.text), calls_of(last), self.response)

    def answer(self, reply: Reply) -> Any:
        """The model's own response, or a hook's in its place."""
        own = plain.original_of(reply.response)
        if own is not None:
            return own
        return AIMessage(reply.response["text"] or reply.stop_reason or reply.reason)


def ask_by_interrupt(request: PermissionRequest) -> Any:
    """Ask by LangGraph's interrupt: the run stops here until it is resumed with an answer."""
    question = {"tool": request.tool_name, "input": request.tool_input, "reason": request.reason}
    answer = interrupt(question)
    if not isinstance(answer, dict):
        return answer
    from tenterhook.hosts.permission import Permission

    return Permission(answer.get("allowed") is True, str(answer.get("reason", "")), answer.get("input"))


def after_stop(stop: Stop) -> Update | None:
    return {"messages": [HumanMessage(stop.text)], "jump_to": "model"} if stop.goes_on else None


def last_prompt(state: HookState) -> str | None:
    """The user's prompt, if the run begins with one; a resumed run does not."""
    messages = state["messages"]
    return str(messages[-1].text) if messages and isinstance(messages[-1], HumanMessage) else None


def last_text(state: HookState) -> str:
    messages = state["messages"]
    return str(messages[-1].text) if messages and isinstance(messages[-1], AIMessage) else ""


def with_text(content: Any, added: str) -> Any:
    """The content with a text at its end."""
    return f"{content}\n\n{added}" if isinstance(content, str) else [*content, {"type": "text", "text": added}]


def refused_message(request: ToolCallRequest, result: ToolResult) -> ToolMessage:
    asked = request.tool_call
    return ToolMessage(str(result), tool_call_id=asked["id"] or "", name=asked["name"], status="error")


def as_plain(message: AnyMessage) -> plain.Plain:
    made: plain.Plain = {"role": ROLES.get(message.type, message.type), plain.OBJECT: message}
    made["content"] = message.content if isinstance(message.content, str) else list(message.content)
    if isinstance(message, AIMessage) and message.tool_calls:
        made["tool_calls"] = calls_of(message)
    if isinstance(message, ToolMessage):
        made["tool_call_id"] = message.tool_call_id
    return made


def as_own(message: plain.Plain) -> Any:
    """The SDK's message of a plain one."""
    own = message.get(plain.OBJECT)
    if own is None:
        return NEW.get(message["role"], HumanMessage)(PLAIN.text(message))
    content, calls = message["content"], message.get("tool_calls", [])
    changes: Update = {} if content == own.content else {"content": content}
    if isinstance(own, AIMessage) and len(calls) != len(own.tool_calls):
        kept = {call["id"] for call in calls}
        changes["tool_calls"] = [call for call in own.tool_calls if call["id"] in kept]
    return own.model_copy(update=changes) if changes else own


def calls_of(message: AIMessage) -> list[plain.Plain]:
    return [{"name": call["name"], "input": call["args"], "id": call["id"]} for call in message.tool_calls]


def tool_name(tool: Any) -> str:
    """The name of a tool, or of a provider's own tool in the form of its API."""
    if not isinstance(tool, dict):
        return str(tool.name)
    function = tool.get("function")
    return str(function.get("name") if isinstance(function, dict) else tool.get("name") or tool.get("type"))


def same_objects(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))

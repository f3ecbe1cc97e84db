"""Hooks in agents of Agno: around their tools, their prompts and their models.

    agent = add_hooks(Agent(model=model, tools=tools), engine)

Agno has hooks around tools and before prompts, but none at the model: the agent's model gets a subclass of its own
class, which asks hooks before and after each request.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from inspect import isasyncgen, iscoroutinefunction, isgenerator
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary

from agno.exceptions import AgentRunException, InputCheckError, RunCancelledException
from agno.guardrails import BaseGuardrail
from agno.models.base import Model as AgnoModel
from agno.models.message import Message
from agno.models.response import ModelResponse

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.clients.formats.plain import PLAIN
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.hosts.model import Model
from tenterhook.hosts.permission import Ask
from tenterhook.hosts.reply import Reply
from tenterhook.hosts.result import ToolResult, result_of
from tenterhook.hosts.session import Prompt, Session
from tenterhook.hosts.steps import Call, Steps, adrive, drive

ROLES = {"assistant": "model", "developer": "system"}
OWN_ROLES = {"model": "assistant"}
# Models beside the agent's own: they are asked about what it said, not about a prompt.
OTHER_MODELS = ("reasoning_model", "parser_model", "output_model")
AnyAgent = TypeVar("AnyAgent")
# Whether the run that a tool belongs to was cancelled: Agno runs hooks and tools in threads, which go on by themselves.
CANCELLED: ContextVar[threading.Event | None] = ContextVar("tenterhook_agno_cancelled", default=None)


def add_hooks(
    agent: AnyAgent,
    engine: Engine | None = None,
    *,
    permission: Ask | None = None,
    tell: Callable[[str], object] | None = None,
) -> AnyAgent:
    """Put hooks into an agent or a team, and return it. `permission` and `tell` are those of a session."""
    own: Any = agent
    if getattr(own, "model", None) is None:
        raise UsageError("the agent has no model: give it one before its hooks, so that they see its requests")
    if getattr(own, "fallback_config", None) is not None:
        raise UsageError("the agent has fallback models, whose requests hooks would not see: leave them out")
    runs = AgnoRuns(engine or Engine("."), permission, tell)
    own.model = hooked_model(own.model, runs, takes_prompts=True)
    for name in OTHER_MODELS:
        if isinstance(getattr(own, name, None), AgnoModel):
            setattr(own, name, hooked_model(getattr(own, name), runs, takes_prompts=False))
    own.tool_hooks = [tool_hook(runs), *(own.tool_hooks or ())]
    own.pre_hooks = [PromptGuardrail(runs), *(own.pre_hooks or ())]
    return agent


class AgnoRun:
    """What a conversation has open. `judged` is the run whose prompt hooks have seen; `stopped` is why it ends."""

    def __init__(self) -> None:
        self.judged: str | None = None
        self.stopped: str | None = None


class AgnoRuns:
    def __init__(self, engine: Engine, permission: Ask | None, tell: Callable[[str], object] | None) -> None:
        self.engine = engine
        self.sessions = Sessions(engine, permission=permission, tell=tell)
        self.runs: WeakKeyDictionary[Session, AgnoRun] = WeakKeyDictionary()

    def get(self, context: Any) -> tuple[Session, AgnoRun]:
        return self.with_run(self.sessions.get(id_of(context)))

    async def aget(self, context: Any) -> tuple[Session, AgnoRun]:
        return self.with_run(await self.sessions.aget(id_of(context)))

    def with_run(self, session: Session) -> tuple[Session, AgnoRun]:
        return session, self.runs.setdefault(session, AgnoRun())


def id_of(context: Any) -> str:
    """Agno's id of the session; what runs outside of one is a session of ours."""
    return str(getattr(context, "session_id", "") or uuid4())


# ---- prompts


class PromptGuardrail(BaseGuardrail):
    """A guardrail, as Agno never moves one to the background."""

    def __init__(self, runs: AgnoRuns) -> None:
        self.runs = runs

    def check(self, run_input: Any, run_context: Any = None) -> None:
        if isinstance(run_input.input_content, str):
            with refusing_on_failure():
                session, run = self.runs.get(run_context)
                prompt = session.prompt(run_input.input_content)
            self.enter(run, prompt, run_input, run_context)

    async def async_check(self, run_input: Any, run_context: Any = None) -> None:
        if isinstance(run_input.input_content, str):
            with refusing_on_failure():
                session, run = await self.runs.aget(run_context)
                prompt = await session.aprompt(run_input.input_content)
            self.enter(run, prompt, run_input, run_context)

    def enter(self, run: AgnoRun, prompt: Prompt, run_input: Any, run_context: Any) -> None:
        run.judged, run.stopped = getattr(run_context, "run_id", None), None
        if prompt.blocked or prompt.stop:
            raise InputCheckError(prompt.reason or "a hook refused the prompt")
        run_input.input_content = prompt.text


class refusing_on_failure:  # noqa: N801 - it reads as a statement
    """Agno goes on after any other error of a guardrail, so every error becomes a refusal."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, exc: BaseException | None, trace: Any) -> None:
        if isinstance(exc, Exception):
            raise InputCheckError(f"hooks could not judge the prompt: {exc}") from exc


# ---- tools


def tool_hook(runs: AgnoRuns) -> Callable[..., Any]:
    """Agno looks at its parameters' names, and awaits what it returns where the tool is async."""

    def run_with_hooks(
        function_name: str, function_call: Any, arguments: dict[str, Any], run_context: Any = None
    ) -> Any:
        if iscoroutinefunction(function_call):
            return arun_tool(runs, function_name, function_call, arguments, run_context)
        return run_tool(runs, function_name, function_call, arguments, run_context)

    return run_with_hooks


def run_tool(runs: AgnoRuns, name: str, function: Any, arguments: dict[str, Any], context: Any) -> Any:
    session, run = runs.get(context)
    call = PendingCall(session, name, dict(arguments))
    if call.quiet:
        return function(**arguments)
    if call.begin() is not None:
        return refused_text(session, run, call)
    if (cancelled := CANCELLED.get()) and cancelled.is_set():
        raise RunCancelledException("the run was cancelled while hooks judged this call")
    if not pass_input(call, arguments):
        call.fail(UsageError("a hook gave this call an input, and Agno cannot pass one to a call without any"))
        return refused_text(session, run, call)
    try:
        value = function(**arguments)
    except (AgentRunException, RunCancelledException):  # how a tool of Agno steers the run
        raise
    except Exception as exc:
        note(session, run, call.fail(exc))
        raise
    if isgenerator(value):
        return judge_pieces(session, run, call, value)
    return result_value(session, run, call.finish(value), value)


async def arun_tool(runs: AgnoRuns, name: str, function: Any, arguments: dict[str, Any], context: Any) -> Any:
    session, run = await runs.aget(context)
    call = PendingCall(session, name, dict(arguments))
    if call.quiet:
        return await function(**arguments)
    if await call.abegin() is not None:
        return refused_text(session, run, call)
    if not pass_input(call, arguments):
        await call.afail(UsageError("a hook gave this call an input, and Agno cannot pass one to a call without any"))
        return refused_text(session, run, call)
    try:
        value = await function(**arguments)
    except (AgentRunException, RunCancelledException):
        raise
    except Exception as exc:
        note(session, run, await call.afail(exc))
        raise
    if isasyncgen(value):
        return ajudge_pieces(session, run, call, value)
    if isgenerator(value):
        return judge_pieces(session, run, call, value)
    return result_value(session, run, await call.afinish(value), value)


def pass_input(call: PendingCall, arguments: dict[str, Any]) -> bool:
    """Agno runs a tool with this very dict, whatever its hook passes on; it does not read an empty one again."""
    if call.input == arguments:
        return True
    if not arguments:
        return False
    arguments.clear()
    arguments.update(call.input)
    return True


def judge_pieces(session: Session, run: AgnoRun, call: PendingCall, pieces: Iterator[Any]) -> Iterator[Any]:
    """A tool that yields: events go on at once, and its text when hooks have seen the whole of it."""
    texts: list[str] = []
    for piece in pieces:
        if hasattr(piece, "event"):
            yield piece
        else:
            texts.append(str(piece))
    yield result_value(session, run, call.finish("".join(texts)), "".join(texts))


async def ajudge_pieces(
    session: Session, run: AgnoRun, call: PendingCall, pieces: AsyncIterator[Any]
) -> AsyncIterator[Any]:
    texts: list[str] = []
    async for piece in pieces:
        if hasattr(piece, "event"):
            yield piece
        else:
            texts.append(str(piece))
    yield result_value(session, run, await call.afinish("".join(texts)), "".join(texts))


def refused_text(session: Session, run: AgnoRun, call: PendingCall) -> str:
    assert call.result is not None
    return str(note(session, run, call.result))


def result_value(session: Session, run: AgnoRun, result: ToolResult, value: Any) -> Any:
    """The tool's own value, or the text that hooks put in its place."""
    note(session, run, result)
    same = not result.error and result.llm_content == result_of(str(value) if value is None else value).llm_content
    return value if same or (value is None and not str(result)) else str(result)


def note(session: Session, run: AgnoRun, result: ToolResult) -> ToolResult:
    if result.stop or (result.error and result.error.type == "stopped"):
        run.stopped = result.stop_reason
    session.received(result.user_messages)
    return result


# ---- models


def hooked_model(model: AgnoModel, runs: AgnoRuns, *, takes_prompts: bool) -> AgnoModel:
    """The same model in a subclass of its own class. What hooks need is on the class: Agno copies the instance."""
    kind: Any = type(model)
    namespace = {"hook_runs": runs, "takes_prompts": takes_prompts, "__module__": kind.__module__}
    hooked: Any = type(kind.__name__, (AgnoModelHooks, kind), namespace)
    made: AgnoModel = hooked.__new__(hooked)
    made.__dict__.update(model.__dict__)
    return made


class WholeAnswer(NamedTuple):
    """A whole response, and the pieces in which it came."""

    whole: ModelResponse
    pieces: list[ModelResponse]


class AgnoModelHooks:
    """What stands before an Agno model's own class. Agno passes everything by name."""

    hook_runs: AgnoRuns
    takes_prompts: bool

    def invoke(self, *args: Any, **asked: Any) -> ModelResponse:
        own: Any = super()
        session, run = self.hook_runs.get(asked.get("run_response"))

        def ask(**changed: Any) -> WholeAnswer:
            response = own.invoke(*args, **{**asked, **changed})
            return WholeAnswer(response, [response])

        return drive(session, self.turn(session, run, asked, ask)).whole

    async def ainvoke(self, *args: Any, **asked: Any) -> ModelResponse:
        own: Any = super()
        session, run = await self.hook_runs.aget(asked.get("run_response"))

        async def ask(**changed: Any) -> WholeAnswer:
            response = await own.ainvoke(*args, **{**asked, **changed})
            return WholeAnswer(response, [response])

        return (await adrive(session, self.turn(session, run, asked, ask))).whole

    def invoke_stream(self, *args: Any, **asked: Any) -> Iterator[ModelResponse]:
        """If no hook listens, the pieces come as the model gives them; else when hooks have seen the whole response."""
        own: Any = super()
        session, run = self.hook_runs.get(asked.get("run_response"))

        def ask(**changed: Any) -> WholeAnswer:
            return self.join_pieces(list(own.invoke_stream(*args, **{**asked, **changed})))

        if self.may_stream(session):
            answer = drive(session, self.begin_turn(session, run, asked))
            yield from answer.pieces if answer else own.invoke_stream(*args, **asked)
        else:
            yield from drive(session, self.turn(session, run, asked, ask)).pieces

    async def ainvoke_stream(self, *args: Any, **asked: Any) -> AsyncIterator[ModelResponse]:
        own: Any = super()
        session, run = await self.hook_runs.aget(asked.get("run_response"))

        async def ask(**changed: Any) -> WholeAnswer:
            return self.join_pieces([piece async for piece in own.ainvoke_stream(*args, **{**asked, **changed})])

        if not self.may_stream(session):
            for piece in (await adrive(session, self.turn(session, run, asked, ask))).pieces:
                yield piece
        elif answer := await adrive(session, self.begin_turn(session, run, asked)):
            for piece in answer.pieces:
                yield piece
        else:
            async for piece in own.ainvoke_stream(*args, **asked):
                yield piece

    async def arun_function_call(self, function_call: Any) -> Any:
        own: Any = super()
        cancelled = threading.Event()
        token = CANCELLED.set(cancelled)
        try:
            return await own.arun_function_call(function_call)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        finally:
            CANCELLED.reset(token)

    def may_stream(self, session: Session) -> bool:
        return Model(session, never_called, format="plain").quiet() and not session.engine.listens("turn.stop")

    def join_pieces(self, pieces: list[ModelResponse]) -> WholeAnswer:
        own: Any = self
        text = "".join(str(piece.content) for piece in pieces if piece.content is not None)
        calls = own.parse_tool_calls([call for piece in pieces for call in piece.tool_calls or ()])
        return WholeAnswer(ModelResponse(content=text, tool_calls=calls), pieces)

    def turn(
        self, session: Session, run: AgnoRun, asked: dict[str, Any], ask: Callable[..., Any]
    ) -> Steps[WholeAnswer]:
        """One request, which is made again as long as a stop hook wants the agent to go on."""
        messages: list[Message] = asked["messages"]
        refused = yield from self.begin_turn(session, run, asked)
        if refused is not None:
            return refused
        while True:
            answer = yield from self.ask_once(session, run, asked, ask)
            if run.stopped is not None or answer.whole.tool_calls or not self.takes_prompts or not in_run(asked):
                return answer
            text = str(answer.whole.content or "")
            stop = yield from session._stop(text)
            if not stop.goes_on:
                return answer
            messages += [Message(role="assistant", content=text), Message(role="user", content=stop.text)]

    def begin_turn(self, session: Session, run: AgnoRun, asked: dict[str, Any]) -> Steps[WholeAnswer | None]:
        """Let texts of hooks into the conversation. Returns the response if the model must not be asked."""
        messages: list[Message] = asked["messages"]
        if self.takes_prompts and in_run(asked) and run.judged != asked["run_response"].run_id:
            yield from judge_prompt(session, run, asked)
        if run.stopped is not None:
            return response_saying(run.stopped)
        messages += [Message(role="user", content=text) for text in session.pending()]
        return None

    def ask_once(
        self, session: Session, run: AgnoRun, asked: dict[str, Any], ask: Callable[..., Any]
    ) -> Steps[WholeAnswer]:
        own: Any = self
        tools = asked.get("tools") or []
        call = call_of(str(own.id), asked["messages"], tools)
        model = Model(session, never_called, format="plain")
        if model.quiet():
            session.narrow_tools(None)
            response: WholeAnswer = yield Call(ask)
            return response
        ready = yield from model.prepared(call)
        session.narrow_tools(ready.allowed)
        if ready.blocked:
            run.stopped = (ready.synthetic_response or {}).get("text") or ready.reason
            return response_saying(run.stopped or "")
        call = call if ready.modified_request is None else ready.modified_request
        left = plain.tools_left(call.get("toolConfig"))
        changed: dict[str, Any] = {"messages": [own_message(one) for one in call["messages"]]}
        if left is not None:
            changed["tools"] = [tool for tool in tools if tool_name(tool) in left] or None
        got: WholeAnswer = yield Call(ask, (), changed)
        if not session.engine.listens("model.after"):
            return got
        reply = Reply()
        whole = plain.response(str(got.whole.content or ""), calls_in(got.whole.tool_calls), got)
        yield from model.answered(reply, call, whole)
        if reply.stop or reply.blocked:
            run.stopped = reply.stop_reason or reply.reason
        kept: WholeAnswer | None = plain.original_of(reply.response)
        return kept or response_saying(reply.response["text"] or run.stopped or "")


def judge_prompt(session: Session, run: AgnoRun, asked: dict[str, Any]) -> Steps[None]:
    """The prompt of a run whose guardrail Agno did not call: it skips an async one in a synchronous run."""
    run.judged, run.stopped = asked["run_response"].run_id, None
    mine = [one for one in asked["messages"] if one.role == "user" and not one.from_history]
    if not mine or not isinstance(mine[-1].content, str):
        return
    prompt = yield from session._prompt(mine[-1].content)
    if prompt.blocked or prompt.stop:
        run.stopped, mine[-1].content = prompt.reason, "(A hook refused the prompt.)"
    else:
        mine[-1].content = prompt.text


def in_run(asked: dict[str, Any]) -> bool:
    """Whether this is a request of a run; Agno asks models for summaries and memories too."""
    return asked.get("run_response") is not None


def never_called(**call: Any) -> Any:
    raise AssertionError("Agno calls the model itself")


def response_saying(text: str) -> WholeAnswer:
    response = ModelResponse(role="assistant", content=text)
    return WholeAnswer(response, [response])


def tool_name(tool: Any) -> str:
    return str((tool.get("function") or {}).get("name") or tool.get("name") or tool.get("type") or "")


def call_of(name: str, messages: list[Message], tools: list[Any]) -> dict[str, Any]:
    shown = [as_plain(message) for message in messages]
    return {
        "model": name,
        "messages": shown,
        **({"tools": [{"name": tool_name(one)} for one in tools]} if tools else {}),
    }


def calls_in(calls: Any) -> list[plain.Plain]:
    found = [one for one in calls or () if isinstance(one, dict)]
    return [{"name": function_of(one).get("name"), "input": input_of(one), "id": one.get("id")} for one in found]


def function_of(call: dict[str, Any]) -> dict[str, Any]:
    return call.get("function") or {}


def input_of(call: dict[str, Any]) -> Any:
    arguments = function_of(call).get("arguments") or "{}"
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return {"arguments": arguments}


def as_plain(message: Message) -> plain.Plain:
    made: plain.Plain = {"role": ROLES.get(message.role, message.role), "content": [text_in(message)]}
    made[plain.OBJECT] = message
    if calls := calls_in(message.tool_calls):
        made["tool_calls"] = calls
    return {**made, "tool_call_id": message.tool_call_id} if message.tool_call_id else made


def text_in(message: Message) -> str:
    return message.content if isinstance(message.content, str) else message.get_content_string()


def own_message(one: plain.Plain) -> Message:
    own, text = one.get(plain.OBJECT), PLAIN.text(one)
    if own is None:
        return Message(role=OWN_ROLES.get(one["role"], one["role"]), content=text)
    if own.role == "assistant" and own.tool_calls and len(one.get("tool_calls", ())) != len(own.tool_calls):
        kept = {call["id"] for call in one.get("tool_calls", ())}
        own = own.model_copy(update={"tool_calls": [call for call in own.tool_calls if call.get("id") in kept] or None})
    return own if text == text_in(own) else own.model_copy(update={"content": text, "compressed_content": None})

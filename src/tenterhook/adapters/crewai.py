"""Hooks in crews and agents of CrewAI, for what runs inside of a with block.

    with crew_hooks(engine) as hooks:
        Agent(role="...", ..., guardrail=hooks.guardrail).kickoff("Clean up.")

The block's interception points are CrewAI's scoped ones: other threads and tasks do not get them. CrewAI swallows every
error of a hook but HookAborted, so each failure here becomes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from crewai.hooks.dispatch import HookAborted, InterceptionPoint, get_scoped_hooks, scoped_hooks

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.clients.formats.plain import PLAIN
from tenterhook.engine.engine import Engine
from tenterhook.hosts.model import Model
from tenterhook.hosts.permission import Ask
from tenterhook.hosts.reply import Reply
from tenterhook.hosts.result import ToolResult
from tenterhook.hosts.session import Session
from tenterhook.hosts.steps import drive

ROLES = {"assistant": "model"}
OWN_ROLES = {"model": "assistant"}
# How CrewAI tells the model that a tool raised an error; it has no other sign of it.
FAILED = "Error executing tool: "


@contextmanager
def crew_hooks(
    engine: Engine | None = None,
    *,
    permission: Ask | None = None,
    tell: Callable[[str], object] | None = None,
) -> Iterator[CrewRun]:
    """A session of hooks around the crews and agents that run in this block. `permission` asks a person."""
    with (engine or Engine(".")).session(permission=permission, tell=tell) as session:
        run = CrewRun(session)
        scope = {point: get_scoped_hooks(point) for point in InterceptionPoint}
        for point, hook in run.points().items():
            scope[point].append(hook)
        try:
            with scoped_hooks(scope):
                yield run
        finally:
            run.over = True


class CrewRun:
    """What runs in one block. `stopped` is why it ends, after a hook stopped the agent."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.stopped: str | None = session.halted.stop_reason if session.halted else None
        # Whether the block was left. If it was cancelled, CrewAI's threads still go on, and must not run a tool.
        self.over = False
        # Calls that have begun, each with its input: the two points of a call share that very dict, and nothing else.
        self.calls: dict[int, tuple[PendingCall, Any]] = {}

    def points(self) -> dict[InterceptionPoint, Callable[[Any], Any]]:
        return {
            InterceptionPoint.PRE_MODEL_CALL: abort_on_failure(self.judge_request),
            InterceptionPoint.POST_MODEL_CALL: abort_on_failure(self.judge_response),
            InterceptionPoint.PRE_TOOL_CALL: abort_on_failure(self.begin_tool),
            InterceptionPoint.POST_TOOL_CALL: self.finish_tool,
        }

    def guardrail(self, output):  # type: ignore[no-untyped-def]  # CrewAI looks at annotations
        """For an agent or a task: its answer goes back to the model if a hook denies the end of the turn."""
        try:
            stop = self.session.stop(str(output.raw))
        except Exception as exc:
            return False, f"hooks could not judge the answer: {exc}"
        if not stop.goes_on:
            return True, output
        self.session.received([stop.text])  # with the next request: CrewAI loses what the guardrail says
        return False, "A hook wants the agent to go on."

    # ---- tools

    def begin_tool(self, context: Any) -> None:
        given = context.tool_input
        call = PendingCall(self.session, context.tool_name, dict(given))
        if call.quiet:
            return
        self.calls[id(given)] = (call, given)
        if call.begin() is None and call.input != given:
            if not given:  # CrewAI may run the tool without this dict
                call.fail(
                    ValueError("a hook gave this call an input, and CrewAI cannot pass one to a call without any")
                )
            else:
                given.clear()
                given.update(call.input)
        if call.result is not None or self.over:
            raise HookAborted(str(call.result or "the run is over"))

    def finish_tool(self, context: Any) -> str | None:
        """The text for the model; of a refused call it is the reason, which CrewAI does not tell by itself."""
        call, _ = self.calls.pop(id(context.tool_input), (None, None))
        if call is None:
            return None
        try:
            text = str(context.tool_result)
            return self.render_result(call.result or finish_call(call, text), text)
        except Exception as exc:
            return f"Hooks could not judge the result of this tool, so it is withheld: {exc}"

    def render_result(self, result: ToolResult, text: str) -> str | None:
        if result.stop or (result.error and result.error.type == "stopped"):
            self.stopped = result.stop_reason
        self.session.received(result.user_messages)
        return None if str(result) == text else str(result)

    # ---- the model

    def judge_request(self, context: Any) -> None:
        if context.executor is not None and not context.iterations and not self.session.forced:
            self.enter_prompt(context)
        if self.stopped is not None:
            raise HookAborted(self.stopped)
        session = self.session
        context.messages += [{"role": "user", "content": text} for text in session.pending()]
        model = Model(session, never_called, format="plain")
        if model.quiet():
            session.narrow_tools(None)
            return
        ready = drive(session, model.prepared(call_of(context)))
        session.narrow_tools(ready.allowed)
        if ready.blocked:
            self.stopped = (ready.synthetic_response or {}).get("text") or ready.reason
            raise HookAborted(self.stopped or "a hook refused the request")
        if ready.modified_request is not None:
            context.messages[:] = [own_message(one) for one in ready.modified_request["messages"]]

    def enter_prompt(self, context: Any) -> None:
        """What the task asks of the agent: the last message of the user before the first request."""
        mine = [one for one in context.messages if one["role"] == "user" and isinstance(one["content"], str)]
        if not mine:
            return
        prompt = self.session.prompt(mine[-1]["content"])
        if prompt.blocked or prompt.stop:
            raise HookAborted(prompt.reason or "a hook refused the prompt")
        mine[-1]["content"] = prompt.text

    def judge_response(self, context: Any) -> str | None:
        """A text of the model; CrewAI does not show a response that calls tools."""
        text, changed = str(context.response), None
        if self.session.engine.listens("model.after"):
            model, reply = Model(self.session, never_called, format="plain"), Reply()
            drive(self.session, model.answered(reply, call_of(context), plain.response(text, [], context)))
            if reply.stop or reply.blocked:
                self.stopped = reply.stop_reason or reply.reason
                raise HookAborted(self.stopped)
            if plain.original_of(reply.response) is None:
                text = changed = reply.response["text"]
        if context.executor is not None and not self.has_guardrail(context):
            stop = self.session.stop(text)
            if stop.goes_on:  # nothing here can ask the model again
                raise HookAborted(stop.text)
        return changed

    def has_guardrail(self, context: Any) -> bool:
        return any(getattr(one, "guardrail", None) == self.guardrail for one in (context.agent, context.task))


def abort_on_failure(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @wraps(hook)
    def aborting(context: Any) -> Any:
        try:
            return hook(context)
        except HookAborted:
            raise
        except Exception as exc:
            raise HookAborted(f"hooks could not judge this: {exc}") from exc

    return aborting


def finish_call(call: PendingCall, text: str) -> ToolResult:
    if text.startswith(FAILED):
        return call.fail(RuntimeError(text.removeprefix(FAILED)))
    return call.finish(text)


def never_called(**call: Any) -> Any:
    raise AssertionError("CrewAI calls the model itself")


def call_of(context: Any) -> dict[str, Any]:
    tools = [{"name": tool.name} for tool in getattr(context.executor, "tools", None) or ()]
    name = str(getattr(context.llm, "model", context.llm) or "")
    shown = [as_plain(message) for message in context.messages]
    return {"model": name, "messages": shown, **({"tools": tools} if tools else {})}


def as_plain(message: Any) -> plain.Plain:
    role = message["role"]
    made: plain.Plain = {"role": ROLES.get(role, role), "content": [text_in(message)], plain.OBJECT: message}
    return {**made, "tool_call_id": message["tool_call_id"]} if message.get("tool_call_id") else made


def text_in(message: Any) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def own_message(one: plain.Plain) -> Any:
    own, text = one.get(plain.OBJECT), PLAIN.text(one)
    if own is None:
        return {"role": OWN_ROLES.get(one["role"], one["role"]), "content": text}
    return own if text == text_in(own) else {**own, "content": text}

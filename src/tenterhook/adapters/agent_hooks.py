"""Hooks in any host of AGENT-HOOKS-0.1: an interceptor for all points of that contract.

    middleware = create_agent_hooks_middleware([HookInterceptor(engine)], timeout=None)

It answers in the contract's wire form, so it needs no package of the contract. What hooks say becomes a verdict: a
refusal is a deny, a change is a transform, and a question is a deny that the host's approval resolver may lift.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.clients.formats.plain import PLAIN
from tenterhook.engine.engine import Engine
from tenterhook.hosts.model import AsyncModel
from tenterhook.hosts.permission import Ask, Permission, PermissionRequest
from tenterhook.hosts.reply import Reply
from tenterhook.hosts.result import ToolError, ToolResult, result_of
from tenterhook.hosts.session import Session
from tenterhook.hosts.steps import adrive

Wire = dict[str, Any]
ALLOW: Wire = {"decision": "allow"}
ROLES = {"assistant": "model"}
OWN_ROLES = {"model": "assistant"}
# The contract keeps these reasons for the host.
RESERVED = "host_error:"


class HookInterceptor:
    """`permission` asks a person and `tell` gets texts for the user, as in a session. Without `permission` a hook's
    question is the host's: its approval resolver decides.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
    ) -> None:
        self.engine, self.asks_itself = engine or Engine("."), permission is not None
        self.sessions = Sessions(self.engine, permission=permission, tell=tell)
        self.runs: WeakKeyDictionary[Session, InterceptedRun] = WeakKeyDictionary()
        self.points = {
            "agent_startup": self.start,
            "input": self.enter_prompt,
            "pre_model_call": self.judge_request,
            "post_model_call": self.judge_response,
            "pre_tool_call": self.begin_tool,
            "post_tool_call": self.finish_tool,
            "output": self.ask_to_stop,
            "agent_shutdown": self.end,
        }

    async def intercept(self, context: Wire) -> Wire:
        """The verdict on this context. An exception here is a deny in every host."""
        session = await self.sessions.aget(context["session"]["id"])
        run = self.runs.get(session) or self.runs.setdefault(session, InterceptedRun(session))
        return await self.points[context["interception_point"]](run, context)

    # ---- the run

    async def start(self, run: InterceptedRun, context: Wire) -> Wire:
        return deny(run.session.halted.stop_reason) if run.session.halted else ALLOW

    async def enter_prompt(self, run: InterceptedRun, context: Wire) -> Wire:
        run.stopped = None
        content = context["input"]["content"]
        text = text_in(content)
        if context["input"].get("role", "user") != "user" or not text:
            return ALLOW
        prompt = await run.session.aprompt(text)
        if prompt.blocked or prompt.stop:
            return deny(prompt.reason)
        if prompt.text == text:
            return ALLOW
        return transform("$target.content", with_text(content, prompt.text[len(text) :].strip()))

    async def ask_to_stop(self, run: InterceptedRun, context: Wire) -> Wire:
        if run.stopped is not None:
            return deny(run.stopped)
        stop = await run.session.astop(text_in(context["output"]["content"]))
        return deny(stop.text) if stop.goes_on else ALLOW

    async def end(self, run: InterceptedRun, context: Wire) -> Wire:
        await self.sessions.aend(context["session"]["id"])
        return ALLOW

    # ---- tools

    async def begin_tool(self, run: InterceptedRun, context: Wire) -> Wire:
        use = context["tool_call"]
        call = self.pending_call(run.session, use)
        if call.quiet:
            return ALLOW
        try:
            refused = await call.abegin()
        except UndecidedCall as question:
            run.calls[use["id"]] = call
            return {**deny(str(question)), "approval": {}}
        if refused is not None:
            run.note(refused)
            return deny_call(refused)
        run.calls[use["id"]] = call
        return transform_input(use["args"], call.input)

    def pending_call(self, session: Session, use: Wire) -> LiftableCall:
        args = dict(use["args"])
        if self.asks_itself:
            return LiftableCall(session, use["name"], args, id=use["id"])

        def ask(request: PermissionRequest) -> Permission:
            if request.tool_input != use["args"]:  # a verdict cannot ask and change
                return Permission(
                    False, f"{request.reason} (a hook changed the input, which this host cannot ask about)"
                )
            if not call.lifted:
                raise UndecidedCall(request.reason or f"{use['name']} needs permission")
            return Permission(True)

        call = LiftableCall(session, use["name"], args, id=use["id"], permission=ask, suspends=UndecidedCall)
        return call

    async def finish_tool(self, run: InterceptedRun, context: Wire) -> Wire:
        call = run.calls.pop(context["tool_call"]["id"], None)
        if call is None:
            return ALLOW
        if not call.at_tool():  # the host lifted the deny, and ran the tool
            call.lifted = True
            await call.abegin()
        if call.result is None:
            value, failed = context["tool_result"]["value"], context["tool_result"].get("is_error")
            text = str(result_of(value))
            result = await call.afinish(
                ToolResult(text, text, {}, ToolError(text, "failed", None)) if failed else value
            )
            run.note(result)
            return ALLOW if str(result) == text else transform("$target", str(result))
        return deny_call(call.result)

    # ---- the model

    async def judge_request(self, run: InterceptedRun, context: Wire) -> Wire:
        if run.stopped is not None:
            return deny(run.stopped)
        session, messages = run.session, list(context["messages"])
        run.added += [(len(messages), {"role": "user", "content": text}) for text in session.pending()]
        for place, message in reversed(run.added):
            messages.insert(place, message)
        call = {"model": context["model"]["id"], "messages": [as_plain(message) for message in messages]}
        if tools := context.get("tools"):
            call["tools"] = [{"name": tool["name"]} for tool in tools]
        model = AsyncModel(session, never_called, format="plain")
        if model.quiet():
            session.narrow_tools(None)
        else:
            ready = await adrive(session, model.prepared(call))
            session.narrow_tools(ready.allowed)
            if ready.blocked:
                run.stopped = (ready.synthetic_response or {}).get("text") or ready.reason
                return deny(run.stopped)
            call = call if ready.modified_request is None else ready.modified_request
        run.asked = call
        left = [own_message(one) for one in call["messages"]]
        return ALLOW if left == context["messages"] else transform("$target", left)

    async def judge_response(self, run: InterceptedRun, context: Wire) -> Wire:
        if not self.engine.listens("model.after"):
            return ALLOW
        # A host may ask about a response in growing parts, or without having asked about its request.
        call = run.asked or {"model": context["model"]["id"], "messages": []}
        response = context["response"]
        calls = [{"name": one["name"], "input": one["args"], "id": one["id"]} for one in response["tool_calls"]]
        model, reply = AsyncModel(run.session, never_called, format="plain"), Reply()
        whole = plain.response(text_in(response["content"]), calls, response)
        await adrive(run.session, model.answered(reply, call, whole))
        if reply.stop or reply.blocked:
            run.stopped = reply.stop_reason or reply.reason
            return deny(run.stopped)
        if plain.original_of(reply.response) is not None:
            return ALLOW
        return transform("$target", {"content": reply.response["text"], "tool_calls": [], "finish_reason": "stop"})


class InterceptedRun:
    """What a session of the contract has open. `stopped` is why it ends, after a hook stopped the agent."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.stopped: str | None = None
        self.calls: dict[str, LiftableCall] = {}
        # The last request, as hooks left it.
        self.asked: Wire | None = None
        # What hooks added to the conversation, each with its place: the host does not keep it.
        self.added: list[tuple[int, Wire]] = []

    def note(self, result: ToolResult) -> None:
        if result.stop or (result.error and result.error.type == "stopped"):
            self.stopped = result.stop_reason
        self.session.received(result.user_messages)


class LiftableCall(PendingCall):
    """A call whose question is a deny. `lifted`: the host's resolver allowed it."""

    lifted = False


class UndecidedCall(Exception):
    """A hook asks, and the host is to decide."""


async def never_called(**call: Any) -> Any:
    raise AssertionError("the host calls the model itself")


def deny(reason: str) -> Wire:
    reason = reason or "a hook refused"
    return {"decision": "deny", "reason": f"a hook: {reason}" if reason.startswith(RESERVED) else reason}


def deny_call(refused: ToolResult) -> Wire:
    """The reason alone, as other interceptors give it; what hooks say beside it is the message."""
    more = any(message.to == "model" and message.kind != "reason" for message in refused.messages)
    made = deny(refused.error.message if refused.error else str(refused))
    return {**made, "message": str(refused)} if more else made


def transform(path: str, value: Any) -> Wire:
    return {"decision": "transform", "transform": {"path": path, "value": value}}


def transform_input(before: Wire, after: Wire) -> Wire:
    """A verdict has one path: that of the only changed value, or of the whole input."""
    if before == after:
        return ALLOW
    changed = [name for name in after if name not in before or before[name] != after[name]]
    if set(before) == set(after) and len(changed) == 1 and changed[0].isidentifier():
        return transform(f"$target.{changed[0]}", after[changed[0]])
    return transform("$target", after)


def text_in(content: Any) -> str:
    """The text of a message, of its parts, or of several messages."""
    if isinstance(content, list):
        return "".join(text_in(part) for part in content)
    if isinstance(content, dict):
        return text_in(content.get("text") or content.get("content"))
    return content if isinstance(content, str) else ""


def with_text(content: Any, text: str) -> Any:
    """The content with a text after all others."""
    if isinstance(content, str):
        return f"{content}\n\n{text}"
    if isinstance(content[-1], dict) and "content" in content[-1]:
        last = {**content[-1], "content": with_text(content[-1]["content"], text)}
        return [*content[:-1], last]
    return [*content, {"type": "text", "text": text}]


def as_plain(message: Wire) -> plain.Plain:
    role = message.get("role", "user")
    return {"role": ROLES.get(role, role), "content": [text_in(message["content"])], plain.OBJECT: message}


def own_message(one: plain.Plain) -> Wire:
    own, text = one.get(plain.OBJECT), PLAIN.text(one)
    if own is None:
        return {"role": OWN_ROLES.get(one["role"], one["role"]), "content": text}
    return own if text == text_in(own["content"]) else {**own, "content": text}

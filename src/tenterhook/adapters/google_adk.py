"""Hooks in agents of Google's Agent Development Kit: a plugin.

    runner = Runner(agent=agent, app_name="app", session_service=service, plugins=[HookPlugin(engine)])

`HookPlugin(engine, confirmation=True)` asks for permission by ADK's own tool confirmation. In live mode ADK calls the
model without its plugins, so no hook sees that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from tenterhook.adapters import plain_messages as plain
from tenterhook.adapters.endings import end_after_model, end_after_tool
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.adapters.waiting_calls import ApprovedCall, WaitingCalls, key_of
from tenterhook.engine.engine import Engine
from tenterhook.hosts.model import AsyncModel
from tenterhook.hosts.permission import Ask, PermissionRequest
from tenterhook.hosts.reply import Reply
from tenterhook.hosts.result import ToolResult, result_of
from tenterhook.hosts.session import Session
from tenterhook.hosts.steps import adrive

# A stop hook sends the agent back to work by the result of a call of this tool, which no model can call by itself.
GO_ON = "stop_hook"


class Unconfirmed(Exception):
    """A hook asks; ADK's confirmation asks the person."""


class HookPlugin(BasePlugin):
    """`permission` asks a person and `tell` gets texts for the user, as in a session."""

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
        confirmation: bool = False,
    ) -> None:
        super().__init__("hooks")
        self.engine, self.confirmation = engine or Engine("."), confirmation
        self.sessions = Sessions(self.engine, permission=permission, tell=tell)
        # Calls that wait for a person: hooks that ran before do not run again when the agent goes on.
        self.waiting = WaitingCalls()
        # Calls whose tool runs now, by session and id. ADK calls `after_tool_callback` for refused ones too.
        self.running: dict[tuple[str, str], PendingCall] = {}
        # Why a session's run ends, after a hook stopped the agent.
        self.stopped: dict[str, str] = {}
        # Requests whose response has not come yet, as hooks left them, by the agent's own invocation.
        self.asked: dict[str, dict[str, Any]] = {}

    async def session(self, context: Any) -> Session:
        return await self.sessions.aget(context.session.id)

    # ---- the run

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        session = await self.session(invocation_context)
        self.stopped.pop(session.id, None)
        text = text_in(user_message)
        if not text:  # the answer to a confirmation
            return None
        prompt = await session.aprompt(text)
        if prompt.blocked or prompt.stop:
            self.stopped[session.id] = prompt.reason
            return types.Content(role="user", parts=[types.Part(text="(A hook refused the prompt.)")])
        if prompt.text == text:
            return None
        added = types.Part(text=prompt.text[len(text) :].strip())
        return user_message.model_copy(update={"parts": [*(user_message.parts or []), added]})

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> types.Content | None:
        session = await self.session(invocation_context)
        return content_saying(self.stopped[session.id]) if session.id in self.stopped else None

    # ---- tools

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        session, id = await self.session(tool_context), tool_context.function_call_id or ""
        if isinstance(tool, GoOn):
            return None
        key = key_of(session.id, id, tool.name, tool_args)
        call = self.waiting.find(key) or self.new_call(session, tool, tool_args, id)
        if call.quiet:
            return None
        if isinstance(call, ApprovedCall):
            answer = tool_context.tool_confirmation
            call.answer = answer.confirmed if answer else None
        try:
            refused = await call.abegin()
        except Unconfirmed as asked:
            self.waiting.keep(key, call)
            tool_context.request_confirmation(hint=str(asked))
            tool_context.actions.skip_summarization = True  # the model is not asked before the person has answered
            return {"error": "This tool call needs confirmation: wait for it."}
        self.waiting.remove(key)
        if refused is not None:
            return self.render_result(session, refused)
        self.running[session.id, id] = call
        if call.input != tool_args:
            tool_args.clear()
            tool_args.update(call.input)
        return None

    def new_call(self, session: Session, tool: BaseTool, args: dict[str, Any], id: str) -> PendingCall:
        if not self.confirmation:
            return PendingCall(session, tool.name, dict(args), id=id)
        return ApprovedCall(session, tool.name, dict(args), id=id, question=ask_for_confirmation, suspends=Unconfirmed)

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        session, id = await self.session(tool_context), tool_context.function_call_id or ""
        call = self.running.pop((session.id, id), None)
        if call is None:
            return None
        value = result["result"] if isinstance(result, dict) and set(result) == {"result"} else result
        before = result_of(value).llm_content
        finished = await call.afinish(value)
        shown = self.render_result(session, finished)
        return None if finished.llm_content == before else shown

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> dict[str, Any] | None:
        session, id = await self.session(tool_context), tool_context.function_call_id or ""
        call = self.running.pop((session.id, id), None)
        return None if call is None else self.render_result(session, await call.afail(error))

    def render_result(self, session: Session, result: ToolResult) -> dict[str, Any]:
        """The result for the model, in ADK's form."""
        if (reason := end_after_tool(result)) is not None:
            self.stopped[session.id] = reason
        session.received(result.user_messages)
        return {"error" if result.error else "result": str(result)}

    # ---- the model

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        session = await self.session(callback_context)
        if session.id in self.stopped:
            return LlmResponse(content=content_saying(self.stopped[session.id]))
        llm_request.contents += [types.UserContent(parts=[types.Part(text=text)]) for text in session.pending()]
        llm_request.tools_dict[GO_ON] = GoOn()
        model = AsyncModel(session, never_called, format="genai")
        call = {"model": llm_request.model or "", "contents": llm_request.contents, "config": llm_request.config}
        if not model.quiet():
            ready = await adrive(session, model.prepared(call))
            session.narrow_tools(ready.allowed)
            if ready.blocked:
                self.stopped[session.id] = ready.reason
                made = ready.synthetic_response
                content = made.candidates[0].content if made and made.candidates else None
                return LlmResponse(content=content or content_saying(ready.reason))
            call = call if ready.modified_request is None else ready.modified_request
            llm_request.contents, llm_request.config = list(call["contents"]), with_tools(call["config"])
        self.asked[callback_context.invocation_id] = call
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        call = self.asked.get(callback_context.invocation_id)
        if llm_response.partial or call is None or llm_response.error_code:
            return None
        session = await self.session(callback_context)
        changed = await self.judge(session, call, llm_response)
        return await self.send_back(session, changed or llm_response) or changed

    async def judge(self, session: Session, call: dict[str, Any], response: LlmResponse) -> LlmResponse | None:
        """The response as hooks changed it."""
        model = AsyncModel(session, never_called, format="genai")
        if not self.engine.listens("model.after") or response.content is None:
            return None
        whole = as_genai(response)
        reply = Reply()
        await adrive(session, model.answered(reply, call, whole))
        if (reason := end_after_model(reply)) is not None:
            self.stopped[session.id] = reason
        if reply.response is whole:
            return None
        candidates = reply.response.candidates
        content = candidates[0].content if candidates else content_saying(self.stopped.get(session.id, ""))
        return response.model_copy(update={"content": content})

    async def send_back(self, session: Session, response: LlmResponse) -> LlmResponse | None:
        """The response with a call that tells the model why it goes on, if a stop hook wants that."""
        content = response.content
        if session.id in self.stopped or content is None or any(part.function_call for part in content.parts or []):
            return None
        stop = await session.astop(text_in(content))
        if not stop.goes_on:
            return None
        call = types.Part(function_call=types.FunctionCall(name=GO_ON, args={"reason": stop.text}))
        changed = content.model_copy(update={"parts": [*(content.parts or []), call]})
        return response.model_copy(update={"content": changed})


class GoOn(BaseTool):
    """Gives the model the stop hook's reason."""

    def __init__(self) -> None:
        super().__init__(name=GO_ON, description="Tells why the work is not done.")

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        return {"result": args["reason"]}


def ask_for_confirmation(request: PermissionRequest) -> Unconfirmed:
    return Unconfirmed(request.reason)


async def never_called(**call: Any) -> Any:
    raise AssertionError("ADK calls the model itself")


def content_saying(text: str) -> types.Content:
    return types.Content(role="model", parts=[types.Part(text=text)])


def text_in(content: types.Content) -> str:
    return "".join(part.text for part in content.parts or [] if part.text and not part.thought)


def as_genai(response: LlmResponse) -> types.GenerateContentResponse:
    reason = response.finish_reason or types.FinishReason.STOP
    candidate = types.Candidate(content=response.content, finish_reason=reason, index=0)
    return types.GenerateContentResponse(candidates=[candidate], usage_metadata=response.usage_metadata)


def with_tools(config: types.GenerateContentConfig) -> types.GenerateContentConfig:
    """The config without the declarations of tools that hooks took away; not every model of ADK knows a tool config."""
    choice = config.tool_config.function_calling_config if config.tool_config else None
    if choice is None or not config.tools:
        return config
    mode = choice.mode.value if choice.mode else ""
    left = plain.tools_left({"mode": mode, "allowedFunctionNames": choice.allowed_function_names})
    if left is None:
        return config
    tools = [
        tool.model_copy(update={"function_declarations": [one for one in declared if one.name in left]})
        if isinstance(tool, types.Tool) and (declared := tool.function_declarations)
        else tool
        for tool in config.tools
    ]
    return config.model_copy(update={"tools": tools})

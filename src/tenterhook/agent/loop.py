"""READ FIRST: a prompt from start to end. `turn` is the whole story: ask the model, run the tools it calls, ask again.

Every step goes through a session of hosts/, which fires the events and returns their outcomes; this module acts on
them. One AgentLoop is one conversation: the main agent's, or a subagent's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast

from tenterhook.agent.compaction import shorten
from tenterhook.agent.hooked_tools import build_session_tool, escape_hook_tags
from tenterhook.agent.script import ScriptOver
from tenterhook.agent.tools import task
from tenterhook.agent.turn_end import TurnEnd
from tenterhook.clients.formats.plain import record_reply
from tenterhook.clients.models import MALFORMED
from tenterhook.clients.tool_inputs import WrongInput
from tenterhook.clients.workspace.names import DialectTool, translate_tool_call
from tenterhook.clients.workspace.workspace import WorkspaceError
from tenterhook.errors import TenterhookError, nearest
from tenterhook.hosts.reply import AsyncStream, Reply, Streamed
from tenterhook.hosts.result import ToolResult
from tenterhook.hosts.scheduler import STOPPED as STOPPED_BEFORE
from tenterhook.hosts.scheduler import Progress, ToolCall, without
from tenterhook.hosts.session import Agent, Session, Stop
from tenterhook.hosts.stop_limit import stop_limit
from tenterhook.hosts.tool import Tool, accept_any_input
from tenterhook.pipeline.apply import STOPPED
from tenterhook.support.terminal.text import as_json
from tenterhook.types import Outcome

if TYPE_CHECKING:
    from tenterhook.agent.coder import Coder

Message = dict[str, Any]

INTERRUPTED = "the user interrupted it"
MOST_GARBLED = 3
GENERAL = "general-purpose"
SYSTEM = """You are a coding agent at work in the folder {project}. Use the tools to look and to act; say what you did \
in few words. Text between <hook> tags comes from the user's own rules: it is the user's word."""


class AgentLoop:
    """One conversation."""

    def __init__(self, coder: Coder, session: Session) -> None:
        self.coder, self.session, self.engine = coder, session, session.engine
        self.messages: list[Message] = []
        self.wish = ""  # the last prompt as it entered the context
        self.seen: dict[str, Any] = {}  # the last request to the model as hooks left it
        self.room = coder.room
        self.put_off = 0  # if hooks refused to compact, the length from which they are asked again
        self.rejected = self.garbled = 0
        self.ids: set[str] = set()
        self.calls: dict[str, Progress] = {}
        self.shown: Any = {}  # the input of the current call, as hooks saw it
        # A subagent starts no other subagent.
        definitions = [*coder.definitions, *([] if session.parent else [task.definition(self.delegate)])]
        named = [DialectTool(one, self.engine.dialect) for one in definitions]
        self.named = {one.name: one for one in named}
        self.tools = [
            {"name": one.name, "description": escape_hook_tags(one.definition.about), "parameters": one.parameters}
            for one in named
        ]
        self.model = session.model(self.ask_provider, format="plain", stream=True, collect=True)
        self.scheduler = session.scheduler([build_session_tool(self, one) for one in named], changed=self.progress)

    @property
    def agent(self) -> str:
        """The id of a subagent; empty for the main agent."""
        return self.session.agent_id if self.session.parent else ""

    async def prompt(self, text: str) -> TurnEnd:
        """The user's prompt: hooks see it first, and may add to it or refuse it."""
        self.mend()
        prompt = await self.session.aprompt(text)
        if prompt.stop:
            return TurnEnd("stopped", prompt.reason or STOPPED)
        if prompt.blocked:
            return TurnEnd("blocked", prompt.reason)
        self.coder.transcript.prompt(prompt.text)
        return await self.turn(prompt.text)

    async def turn(self, text: str) -> TurnEnd:
        """Run until the model has nothing more to do, and hooks let it stop."""
        self.wish = text
        self.hear([text])
        while True:
            try:
                if ended := await shorten(self):
                    return ended
                reply = await self.ask(self.messages, self.tools)
            except ScriptOver as exc:
                return TurnEnd("script", str(exc))
            if reply.stop:
                return TurnEnd("stopped", reply.stop_reason or STOPPED)
            record_reply(self.messages, reply.response, self.ids)
            if self.is_garbled(reply.response):
                continue
            if calls := self.requested_calls(reply.response):
                if stop := next((one for one in await self.run(calls) if one.stop), None):
                    return TurnEnd("stopped", stop.stop_reason or STOPPED)
                self.hear(self.session.pending())
                continue
            response = reply.response["text"] or reply.reason
            gate = await self.finish(response)
            if not gate.goes_on:
                return (
                    TurnEnd("stopped", gate.outcome.stop_reason or STOPPED) if gate.stop else TurnEnd("done", response)
                )
            self.hear([gate.text])

    def mend(self) -> None:
        """After an interrupted turn: add missing results, since a call without a result would make the next request
        invalid.
        """
        answered = {one.get("tool_call_id") for one in self.messages}
        asked = [call for one in self.messages for call in one.get("tool_calls") or ()]
        for call in asked:
            if call["id"] not in answered:
                self.messages.append(result_message(call["name"], call["id"], INTERRUPTED))

    def hear(self, texts: list[str]) -> None:
        self.messages += [{"role": "user", "content": text} for text in texts if text]

    async def ask(self, messages: list[Message], tools: list[dict[str, Any]]) -> Reply:
        """Call the model once. If hooks want to see its response, it is shown after them."""
        coder, self.seen = self.coder, {}
        call = {"model": coder.provider.model, "messages": list(messages), "tools": tools}
        reply: Streamed = await self.model(**call)
        later = bool(self.agent) or not tools or self.engine.listens("model.after")
        later = later or reply.synthetic or reply.suppress_display
        async for chunk in cast(AsyncStream, reply):
            if not later:
                coder.screen.words(chunk.get("text") or "")
        if reply.response is None:
            raise TenterhookError(f"the response of {coder.provider.name} broke off")
        if not (reply.stop and reply.synthetic) or reply.response["text"]:  # otherwise the model was not called
            coder.transcript.model(self.seen or call, reply.response, synthetic=reply.synthetic, agent=self.agent)
        if later and tools and not reply.suppress_display:
            coder.screen.whole(reply.response["text"], self.agent)
        for problem in (*reply.problems, *reply.response.get("problems", ())):
            coder.screen.note(problem)
        return reply

    def is_garbled(self, response: dict[str, Any]) -> bool:
        """Whether a call could not be parsed: the model is told and asked again, a limited number of times."""
        problems = response.get("problems") if ending(response) == MALFORMED else None
        self.garbled = self.garbled + 1 if problems else 0
        if not problems or self.garbled > MOST_GARBLED or response.get("tool_calls"):
            return False
        self.hear(["\n".join(problems)])
        return True

    async def ask_provider(self, **call: Any) -> AsyncIterator[dict[str, Any]]:
        """Send the request as hooks left it to the model."""
        self.seen = call
        system = {"role": "system", "content": SYSTEM.format(project=self.engine.project)}
        return await self.coder.provider.ask(**{**call, "messages": [system, *call["messages"]]})

    def requested_calls(self, response: dict[str, Any]) -> list[ToolCall]:
        """The calls of a response, by this dialect's names of the tools."""
        made = []
        for call in response.get("tool_calls") or ():
            name, input = translate_tool_call(call["name"], call["input"], self.engine.dialect)
            made.append(
                ToolCall(name, self.named[name].input_for_hooks(input) if name in self.named else input, call["id"])
            )
        return made

    async def run(self, calls: list[ToolCall]) -> list[ToolResult]:
        """Run calls one after another: each is done, and reported, before the next one begins."""
        results: list[ToolResult] = []
        for call in calls:
            if any(one.stop for one in results):  # every call needs a result, even if it only says that there is none
                result = without(STOPPED_BEFORE, "cancelled")
            else:
                self.shown = call.input
                self.coder.screen.calls(call.name, call.input, self.main_input(call.name))
                result = await self.run_call(call)
                self.coder.screen.result(result)
            self.keep_result(call, result)
            results.append(result)
        return results

    async def run_call(self, call: ToolCall) -> ToolResult:
        """Run one call. If interrupted, it is cancelled, hooks are told, and it still gets a result."""
        if call.name not in self.named:
            return await self.unknown(call)
        running = asyncio.ensure_future(self.scheduler.arun([call]))
        try:
            (result,) = await asyncio.shield(running)
        except asyncio.CancelledError:
            if not self.scheduler.cancel(call.id, INTERRUPTED):
                running.cancel()
            (result,) = await running
            self.keep_result(call, result)
            raise
        return result

    def main_input(self, name: str) -> str:
        """The main input of a tool: the first one that it requires."""
        named = self.named.get(name)
        return named.theirs(named.definition.required[0]) if named and named.definition.required else ""

    async def unknown(self, call: ToolCall) -> ToolResult:
        """There is no such tool. Hooks still see the call: they may have something to say about it."""
        text = f"there is no tool {call.name!r}{nearest(call.name, self.named)}"
        tool: Tool = self.session.tool(call.name, schema=accept_any_input)(
            lambda **input: without(text, "unknown_tool")
        )
        return await tool.arun(call.input, tool_use_id=call.id)

    def keep_result(self, call: ToolCall, result: ToolResult) -> None:
        progress = self.calls.pop(call.id, None)
        exception = result.error.exception if result.error else None
        ran = progress is not None and (progress.running or progress.finished) and not isinstance(exception, WrongInput)
        input = progress.input if progress and (ran or progress.input) else call.input
        text = result.llm_content if isinstance(result.llm_content, str) else as_json(result.llm_content)
        self.messages.append(result_message(call.name, call.id, text))
        self.coder.transcript.tool(call.name, input, ran=ran, result=text, agent=self.agent)

    def progress(self, one: Progress) -> None:
        self.calls[one.call.id] = one

    async def finish(self, response: str) -> Stop:
        """The model has nothing more to do. Hooks may send it back: at a subagent's three gates, at the turn's end."""
        session = self.session
        if not session.parent:
            return await session.astop(response)
        gate = await self.task_done(response)
        if not (gate.goes_on or gate.stop):
            gate = await session.aidle(response)
        if not (gate.goes_on or gate.stop):
            gate = await session.astop(response)
        return gate

    async def task_done(self, response: str) -> Stop:
        """A task that hooks do not accept as done goes back to work, a limited number of times."""
        session = self.session
        outcome = await session.atask_done(session.agent_id, response)
        refused = outcome.blocked and not outcome.stop
        self.rejected = self.rejected + 1 if refused else 0
        if refused and self.rejected <= stop_limit(session.engine, "task.done", session.stop_limit):
            return Stop(True, "\n\n".join(session.pending()), outcome)
        return Stop(False, "", outcome)

    async def delegate(self, prompt: str = "", description: str = "", subagent_type: str = GENERAL) -> ToolResult:
        """Run a subagent: its own conversation, the same tools, the same hooks."""
        prompt = prompt or description  # some models give only a description
        if not prompt:
            raise WorkspaceError("say in prompt what the subagent shall do")
        child = await self.session.aagent(prompt, agent_type=subagent_type, agent_name=subagent_type)
        async with child:
            created = await child.atask_created(child.agent_id, description or prompt)
            end = await self.run_child(child, created)
        if end.reason == "script":
            raise ScriptOver(end.text)
        if end.reason == "stopped":  # a stop ends the whole agent, wherever a hook requests it
            return ToolResult(end.text, end.text, outcomes=(Outcome(stop=True, stop_reason=end.text),))
        return ToolResult(end.text)  # its words were shown already

    async def run_child(self, child: Agent, created: Outcome) -> TurnEnd:
        for outcome in (child.outcome, created):
            if outcome.stop:
                return TurnEnd("stopped", outcome.stop_reason or STOPPED)
            if outcome.blocked:
                return TurnEnd("blocked", outcome.reason)
        return await AgentLoop(self.coder, child).turn("\n\n".join([child.opening, *child.pending()]))


def ending(response: dict[str, Any]) -> str:
    """Why the model ended its response."""
    ends = [one.get("finishReason") for one in response.get("candidates") or () if isinstance(one, dict)]
    return str(ends[0]) if ends else ""


def result_message(name: str, id: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": id, "name": name, "content": text}

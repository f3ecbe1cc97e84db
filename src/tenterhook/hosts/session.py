"""One agent's life as its host sees it: each moment is a method, and each message reaches its reader.

Each method exists twice, `prompt` for threads and `aprompt` for event loops, from the same steps. Hooks' texts for the
user and the log are delivered at once; those for the model enter the conversation as user input: with the prompt, with
the reason to go on, or through `pending`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from tenterhook.engine.background import register_background
from tenterhook.engine.reentry import INSIDE
from tenterhook.errors import UsageError
from tenterhook.hosts.conversation import Conversation, Watch
from tenterhook.hosts.permission import Ask, Permission, PermissionRequest, one_at_a_time, permission
from tenterhook.hosts.steps import NOTHING, Call, Fire, Steps, twins
from tenterhook.hosts.stop_limit import without_spent_refusals
from tenterhook.types import Outcome

if TYPE_CHECKING:
    from typing import Unpack

    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.model import Model
    from tenterhook.hosts.options import ModelOptions, SchedulerOptions, ToolOptions
    from tenterhook.hosts.scheduler import Scheduler
    from tenterhook.hosts.tool import Decorator, Tool

SdkClient = TypeVar("SdkClient")


class Prompt(Struct, frozen=True):
    """A prompt as it enters the context. A blocked one does not: its `text` is empty, and `reason` says why."""

    text: str
    blocked: bool
    reason: str
    outcome: Outcome

    @property
    def stop(self) -> bool:
        return self.outcome.stop


class Stop(Struct, frozen=True):
    """Whether the agent goes on instead of stopping, and the text for it as user input."""

    goes_on: bool
    text: str
    outcome: Outcome

    @property
    def stop(self) -> bool:
        return self.outcome.stop


class Session(Conversation):
    """One agent's session. `permission` asks a person; `tell` gets each text for the user, `watch` each outcome;
    `stop_limit` ends loops in which hooks keep the agent going.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        id: str = "",
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
        watch: Watch | None = None,
        transcript: str = "",
        cwd: str = "",
        agent_id: str = "",
        agent_type: str = "",
        agent_name: str = "",
        stop_limit: int | None = None,
        background_limit: int = 8,
        parent: Session | None = None,
    ) -> None:
        super().__init__(tell, watch, agent_id)
        if stop_limit is not None and (not isinstance(stop_limit, int) or stop_limit < 0):
            raise UsageError(f"stop_limit must be a whole number from 0 on, not {stop_limit!r}")
        self.engine, self.stop_limit, self.parent = engine, stop_limit, parent
        self.ask: Ask | None = parent.ask if parent else one_at_a_time(permission)
        self.limit = background_limit
        self.transcript, self.cwd = transcript, cwd
        self.background = parent.background if parent else register_background(engine, id, agent_id, background_limit)
        self.id = self.background.session
        given = {
            "session_id": self.id,
            "transcript_path": transcript,
            "cwd": cwd,
            "agent_id": agent_id,
            "agent_type": agent_type,
            "agent_name": agent_name,
            "parent_agent_id": parent.agent_id if parent else "",
        }
        # A subagent has a parent even if that is the main agent, which has no id.
        self.base = {name: value for name, value in given.items() if value or (parent and name == "parent_agent_id")}
        # How often in a row hooks kept the agent from stopping, by event; and the event at which the limit was reached.
        self.forced: dict[str, int] = {}
        self.exhausted = ""
        # The outcome of a start at which a hook stopped the agent: then prompts are not accepted.
        self.halted: Outcome | None = None
        self.allowed: frozenset[str] | None = None
        # The last prompt that entered the context, as the user wrote it: hooks get it when its turn ends.
        self.last_prompt = ""
        self.numbers: itertools.count[int] = parent.numbers if parent else itertools.count(1)

    def fire(self, event: str, /, **data: Any) -> Outcome:
        """Fire any event with this session's own fields; pass its messages to the user and the log."""
        return self.heard(self.engine.fire(event, **{**self.base, **data}))

    async def afire(self, event: str, /, **data: Any) -> Outcome:
        return self.heard(await self.engine.afire(event, **{**self.base, **data}))

    # The moments of a session. Extra values from a host reach hooks under the names that the host uses.

    def _start(self, /, source: str = "startup", **more: Any) -> Steps[Outcome]:
        """A session begins. The context that hooks add enters with the first prompt."""
        if self.background.closed and not self.parent:  # it ended, and starts again
            self.background = register_background(self.engine, self.id, self.agent_id, self.limit)
        outcome = yield from self.moment("session.start", {"source": source, **more})
        self.halted = outcome if outcome.stop else None
        return outcome

    def _end(self, /, reason: str = "other", **more: Any) -> Steps[Outcome]:
        """A session ends, and all background hooks with it. The hooks of this event are waited for."""
        if self.parent:  # a subagent's end does not end the session
            self.stopped(())
            return NOTHING
        if all(rule.firing.awaited for rule in self.engine.dialect.rules("session.end")):
            self.background.leave()
        try:
            outcome = yield from self.moment("session.end", {"reason": reason, **more})
            if self.background.chains:
                yield Call(self.background.wait_for_chains, waits=True)
        finally:  # even if the host is cancelled
            self.background.leave()
            self.background.stop()
        yield Call(self.background.wait, waits=True)
        self.received(self.pending())
        return outcome

    def _prompt(self, /, text: str, **more: Any) -> Steps[Prompt]:
        """The user submitted a prompt."""
        if not isinstance(text, str):
            raise UsageError(f"a prompt is text, not {type(text).__name__}: keep images and files beside it")
        if self.halted:
            return Prompt("", False, self.halted.stop_reason, self.halted)
        outcome: Outcome = yield Fire("prompt.submit", {"prompt": text, **more})
        if INSIDE.get():  # a prompt from a hook is not a turn of the user
            return Prompt(text, False, "", outcome)
        self.forced, self.exhausted, self.allowed = {}, "", None
        if outcome.stop or outcome.blocked:
            for message in outcome.messages:  # a text about an erased prompt cannot go with it
                if message.to == "model":
                    self.logged(outcome, message)
            return Prompt("", outcome.blocked, outcome.stop_reason if outcome.stop else outcome.reason, outcome)
        self.last_prompt = text
        entering = [text, *self.pending(), *self.for_model(outcome)]
        return Prompt("\n\n".join(entering), False, "", outcome)

    def _stop(self, /, response: str = "", **more: Any) -> Steps[Stop]:
        """The agent wants to stop. Hooks may keep it going, but not for ever."""
        event = "agent.stop" if self.parent else "turn.stop"
        forced = self.forced.get(event, 0)
        known = {"prompt": self.last_prompt, "prompt_response": response, "stop_count": forced}
        return (yield from self.gate(event, {"stop_hook_active": bool(forced), **more}, known))

    def _idle(self, /, tasks_summary: str = "", **more: Any) -> Steps[Stop]:
        """A teammate is about to go idle. Hooks may keep it working, but not for ever."""
        return (yield from self.gate("teammate.idle", {"tasks_summary": tasks_summary, **more}, {}))

    def _compact(self, /, trigger: str = "auto", **more: Any) -> Steps[Outcome]:
        """The context is about to be compacted."""
        return (yield from self.moment("compact.before", {"trigger": trigger, **more}))

    def _compacted(self, /, trigger: str = "auto", **more: Any) -> Steps[Outcome]:
        """The context was compacted."""
        return (yield from self.moment("compact.after", {"trigger": trigger, **more}))

    def _notify(self, /, type: str, message: str, title: str = "", **more: Any) -> Steps[Outcome]:
        """The user is being notified."""
        data = {"type": type, "message": message, **({"title": title} if title else {}), **more}
        return (yield from self.moment("notify", data, {"details": {}}))

    def _failed(self, /, error: str, **more: Any) -> Steps[Outcome]:
        """A turn ended in an error."""
        return (yield from self.moment("turn.failed", {"error": error, **more}))

    def _task_created(self, /, task_id: str, task_summary: str, **more: Any) -> Steps[Outcome]:
        """A task was written down; if the outcome is blocked, the host drops it."""
        return (yield from self.moment("task.created", {"task_id": task_id, "task_summary": task_summary, **more}))

    def _task_done(self, /, task_id: str, task_summary: str, **more: Any) -> Steps[Outcome]:
        """A task is being marked done; if the outcome is blocked, it stays open."""
        return (yield from self.moment("task.done", {"task_id": task_id, "task_summary": task_summary, **more}))

    def _permission(self, tool_name: str, tool_input: dict[str, Any], reason: str = "") -> Steps[Permission]:
        """Ask the user: hooks may answer, else the host's callback does. Without either, permission is refused."""
        answer = yield from permission(PermissionRequest(tool_name, tool_input, reason), self.ask)
        for outcome in answer.outcomes:
            self.received(self.for_model(outcome))
        return answer

    def _agent(self, prompt: str = "", *, agent_type: str = "", agent_name: str = "", id: str = "") -> Steps[Agent]:
        """A subagent starts: a new session, whose prompt has the texts that hooks add."""
        child = Agent(self, agent_type, agent_name, id or f"agent-{next(self.numbers)}")
        # Type and name are passed even if they are empty: its parent's are not its own.
        data = {"agent_type": agent_type, "agent_name": agent_name, **child.base}
        outcome: Outcome = yield Fire("agent.start", data, {"prompt": prompt})
        child.opening = "\n\n".join([*([prompt] if prompt else ()), *self.for_model(outcome)])
        child.outcome, child.last_prompt = outcome, prompt
        self.background.agents[child.agent_id] = child
        return child

    start, astart = twins(_start)
    end, aend = twins(_end)
    prompt, aprompt = twins(_prompt)
    stop, astop = twins(_stop)
    idle, aidle = twins(_idle)
    compact, acompact = twins(_compact)
    compacted, acompacted = twins(_compacted)
    notify, anotify = twins(_notify)
    failed, afailed = twins(_failed)
    task_created, atask_created = twins(_task_created)
    task_done, atask_done = twins(_task_done)
    permission, apermission = twins(_permission)
    agent, aagent = twins(_agent)

    # Shared by the moments

    def moment(self, event: str, data: dict[str, Any], known: dict[str, Any] | None = None) -> Steps[Outcome]:
        """Fire an event whose texts for the model wait for the next prompt."""
        outcome: Outcome = yield Fire(event, data, known or {})
        self.received(self.for_model(outcome))
        return outcome

    def gate(self, event: str, data: dict[str, Any], known: dict[str, Any]) -> Steps[Stop]:
        """Fire an event whose refusal keeps the agent going, up to its limit in a row."""
        outcome: Outcome = yield Fire(event, data, known)
        if INSIDE.get():  # a hook that asks must not reset the count
            return Stop(False, "", outcome)
        texts, forced = self.for_model(outcome), self.forced.pop(event, 0)
        refused = outcome.blocked and not outcome.stop
        counts = without_spent_refusals(self.engine, event, outcome, forced, self.stop_limit)
        if refused and not self.exhausted and counts.blocked:
            self.forced[event] = forced + 1
            return Stop(True, "\n\n".join([*self.for_model(counts), *self.pending()]), outcome)
        if refused and not self.exhausted:
            self.exhausted = event
            self.user(f"Hooks kept the agent from stopping {forced} times in a row; it stops now all the same.")
        elif not refused and self.exhausted == event:
            self.exhausted = ""
        self.stopped(texts)
        return Stop(False, "", outcome)

    def stopped(self, texts: Sequence[str]) -> None:
        """Keep the texts of hooks at a stop for the next turn."""
        self.received(texts)

    def narrow_tools(self, allowed: frozenset[str] | None) -> None:
        self.allowed = allowed

    # Tools and models of this session

    def tool(self, name: str, **options: Unpack[ToolOptions]) -> Decorator:
        """Like engine.tool, with this session's permission callback, conversation and fields."""
        from tenterhook.hosts.tool import tool

        return tool(self, name, **options)

    def model(self, function: Callable[..., Any], **options: Unpack[ModelOptions]) -> Model:
        """Like engine.model; the tools that hooks leave are remembered for the calls that follow."""
        from tenterhook.hosts.model import model

        return model(self, function, **options)

    def client(self, sdk_client: SdkClient, *, hold: bool = True) -> SdkClient:
        """Like engine.client; texts of hooks that wait for the model go with the next call."""
        from tenterhook.hosts.client import client

        return client(self, sdk_client, hold=hold)

    def scheduler(self, tools: Sequence[Tool], **options: Unpack[SchedulerOptions]) -> Scheduler:
        """Runs several tool calls of one reply at once, all as tools of this session."""
        from tenterhook.hosts.scheduler import Scheduler

        return Scheduler(tools, host=self, **options)

    def __enter__(self) -> Session:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.end()

    async def __aenter__(self) -> Session:
        await self.astart()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aend()


class Agent(Session):
    """A subagent. `opening` is its prompt with the texts of hooks, `outcome` their answer at its start.

    In a `with` block it ends with the block, and texts that are left go to its parent. Call `stop` to run stop hooks.
    """

    opening = ""
    outcome = Outcome()
    parent: Session

    def __init__(self, parent: Session, agent_type: str, agent_name: str, id: str) -> None:
        super().__init__(
            parent.engine,
            tell=parent.tell,
            watch=parent.watch,
            transcript=parent.transcript,
            cwd=parent.cwd,
            agent_id=id,
            agent_type=agent_type,
            agent_name=agent_name,
            stop_limit=parent.stop_limit,
            parent=parent,
        )

    def stopped(self, texts: Sequence[str]) -> None:
        """The subagent's model is not called again: pass the remaining texts to the agent that started it."""
        if self.background.agents.get(self.agent_id) is self:
            del self.background.agents[self.agent_id]
        home = self.parent
        while home.parent and home.agent_id not in self.background.agents:
            home = home.parent
        home.received([*texts, *self.pending()])

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stopped(())

    async def __aenter__(self) -> Agent:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.stopped(())

"""One agent's life as its host sees it: every moment is a method, and everybody is told what is theirs to know.

Each method exists twice, `prompt` for threads and `aprompt` for event loops, from the same steps. What hooks say to the
user and to the log is handed over at once; what they say to the model enters the conversation as user input: with the
prompt, with the reason to go on, or through `pending`.
"""

from __future__ import annotations

import itertools
import logging
import os
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenterhook.background import Background
from tenterhook.deliver import for_model, for_user
from tenterhook.hosts.permission import Ask, Permission, PermissionRequest, permission
from tenterhook.hosts.steps import Call, Fire, Steps, twins
from tenterhook.types import Message, Outcome
from tenterhook.verdict import explained

if TYPE_CHECKING:
    from tenterhook.engine import Engine
    from tenterhook.hosts.model import Model
    from tenterhook.hosts.scheduler import Scheduler
    from tenterhook.hosts.tool import Decorator, Tool

log = logging.getLogger("tenterhook.session")

STOP_LIMIT = 8


class Prompt(Struct, frozen=True):
    """A prompt as it enters the context. One that was blocked does not: its `text` is empty, and `reason` says why."""

    text: str
    blocked: bool
    reason: str
    outcome: Outcome

    @property
    def stop(self) -> bool:
        return self.outcome.stop


class Stop(Struct, frozen=True):
    """Whether the agent goes on instead of stopping, and with which words as user input."""

    goes_on: bool
    text: str
    outcome: Outcome

    @property
    def stop(self) -> bool:
        return self.outcome.stop


class Session:
    """`permission` asks a person; `tell` gets each text for the user; `stop_limit` ends loops that hooks keep up."""

    def __init__(
        self,
        engine: Engine,
        *,
        id: str = "",
        permission: Ask | None = None,
        tell: Callable[[str], object] | None = None,
        transcript: str = "",
        cwd: str = "",
        agent_id: str = "",
        agent_type: str = "",
        agent_name: str = "",
        stop_limit: int = STOP_LIMIT,
        background_limit: int = 8,
        parent: Session | None = None,
    ) -> None:
        self.engine, self.ask, self.tell, self.stop_limit, self.parent = engine, permission, tell, stop_limit, parent
        self.id: str = parent.id if parent else id or new_id(engine)
        self.agent_id, self.transcript, self.cwd = agent_id, transcript, cwd
        self.background: Background = parent.background if parent else kept(engine, self.id, background_limit)
        given = {
            "session_id": self.id,
            "transcript_path": transcript,
            "cwd": cwd,
            "agent_id": agent_id,
            "agent_type": agent_type,
            "agent_name": agent_name,
            "parent_agent_id": parent.agent_id if parent else "",
        }
        # A subagent of the main agent, which has no id, has a parent all the same.
        self.base = {name: value for name, value in given.items() if value or (parent and name == "parent_agent_id")}
        self.background.agents.add(agent_id)
        self.inbox: deque[str] = deque()
        self.warned: set[str] = set()
        self.forced = 0
        self.allowed: frozenset[str] | None = None
        self.numbers: itertools.count[int] = parent.numbers if parent else itertools.count(1)

    def fire(self, event: str, /, **data: Any) -> Outcome:
        """Any event, with this session's own fields; the user and the log are told what is theirs."""
        return self.heard(self.engine.fire(event, **{**self.base, **data}))

    async def afire(self, event: str, /, **data: Any) -> Outcome:
        return self.heard(await self.engine.afire(event, **{**self.base, **data}))

    # The moments of a session

    def _start(self, source: str = "startup") -> Steps[Outcome]:
        """A session begins. What hooks add enters the context with the first prompt."""
        return (yield from self.moment("session.start", {"source": source}))

    def _end(self, reason: str = "other") -> Steps[Outcome]:
        """A session ends, and with it all that hooks left running in the background."""
        outcome = yield from self.moment("session.end", {"reason": reason})
        if self.parent is None:
            yield Call(self.background.close, waits=True)
            self.received(self.pending())
        return outcome

    def _prompt(self, text: str) -> Steps[Prompt]:
        """The user submitted a prompt."""
        outcome: Outcome = yield Fire("prompt.submit", {"prompt": text})
        self.forced, self.allowed = 0, None
        if outcome.stop or outcome.blocked:
            reason = outcome.stop_reason if outcome.stop else outcome.reason
            return Prompt("", outcome.blocked, reason, outcome)
        entering = [text, *self.pending(), *self.for_model(outcome)]
        return Prompt("\n\n".join(entering), False, "", outcome)

    def _stop(self, response: str = "") -> Steps[Stop]:
        """The agent wants to stop. Hooks may keep it going, but not for ever."""
        event = "agent.stop" if self.parent else "turn.stop"
        data = {"stop_hook_active": self.forced > 0, **self.if_known(event, prompt_response=response)}
        stop = yield from self.gate(event, data)
        if not stop.goes_on:
            self.background.agents.discard(self.agent_id)
        return stop

    def _idle(self, tasks_summary: str = "") -> Steps[Stop]:
        """A teammate is about to go idle. Hooks may keep it working, but not for ever."""
        return (yield from self.gate("teammate.idle", {"tasks_summary": tasks_summary}))

    def _compact(self, trigger: str = "auto") -> Steps[Outcome]:
        """The context is about to be compacted."""
        return (yield from self.moment("compact.before", {"trigger": trigger}))

    def _compacted(self, trigger: str = "auto") -> Steps[Outcome]:
        """The context was compacted."""
        return (yield from self.moment("compact.after", {"trigger": trigger}))

    def _notify(self, type: str, message: str, title: str = "") -> Steps[Outcome]:
        """The user is being notified."""
        data = {"type": type, "message": message}
        return (yield from self.moment("notify", {**data, "title": title} if title else data))

    def _failed(self, error: str) -> Steps[Outcome]:
        """A turn ended in an error."""
        return (yield from self.moment("turn.failed", {"error": error}))

    def _task_created(self, task_id: str, task_summary: str) -> Steps[Outcome]:
        """A task was written down; it is not one where the outcome is blocked."""
        return (yield from self.moment("task.created", {"task_id": task_id, "task_summary": task_summary}))

    def _task_done(self, task_id: str, task_summary: str) -> Steps[Outcome]:
        """A task is being marked done; it goes back to work where the outcome is blocked."""
        return (yield from self.moment("task.done", {"task_id": task_id, "task_summary": task_summary}))

    def _permission(self, tool_name: str, tool_input: dict[str, Any], reason: str = "") -> Steps[Permission]:
        """The user has to be asked: hooks may answer, else the host's own callback does, else nobody: that is a no."""
        answer = yield from permission(PermissionRequest(tool_name, tool_input, reason), self.ask)
        for outcome in answer.outcomes:
            self.keep(outcome.messages)
        return answer

    def _agent(self, prompt: str = "", *, agent_type: str = "", agent_name: str = "", id: str = "") -> Steps[Agent]:
        """A subagent starts: a session of its own, with what hooks add to its prompt."""
        child = Agent(self, agent_type, agent_name, id or f"agent-{next(self.numbers)}")
        outcome: Outcome = yield Fire("agent.start", {**child.base, **self.if_known("agent.start", prompt=prompt)})
        child.opening = "\n\n".join([*([prompt] if prompt else ()), *self.for_model(outcome)])
        child.outcome = outcome
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

    # What the moments share

    def moment(self, event: str, data: dict[str, Any]) -> Steps[Outcome]:
        """An event whose texts for the model come with the next words of the user."""
        outcome: Outcome = yield Fire(event, data)
        self.keep(outcome.messages)
        return outcome

    def gate(self, event: str, data: dict[str, Any]) -> Steps[Stop]:
        """An event whose refusal keeps the agent going, so often in a row and no more."""
        outcome: Outcome = yield Fire(event, data)
        texts = self.for_model(outcome)
        if outcome.stop or not outcome.blocked:
            self.forced = 0
            self.received(texts)
            return Stop(False, "", outcome)
        if self.forced >= self.stop_limit:
            self.user(f"Hooks kept the agent from stopping {self.forced} times in a row; it stops now all the same.")
            self.forced = 0
            return Stop(False, "", outcome)
        self.forced += 1
        return Stop(True, "\n\n".join([*texts, *self.pending()]), outcome)

    def if_known(self, event: str, **data: Any) -> dict[str, Any]:
        """Of what the host knows, what this dialect's hooks are told."""
        rule = self.engine.dialect.rule(event)
        known = {field.key for field in rule.fields} if rule else set()
        return {name: value for name, value in data.items() if name in known}

    # Who is told what

    def pending(self) -> list[str]:
        """What is to enter the conversation as user input before the next call of the model. Given once."""
        for late in self.background.take(self.agent_id):
            self.heard(late)
            self.keep(late.messages)
        texts: list[str] = []
        while self.inbox:  # one by one: other threads may add meanwhile
            texts.append(self.inbox.popleft())
        return texts

    def narrowed(self, allowed: frozenset[str] | None) -> None:
        self.allowed = allowed

    def received(self, texts: Sequence[str]) -> Sequence[str]:
        self.inbox.extend(texts)
        return ()

    def keep(self, messages: Sequence[Message]) -> None:
        self.received(for_model([one for one in messages if one.to == "model"], self.engine.dialect.marks))

    def for_model(self, outcome: Outcome) -> list[str]:
        return for_model([one for one in outcome.messages if one.to == "model"], self.engine.dialect.marks)

    def heard(self, outcome: Outcome) -> Outcome:
        for message in outcome.messages:
            if message.to == "user":
                self.user(for_user(message))
            elif message.to == "log":
                log.info("%s: %s", outcome.event, for_user(message))
        failures = {f"{one.hook}: failed: {explained(one)}" for one in outcome.attempts if one.failed}
        for warning in outcome.warnings:
            # A wrong config file would be told of at every event; each failure of a hook is one of its own.
            if warning in failures or warning not in self.warned:
                self.warned.add(warning)
                log.warning("%s: %s", outcome.event, warning)
        return outcome

    def user(self, text: str) -> None:
        """Without a way to tell the user, the log is told loudly: nothing is lost."""
        if self.tell is None:
            log.warning("%s", text)
            return
        try:
            self.tell(text)
        except Exception:
            log.exception("the user could not be told: %s", text)

    # Tools and models of this session

    def tool(self, name: str, **options: Any) -> Decorator:
        """As engine.tool, with this session's permission callback, conversation and fields."""
        from tenterhook.hosts.tool import tool

        return tool(self, name, **{"permission": self.ask, **options})

    def model(self, function: Callable[..., Any], **options: Any) -> Model:
        """As engine.model; the tools that hooks leave are remembered for the calls that follow."""
        from tenterhook.hosts.model import model

        return model(self, function, **options)

    def scheduler(self, tools: Sequence[Tool], **options: Any) -> Scheduler:
        """Runs several tool calls of one reply at once."""
        from tenterhook.hosts.scheduler import Scheduler

        return Scheduler(tools, **options)

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
    """A subagent. `opening` is its prompt with what hooks added."""

    opening = ""
    outcome = Outcome()

    def __init__(self, parent: Session, agent_type: str, agent_name: str, id: str) -> None:
        super().__init__(
            parent.engine,
            permission=parent.ask,
            tell=parent.tell,
            transcript=parent.transcript,
            cwd=parent.cwd,
            agent_id=id,
            agent_type=agent_type,
            agent_name=agent_name,
            stop_limit=parent.stop_limit,
            parent=parent,
        )


def new_id(engine: Engine) -> str:
    """The engine's own id for its first session, another one for each that lives beside it."""
    return os.urandom(16).hex() if engine.session_id in engine.keepers else engine.session_id


def kept(engine: Engine, id: str, limit: int) -> Background:
    """A session that is dropped without an end must not be kept alive by its engine."""
    with engine.lock:
        if not engine.keepers:
            engine.keepers = weakref.WeakValueDictionary()
        engine.keepers[id] = made = Background(engine, limit)
    return made

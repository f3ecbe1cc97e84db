"""Hooks that are started and not waited for: what they say is heard on the next turn.

One Background belongs to one session. So many run at once, the others wait their turn, and what is beyond that is
refused and said; a result stays here until it is taken. When the session ends, what still runs is ended with it.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import handlers, logs
from tenterhook.apply import Changes
from tenterhook.batch import judge
from tenterhook.errors import UsageError
from tenterhook.failures import raised
from tenterhook.merge import merge
from tenterhook.runner import guarded
from tenterhook.trust.seal import refusal
from tenterhook.types import Attempt, Event, Hook, Job, Outcome, Plan, Skipped

if TYPE_CHECKING:
    from tenterhook.engine import Engine
    from tenterhook.process import Completed, Ticket
    from tenterhook.runner import Runner
    from tenterhook.slot import Slot

log = logs.named("tenterhook.background")

FULL = "too many in the background"


class Late(Struct, frozen=True, eq=False):
    """One hook of one event, on its own now."""

    slot: Any
    event: Event
    job: Job


class Background:
    """Safe to use from threads."""

    def __init__(self, engine: Engine, session: str, main: str = "", limit: int = 8, waiting: int = 100) -> None:
        self.engine, self.session, self.main, self.limit, self.most = engine, session, main, limit, limit + waiting
        self.lock = threading.RLock()
        self.running: dict[Late, Ticket | None] = {}
        self.waiting: deque[Late] = deque()
        self.finished: deque[tuple[Event, Outcome]] = deque()
        self.nothing_runs = threading.Event()
        self.nothing_runs.set()
        self.closed = False
        self.runner: Runner | None = None
        # Subagents that can still be told; what hooks of the others have to say is for the main agent.
        self.agents: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()

    def take_over(self, slot: Slot, event: Event, planned: Plan) -> Plan:
        """Start the plan's background hooks; the plan as it is without them."""
        later = tuple(hook for batch in planned.batches for hook in batch if hook.background)
        jobs = self.engine.jobs(slot, later, event, event.data)
        taken = tuple(job.hook for job in jobs if self.offer(Late(slot, event, job)))
        left = [hook for hook in later if not any(hook is one for one in taken)]
        refused = tuple(Skipped(hook.name, str(hook.source), FULL) for hook in left)
        for hook in left:
            self.engine.spent.pop(id(hook), None)
        batches = (tuple(hook for hook in batch if not hook.background) for batch in planned.batches)
        said = (f"{len(refused)} hooks were not started: {self.most} are in the background already",) if refused else ()
        return replace(
            planned,
            batches=tuple(batch for batch in batches if batch),
            skipped=(*planned.skipped, *refused),
            warnings=(*planned.warnings, *said),
            background=taken,
        )

    def offer(self, late: Late) -> bool:
        with self.lock:
            if self.closed or len(self.running) + len(self.waiting) >= self.most:
                return False
            if self.runner is None or self.runner.closed:
                self.runner = self.engine.running()
            if len(self.running) < self.limit:
                self.start(late)
            else:
                self.waiting.append(late)
            return True

    def start(self, late: Late) -> None:
        """With the lock held, so that it cannot be done before it is listed."""
        self.running[late] = None
        self.nothing_runs.clear()
        handler: Any = handlers.get(late.job.hook.handler)
        program = refusal(late.job) or guarded(handler.program, late.job)
        if isinstance(program, Attempt):
            self.settle(late, program)
            return
        try:
            ticket = self.runner.pool().submit_if_open(program, partial(self.done, late)) if self.runner else None
        except RuntimeError as exc:  # no more threads
            self.settle(late, raised(late.job, exc))
            return
        if ticket is None:  # the engine was closed meanwhile
            self.settle(late, Attempt(late.job.hook.name, late.job.hook.handler, "", error="cancelled"))
        else:
            self.running[late] = ticket

    def done(self, late: Late, completed: Completed) -> None:
        """In the reactor's thread."""
        handler: Any = handlers.get(late.job.hook.handler)
        self.settle(late, handler.attempt(late.job, completed))

    def settle(self, late: Late, attempt: Attempt) -> None:
        cancelled = attempt.error == "cancelled"
        outcome = None if cancelled else self.outcome(late, attempt)
        with self.lock:
            del self.running[late]
            if outcome:
                self.finished.append((late.event, outcome))
            if cancelled:
                self.give_up()
            elif self.waiting:
                self.start(self.waiting.popleft())
            if not self.running:
                self.nothing_runs.set()
        if outcome:
            self.engine.finish(late.event, outcome)

    def outcome(self, late: Late, attempt: Attempt) -> Outcome:
        """What the hook said, as an outcome of its own. It decides nothing: the event has gone on."""
        engine, slot, event = self.engine, late.slot, late.event
        attempts: list[Attempt] = []
        skipped: list[Skipped] = []
        hooks: tuple[Hook, ...] = (late.job.hook,)
        verdicts = judge(slot, hooks, event.data, [attempt], attempts, skipped)
        return merge(
            verdicts,
            Changes(slot.rule, event.data),
            engine.dialect,
            slot.rule,
            mode=engine.mode,
            id=engine.new_id(),
            attempts=tuple(attempts),
            skipped=tuple(skipped),
        )

    def take(self, agent: str) -> list[Outcome]:
        """What has finished since for an agent; each is given once."""
        mine: list[Outcome] = []
        with self.lock:
            for _ in range(len(self.finished)):
                event, outcome = self.finished.popleft()
                whose = event.data.get("agent_id", "")
                if (whose if whose in self.agents else self.main) == agent:
                    mine.append(outcome)
                else:
                    self.finished.append((event, outcome))
        return mine

    def stop(self) -> None:
        """End what runs, start nothing more; what has finished can still be taken, by the main agent."""
        with self.lock:
            self.closed = True
            self.agents.clear()
            self.give_up()
            tickets = [ticket for ticket in self.running.values() if ticket]
        for ticket in tickets:
            ticket.cancel()

    def give_up(self) -> None:
        """Those that wait do not start any more; the log hears of it. With the lock held."""
        for late in self.waiting:
            log.info("%s was not started: its session, or the engine, has ended", late.job.hook.name)
        self.waiting.clear()

    def wait(self) -> None:
        """Until what was running is gone."""
        self.nothing_runs.wait(self.engine.grace + 1)


def kept(engine: Engine, id: str, agent_id: str, limit: int) -> Background:
    """The background of a new session: with the engine's own id for the first one, another for each beside it."""
    if not isinstance(limit, int) or limit < 1:
        raise UsageError(f"background_limit must be a whole number from 1 on, not {limit!r}")
    with engine.lock:
        id = id or (os.urandom(16).hex() if engine.session_id in engine.keepers else engine.session_id)
        engine.keepers[id] = made = Background(engine, id, agent_id, limit)
    return made

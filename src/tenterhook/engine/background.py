"""Run hooks that the event does not wait for: their messages are delivered on the next turn.

These are single hooks whose entry says so, and all hooks of an event that the agent itself does not wait for. One
Background belongs to one session. A limited number runs at once, the others wait, and any beyond that are refused with
a warning. A result stays here until it is taken. When the session ends, the hooks that still run are ended.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import handlers
from tenterhook.errors import UsageError
from tenterhook.pipeline.apply import Changes
from tenterhook.pipeline.failure_policy import attempt_from_exception
from tenterhook.pipeline.judge import judge
from tenterhook.pipeline.merge import merge
from tenterhook.runtime.asyncio_bridge import call_handler_safely
from tenterhook.support import logs
from tenterhook.trust.seal import refusal
from tenterhook.types import Attempt, Event, Hook, Job, Outcome, Plan, Skipped

if TYPE_CHECKING:
    from tenterhook.engine.compiled_event import CompiledEvent
    from tenterhook.engine.engine import Engine, Flow
    from tenterhook.engine.runner import Runner
    from tenterhook.runtime.process import Completed, Program, Ticket

log = logs.redacting_logger("tenterhook.background")

FULL = "too many in the background"


class Late(Struct, frozen=True, eq=False):
    """One background hook of one event."""

    compiled: Any
    event: Event
    job: Job


class Chain(Struct, eq=False):
    """All hooks of an event that the host does not wait for, batch after batch: `flow` says what runs next."""

    compiled: Any
    event: Event
    hooks: tuple[Hook, ...]
    flow: Flow
    jobs: list[Job] = []
    attempts: dict[int, Attempt] = {}
    tickets: list[Ticket] = []
    outcome: Outcome | None = None


class Background:
    """The background hooks of a session; thread-safe. `keep` is how many results wait to be taken; None means all."""

    def __init__(
        self,
        engine: Engine,
        session: str,
        main: str = "",
        limit: int = 8,
        waiting: int = 100,
        keep: int | None = None,
    ) -> None:
        self.engine, self.session, self.main, self.limit, self.most = engine, session, main, limit, limit + waiting
        self.lock = threading.RLock()
        self.running: dict[Late | Chain, Ticket | None] = {}
        self.waiting: deque[Late | Chain] = deque()
        self.finished: deque[tuple[Event, Outcome]] = deque(maxlen=keep)
        self.nothing_runs = threading.Event()
        self.nothing_runs.set()
        self.closed = False
        self.runner: Runner | None = None
        # Subagents that still exist; results of hooks of other subagents go to the main agent.
        self.agents: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()

    def take_over(self, compiled: CompiledEvent, event: Event, planned: Plan) -> Plan:
        """Start the plan's background hooks; return the plan without them."""
        if compiled.rule.firing.awaited:
            later = tuple(hook for batch in planned.batches for hook in batch if hook.background)
            jobs = self.engine.prepare(compiled.batch(later, event))
            taken = tuple(job.hook for job in jobs if self.offer(Late(compiled, event, job)))
        else:
            # Only a process can be ended with its session, so functions of the host are called at once, as always.
            batches = [
                tuple(hook for hook in batch if handlers.starts_child(hook.handler)) for batch in planned.batches
            ]
            later = tuple(hook for batch in batches for hook in batch)
            flow = self.engine.flow(compiled, event, Plan(tuple(filter(None, batches))))
            taken = later if later and self.offer(Chain(compiled, event, later, flow)) else ()
        return self.without(planned, later, taken)

    def without(self, planned: Plan, later: tuple[Hook, ...], taken: tuple[Hook, ...]) -> Plan:
        """The plan without these hooks; those that were not started are listed as skipped."""
        left = [hook for hook in later if not any(hook is one for one in taken)]
        refused = tuple(Skipped(hook.name, str(hook.source), FULL) for hook in left)
        for hook in left:
            self.engine.spent.pop(id(hook), None)
        gone = {id(hook) for hook in later}
        batches = (tuple(hook for hook in batch if id(hook) not in gone) for batch in planned.batches)
        warnings = (
            (f"{len(refused)} hooks were not started: {self.most} are in the background already",) if refused else ()
        )
        return replace(
            planned,
            batches=tuple(batch for batch in batches if batch),
            skipped=(*planned.skipped, *refused),
            warnings=(*planned.warnings, *warnings),
            background=taken,
        )

    def offer(self, late: Late | Chain) -> bool:
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

    def start(self, late: Late | Chain) -> None:
        """Call with the lock held, so that it cannot finish before it is listed."""
        self.running[late] = None
        self.nothing_runs.clear()
        if not isinstance(late, Chain):
            self.start_one(late)
        elif self.has_ended(late):
            self.over(late, late.outcome)

    def start_one(self, late: Late) -> None:
        handler: Any = handlers.get(late.job.hook.handler)
        program = refusal(late.job) or call_handler_safely(handler.program, late.job)
        if isinstance(program, Attempt):
            self.settle(late, program)
            return
        try:
            ticket = self.runner.pool().submit_if_open(program, partial(self.done, late)) if self.runner else None
        except RuntimeError as exc:  # no more threads
            self.settle(late, attempt_from_exception(late.job, exc))
            return
        if ticket is None:  # the engine was closed meanwhile
            self.settle(late, Attempt(late.job.hook.name, late.job.hook.handler, "", error="cancelled"))
        else:
            self.running[late] = ticket

    def done(self, late: Late, completed: Completed) -> None:
        """Called in the reactor's thread."""
        handler: Any = handlers.get(late.job.hook.handler)
        self.settle(late, handler.attempt(late.job, completed))

    def settle(self, late: Late, attempt: Attempt) -> None:
        self.over(late, None if attempt.error == "cancelled" else self.outcome(late, attempt))

    # A whole event

    def has_ended(self, chain: Chain) -> bool:
        """Start the chain's next batch; true if there is none and the outcome is ready. Call with the lock held."""
        done = [chain.attempts[n] for n in range(len(chain.jobs))]
        chain.attempts, chain.tickets = {}, []
        try:
            batch = chain.flow.send(done) if chain.jobs else next(chain.flow)
        except StopIteration as finished:
            chain.outcome = None if any(one.error == "cancelled" for one in done) else finished.value[1]
            return True
        chain.jobs = self.engine.prepare(batch)
        for n, job in enumerate(chain.jobs):
            handler: Any = handlers.get(job.hook.handler)
            program = refusal(job) or call_handler_safely(handler.program, job)
            if not isinstance(program, Attempt):
                program = self.submit_program(chain, n, program)
            if isinstance(program, Attempt):
                chain.attempts[n] = program
        return len(chain.attempts) == len(chain.jobs) and self.has_ended(chain)

    def submit_program(self, chain: Chain, number: int, program: Program) -> Attempt | None:
        """Submit a job; returns an attempt if its process cannot even be tried."""
        hook = chain.jobs[number].hook
        try:
            pool = self.runner.pool() if self.runner and not self.closed else None
            ticket = pool.submit_if_open(program, partial(self.one_done, chain, number)) if pool else None
        except RuntimeError as exc:  # no more threads
            return attempt_from_exception(chain.jobs[number], exc)
        if ticket is None:  # the session or the engine was closed meanwhile
            return Attempt(hook.name, hook.handler, "", error="cancelled")
        chain.tickets.append(ticket)
        return None

    def one_done(self, chain: Chain, number: int, completed: Completed) -> None:
        """Called in the reactor's thread."""
        handler: Any = handlers.get(chain.jobs[number].hook.handler)
        attempt = handler.attempt(chain.jobs[number], completed)
        with self.lock:
            chain.attempts[number] = attempt
            ended = len(chain.attempts) == len(chain.jobs) and self.has_ended(chain)
        if ended:
            self.over(chain, chain.outcome)

    # The end of each

    def over(self, late: Late | Chain, outcome: Outcome | None) -> None:
        """Record the end; no outcome means that it was cancelled. Journal and log come before waiting callers."""
        try:
            if outcome:
                with self.lock:
                    self.finished.append((late.event, outcome))
                self.engine.finish(late.event, outcome)
        finally:
            self.forget(late, cancelled=outcome is None)

    def forget(self, late: Late | Chain, *, cancelled: bool) -> None:
        """Remove it from the running ones, and start the next."""
        with self.lock:
            del self.running[late]
            if cancelled:
                self.give_up()
            elif self.waiting:
                self.start(self.waiting.popleft())
            if not self.running:
                self.nothing_runs.set()

    def outcome(self, late: Late, attempt: Attempt) -> Outcome:
        """The hook's answer as an outcome of its own. It decides nothing: the event has gone on."""
        engine, compiled, event = self.engine, late.compiled, late.event
        attempts: list[Attempt] = []
        skipped: list[Skipped] = []
        hooks: tuple[Hook, ...] = (late.job.hook,)
        verdicts = judge(compiled, hooks, event.data, [attempt], attempts, skipped)
        return merge(
            verdicts,
            Changes(compiled.rule, event.data),
            engine.dialect,
            compiled.rule,
            mode=engine.mode,
            id=engine.new_id(),
            attempts=tuple(attempts),
            skipped=tuple(skipped),
        )

    def take(self, agent: str) -> list[Outcome]:
        """The finished outcomes for an agent; each is returned once."""
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

    def leave(self) -> None:
        """Detach from the engine: from now on the session's events wait for all of their hooks."""
        if self.engine.keepers.get(self.session) is self:  # another session may have the same id by now
            self.engine.keepers.pop(self.session, None)

    def stop(self) -> None:
        """End what runs and start nothing more; the main agent can still take what has finished."""
        with self.lock:
            self.closed = True
            self.agents.clear()
            self.give_up()
            tickets = [ticket for ticket in self.running.values() if ticket]
            tickets += [ticket for late in self.running if isinstance(late, Chain) for ticket in late.tickets]
        for ticket in tickets:
            ticket.cancel()

    def give_up(self) -> None:
        """Drop the waiting hooks and log each. Call with the lock held."""
        for late in self.waiting:
            for hook in late.hooks if isinstance(late, Chain) else (late.job.hook,):
                log.info("%s was not started: its session, or the engine, has ended", hook.name)
        self.waiting.clear()

    @property
    def chains(self) -> list[Chain]:
        """The events whose hooks still run, or wait to run."""
        with self.lock:
            return [late for late in (*self.running, *self.waiting) if isinstance(late, Chain)]

    def wait_for_chains(self) -> None:
        """Give events without a waiting host a little time to finish before their session ends."""
        until = time.monotonic() + self.engine.grace
        while self.chains and time.monotonic() < until:
            self.nothing_runs.wait(0.02)

    def wait(self) -> None:
        """Wait until nothing runs any more."""
        self.nothing_runs.wait(self.engine.grace + 1)

    def end(self) -> None:
        """Give whole events a little time, then end what still runs."""
        self.wait_for_chains()
        self.stop()
        self.wait()


def register_background(engine: Engine, id: str, agent_id: str, limit: int) -> Background:
    """The background of a new session. The first one has the engine's own id, each further one another."""
    if not isinstance(limit, int) or limit < 1:
        raise UsageError(f"background_limit must be a whole number from 1 on, not {limit!r}")
    with engine.lock:
        id = id or (os.urandom(16).hex() if engine.session_id in engine.keepers else engine.session_id)
        engine.keepers[id] = made = Background(engine, id, agent_id, limit)
    return made

"""READ FIRST: one event from start to end.

    Event -> Plan -> Attempt -> Verdict -> Outcome

`Engine.flow` is the whole story, without any I/O: it yields jobs, receives attempts, and returns the outcome.
`fire` and `afire` drive it, one from a thread, one on an event loop; the logic exists once. Read on in
types, config/load, pipeline/plan, pipeline/payload, handlers/command, pipeline/verdict, pipeline/merge, pipeline/apply.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.engine.compiled_event import Slot, nothing
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.reentry import INSIDE, WHY
from tenterhook.errors import UsageError
from tenterhook.pipeline.apply import Changes
from tenterhook.pipeline.judge import background_attempt, chain_ends, hooks_with_stale_input, judge, refusals, without
from tenterhook.pipeline.match import LONGEST_NAME
from tenterhook.pipeline.merge import merge
from tenterhook.pipeline.payload import in_our_words
from tenterhook.pipeline.plan import plan
from tenterhook.types import Attempt, Event, Hook, Job, Outcome, Plan, Skipped, Verdict

if TYPE_CHECKING:
    from typing import Unpack

    from tenterhook.config.load import Loaded
    from tenterhook.engine.background import Background
    from tenterhook.engine.runner import Runner
    from tenterhook.hosts.model import Model
    from tenterhook.hosts.options import ModelOptions, SessionOptions, ToolOptions
    from tenterhook.hosts.permission import Ask
    from tenterhook.hosts.session import Session
    from tenterhook.hosts.tool import Decorator

Flow = Generator[list[Job], list[Attempt], tuple[Event, Outcome]]


class Engine(HookSet):
    """Fires events. Safe to use from threads and from several event loops.

    Nothing is read or started before the first event that needs it.
    """

    runner: Runner | None = None
    background: Background | None = None
    # Only a session knows whom to ask; of turns, and of tools that hooks left out of one.
    ask: Ask | None = None
    allowed: frozenset[str] | None = None

    def fire(self, event: str, /, **data: Any) -> Outcome:
        """Something happened: run its hooks and say what they decided."""
        slot = self.slots.get(event) or self.slot(event)
        flow = slot.quiet or self.begin(slot, data)
        return flow if isinstance(flow, Outcome) else self.drive_flow(flow)

    def begin_flow(self, event: str, data: dict[str, Any], background: Background | None = None) -> Flow | Outcome:
        """The first half of `fire`, for a caller that drives the flow itself.

        `background` takes the hooks that the event does not wait for where no session does.
        """
        slot = self.slots.get(event) or self.slot(event)
        return slot.quiet or self.begin(slot, data, background)

    def drive_flow(self, flow: Flow, attempts: list[Attempt] | None = None) -> Outcome:
        """A flow to its end: from its first jobs on, or from these attempts, for which it waits."""
        together = (self.runner or self.running()).together
        try:
            if attempts is None:
                attempts = together(next(flow), self.meanwhile)
            while True:
                attempts = together(flow.send(attempts))
        except StopIteration as finished:
            return self.finish(*finished.value)

    async def afire(self, event: str, /, **data: Any) -> Outcome:
        """The same without blocking the loop."""
        slot = self.slots.get(event) or self.slot(event)
        flow = slot.quiet or self.begin(slot, data)
        return flow if isinstance(flow, Outcome) else await self.adrive_flow(flow)

    async def adrive_flow(self, flow: Flow) -> Outcome:
        together = (self.runner or self.running()).atogether
        try:
            jobs = flow.send(await together(next(flow), self.meanwhile))
            while True:
                jobs = flow.send(await together(jobs))
        except StopIteration as finished:
            return self.finish(*finished.value)

    def begin(self, slot: Slot, data: dict[str, Any], background: Background | None = None) -> Flow | Outcome:
        """The event's flow; its outcome at once where no hook runs."""
        if not slot.listened:  # for the first time, and the log has not been told of the config's mistakes
            slot.quiet = nothing(self, slot)
            self.log(slot.quiet)
            return slot.quiet
        event, planned, outcome = self.plan_event(slot, data)
        if slot.background and outcome is None and (keeper := self.keeper(event.session) or background):
            planned = keeper.take_over(slot, event, planned)
        if outcome is not None:
            if outcome.warnings:
                self.log(outcome)
            if self.journal is not None:
                self.journal.later(event, outcome)
        return outcome or self.flow(slot, event, planned)

    def flow(self, slot: Slot, event: Event, planned: Plan) -> Flow:
        """One event without I/O: yields jobs to run, receives their attempts, returns the outcome."""
        changes = Changes(slot.rule, event.data)
        attempts: list[Attempt] = (
            [background_attempt(hook) for hook in planned.background] if planned.background else []
        )
        verdicts: list[Verdict] = []
        skipped: list[Skipped] = []
        shown: list[tuple[tuple[Hook, ...], dict[str, Any]]] = []
        for batch in planned.batches:
            data = changes.now
            shown.append((batch, data))
            done = yield self.jobs(slot, batch, event, data)
            judged = judge(slot, batch, data, done, attempts, skipped)
            verdicts += judged
            changes.after(judged)
            if len(shown) < len(planned.batches) and chain_ends(slot.ends, judged):
                for hook in itertools.chain(*planned.batches[len(shown) :]):
                    skipped.append(Skipped(hook.name, str(hook.source), "chain ended"))
                    self.spent.pop(id(hook), None)
                break
        if slot.rules.strict and changes.now is not event.data:
            data = changes.settled()
            awake = self.newly_matching_hooks(slot, replace(event, data=data), planned)
            planned = replace(planned, skipped=without(planned.skipped, awake))
            again = hooks_with_stale_input(slot.rule, data, shown)
            done = yield self.jobs(slot, (*again, *awake), event, data)
            verdicts += refusals(judge(slot, again, data, done[: len(again)], attempts, skipped))
            first = judge(slot, awake, data, done[len(again) :], attempts, skipped)
            verdicts += [replace(one, changes={}) for one in first]  # their first say: a stop and texts count too
        return event, merge(
            verdicts,
            changes,
            self.dialect,
            slot.rule,
            mode=self.mode,
            id=self.new_id(),
            attempts=tuple(attempts),
            skipped=(*planned.skipped, *skipped) if skipped else planned.skipped,
            warnings=(*slot.warnings, *planned.warnings) if planned.warnings else slot.warnings,
        )

    def jobs(self, slot: Slot, batch: tuple[Hook, ...], event: Event, data: dict[str, Any]) -> list[Job]:
        """What each hook of a batch needs to run."""
        if data is not event.data:
            event = replace(event, data=data)
        given = slot.given(event)
        first = self.dialect.failures.missing_is_silent
        if slot.functions:
            return [Job(hook, given[hook.event], self.project, hook.timeout, self.grace, first) for hook in batch]
        if self.runner and self.supervisor == "fork":
            self.runner.helper()  # before we find out how to confine the hook
        confined = self.confinement.of
        return [
            Job(hook, given[hook.event], self.project, hook.timeout, self.grace, first, *confined(hook))
            for hook in batch
        ]

    def plan_event(self, slot: Slot, data: dict[str, Any]) -> tuple[Event, Plan, Outcome | None]:
        """The event in our words and its plan; an outcome at once where no hook runs."""
        rule = slot.rule
        data = in_our_words(data, slot.renamed)
        if rule.target.of and rule.target.field not in data:
            data = {**data, rule.target.field: os.path.basename(str(data.get(rule.target.of, "")))}
        agents = self.agents_of(data)
        session = data.get("session_id") or self.session_id
        event = Event(rule.kind, rule.name, data, self.project, session, agents, self.environ)
        if INSIDE.get():
            return event, Plan(), self.inside_a_hook(slot, event)
        target = data.get(rule.target.field)
        if not slot.static or target.__class__ is not str:
            return event, *self.plan(slot, event)
        known = slot.memo.get((target, agents)) or slot.memo.recall((target, agents))
        if known is None:
            known = self.plan(slot, event)
            if len(target) <= LONGEST_NAME:
                slot.memo.keep((target, agents), known)
        return event, *known

    def plan(self, slot: Slot, event: Event) -> tuple[Plan, Outcome | None]:
        if slot.static:
            made = self.fresh_plan(slot, event)
        else:
            with self.lock:
                made = self.fresh_plan(slot, event)
                self.spent.update((id(hook), hook) for batch in made.batches for hook in batch if hook.once)
        if slot.untrusted and self.wants_log:
            from tenterhook.engine.hook_log import log_untrusted

            log_untrusted(self, slot.rule.name, made.skipped)
        if made.batches or self.taps:
            return made, None
        outcome = nothing(self, slot, made.skipped)
        return made, replace(outcome, warnings=outcome.warnings + made.warnings) if made.warnings else outcome

    def fresh_plan(self, slot: Slot, event: Event) -> Plan:
        return slot.planner.plan(event, self.spent)

    def newly_matching_hooks(self, slot: Slot, event: Event, planned: Plan) -> tuple[Hook, ...]:
        """The hooks whose condition did not hold for what was given and holds for what will really happen."""
        if slot.static or not slot.rule.can.block:
            return ()
        known = {id(hook) for batch in planned.batches for hook in batch}
        with self.lock:
            now = self.fresh_plan(slot, event)
            found = (hook for hook in itertools.chain(*now.batches) if id(hook) not in known)
            awake = tuple(hook for hook in found if not hook.background)  # they decide nothing
            self.spent.update((id(hook), hook) for hook in awake if hook.once)
        return awake

    def inside_a_hook(self, slot: Slot, event: Event) -> Outcome:
        made = plan(event, slot.hooks, self.dialect, slot.rule, off=WHY, overrides=slot.overrides)
        outcome = nothing(self, slot, made.skipped)
        return self.told(replace(outcome, warnings=(*outcome.warnings, WHY)))  # `begin` keeps it

    def agents_of(self, data: dict[str, Any]) -> tuple[str, ...]:
        """The names under which the event's agent may have hooks, the closest first."""
        if self.agent:
            return (self.agent,)
        keys = self.dialect.planning.agent_from
        if not keys or data.keys().isdisjoint(keys):
            return ()
        given = (data[key] for key in keys if data.get(key))
        return tuple(str(one) for value in given for one in (value if isinstance(value, list) else (value,)))

    def finish(self, event: Event, outcome: Outcome) -> Outcome:
        if self.journal is not None:
            self.journal.keep(event, outcome)
        if outcome.warnings:
            self.log(outcome)
        return self.told(outcome) if self.taps else outcome

    def log(self, outcome: Outcome) -> None:
        """Tell the log what went wrong with hooks."""
        if self.wants_log:
            from tenterhook.engine.hook_log import log_outcome

            log_outcome(self, outcome)

    def warn(self, event: str, problems: Sequence[str]) -> None:
        """Tell the log what could not be done of what hooks wanted."""
        if problems and self.wants_log:
            from tenterhook.engine.hook_log import log_once

            for text in problems:
                log_once(self, f"{event}: {text}", f"{event}: {text}")

    def told(self, outcome: Outcome) -> Outcome:
        for tap in self.taps:
            try:
                tap.function(outcome)
            except Exception:
                complain(f"a tap failed on {outcome.event}; the outcome stands")
        return outcome

    @property
    def engine(self) -> Engine:
        """An engine is the simplest host."""
        return self

    def narrow_tools(self, allowed: frozenset[str] | None) -> None:
        """Without a session there are no turns: the caller has it in the reply."""

    def received(self, texts: Sequence[str]) -> Sequence[str]:
        """Without a session there is no conversation to put texts into: they stay the caller's."""
        return texts

    def tool(self, name: str, **options: Unpack[ToolOptions]) -> Decorator:
        """Put hooks around a function that is a tool; see docs/tools.md for the options."""
        from tenterhook.hosts.tool import tool

        return tool(self, name, **options)

    def model(self, function: Callable[..., Any], **options: Unpack[ModelOptions]) -> Model:
        """Put hooks around a function that calls a model; see docs/models.md for the options."""
        from tenterhook.hosts.model import model

        return model(self, function, **options)

    def session(self, **options: Unpack[SessionOptions]) -> Session:
        """One agent's life: prompts, stops, subagents, notices; see docs/sessions.md for the options."""
        from tenterhook.hosts.session import Session

        return Session(self, **options)

    def read(self, on_error: str = "") -> Loaded:
        if self.trust == "all" and not self.settings.bypass:
            raise UsageError(f"{self.system} forbids to run hooks without approval: tenter trust approves them")
        return super().read(on_error)

    def running(self) -> Runner:
        with self.lock:
            if self.runner is None:
                from tenterhook.engine.runner import Runner

                self.runner = Runner(self.parallel, supervisor=self.supervisor)
            return self.runner

    @property
    def abandoned(self) -> int:
        """How many calls of functions were given up, past their time-out or cancelled, and could not be ended."""
        return self.runner.workers.abandoned if self.runner else 0

    def give_up(self) -> None:
        """A call was given up, by whoever drives the flow."""
        self.running().workers.abandoned += 1

    def own_background(self) -> Background:
        """For hooks that a host without a session does not wait for: the journal, the log and taps hear of them."""
        from tenterhook.engine.background import Background

        with self.lock:
            if self.background is None:
                self.background = Background(self, self.session_id, keep=0)
            return self.background

    def close(self) -> None:
        """End what `afire` started; a `fire` in another thread comes to its own end. The engine may be used again."""
        with self.lock:
            runner, self.runner = self.runner, None
            background, self.background = self.background, None
        if background:
            background.end()
        if runner:
            runner.close()
        if self.journal is not None:
            self.journal.flush()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.close()


def complain(text: str) -> None:
    """To the log, with the exception: whoever listens to outcomes must not be able to change them."""
    from tenterhook.support import logs

    logs.redacting_logger(str(__package__)).exception(text)


def load(project: str | os.PathLike[str] = ".", **options: Any) -> Engine:
    """An engine whose files are read now, so that a broken one is heard of at once. Options as for Engine."""
    engine = Engine(project, **options)
    engine.ready()
    return engine

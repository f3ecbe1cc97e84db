"""READ FIRST: one event from start to end.

    Event -> Plan -> Attempt -> Verdict -> Outcome

`Engine.flow` is the whole story, without any I/O: it yields jobs, receives attempts, and returns the outcome.
`fire` and `afire` drive it, one from a thread, one on an event loop; the logic exists once. To go on reading:
types, config, plan, payload, handlers/command, verdict, merge, apply.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.apply import Changes, paths
from tenterhook.dialect import Dialect
from tenterhook.hookset import HookSet, Slot, nothing
from tenterhook.merge import merge
from tenterhook.payload import encoded, environment, in_our_words, own_environment, payload
from tenterhook.plan import plan
from tenterhook.types import Attempt, Event, Hook, Job, Outcome, Plan, Skipped, Verdict
from tenterhook.verdict import verdict

if TYPE_CHECKING:
    from tenterhook.runner import Runner

Flow = Generator[list[Job], list[Attempt], Outcome]
Run = tuple[Hook, Attempt, Verdict]

# Plans remembered for each event: the names of tools are few, but a host may make them up.
MEMO = 1024


class Engine(HookSet):
    """Fires events. Safe to use from threads and from several event loops.

    Nothing is read or started before the first event that needs it.
    """

    runner: Runner | None = None

    def fire(self, event: str, /, **data: Any) -> Outcome:
        """Something happened: run its hooks and say what they decided."""
        slot = self.slots.get(event) or self.slot(event)
        outcome = slot.quiet
        if outcome is None:
            happened, planned, outcome = self.planned(slot, data)
        if outcome is not None:
            return outcome
        flow = self.flow(slot, happened, planned)
        together = (self.runner or self.running()).together
        try:
            jobs = next(flow)
            while True:
                jobs = flow.send(together(jobs))
        except StopIteration as finished:
            return self.finish(finished.value)

    async def afire(self, event: str, /, **data: Any) -> Outcome:
        """The same without blocking the loop."""
        slot = self.slots.get(event) or self.slot(event)
        outcome = slot.quiet
        if outcome is None:
            happened, planned, outcome = self.planned(slot, data)
        if outcome is not None:
            return outcome
        flow = self.flow(slot, happened, planned)
        together = (self.runner or self.running()).atogether
        try:
            jobs = next(flow)
            while True:
                jobs = flow.send(await together(jobs))
        except StopIteration as finished:
            return self.finish(finished.value)

    def flow(self, slot: Slot, event: Event, planned: Plan) -> Flow:
        """One event without I/O: yields jobs to run, receives their attempts, returns the outcome."""
        changes = Changes(slot.rule, event.data)
        ran: list[Run] = []
        skipped = planned.skipped
        shown: list[tuple[Hook, dict[str, Any]]] = []
        for number, batch in enumerate(planned.batches):
            data = changes.now
            done = judged(slot, batch, data, (yield self.jobs(slot, batch, event, data)))
            shown += [(hook, data) for hook in batch]
            ran += done
            changes.after([one for _, _, one in done])
            if any(ends(self.dialect, one) for _, _, one in done):
                left = itertools.chain(*planned.batches[number + 1 :])
                skipped += tuple(Skipped(hook.name, str(hook.source), "chain ended") for hook in left)
                break
        stale = rewritten(slot, changes, shown)
        if stale:
            ran += denials(judged(slot, stale, changes.now, (yield self.jobs(slot, stale, event, changes.now))))
        absent = tuple(Skipped(a.hook, a.source, "missing") for _, a, _ in ran if a.error == "missing")
        ran = [run for run in ran if run[1].error != "missing"]
        return merge(
            [one for _, _, one in ran],
            changes,
            self.dialect,
            slot.rule,
            mode=self.mode,
            id=self.new_id(),
            attempts=tuple([attempt for _, attempt, _ in ran]),
            skipped=skipped + absent,
            warnings=slot.warnings,
        )

    def jobs(self, slot: Slot, batch: tuple[Hook, ...], event: Event, data: dict[str, Any]) -> list[Job]:
        """What each hook of a batch needs to run; what they share is made once, and only if one asks."""
        if data is not event.data:
            event = replace(event, data=data)
        given = payload(event, self.dialect, slot.rule)
        stdin = Once(partial(encoded, given))
        common = Once(partial(environment, event, self.dialect, strict=slot.rules.strict))
        first = self.dialect.missing_is_silent
        return [
            Job(
                hook,
                given,
                stdin,
                partial(own_environment, hook, common, event),
                self.project,
                hook.timeout,
                self.grace,
                first,
            )
            for hook in batch
        ]

    def planned(self, slot: Slot, data: dict[str, Any]) -> tuple[Event, Plan, Outcome | None]:
        """The event in our words and its plan; an outcome at once where no hook runs."""
        rule = slot.rule
        data = in_our_words(data, slot.renamed)
        agent = self.agent or self.agent_of(data)
        session = data.get("session_id") or self.session
        event = Event(rule.kind, rule.name, data, self.project, session, agent, self.environ)
        target = data.get(rule.target)
        if not slot.static or target.__class__ is not str:
            return event, *self.plan(slot, event)
        known = slot.memo.get((target, agent))
        if known is None:
            if len(slot.memo) >= MEMO:
                slot.memo.clear()
            known = slot.memo[target, agent] = self.plan(slot, event)
        return event, *known

    def plan(self, slot: Slot, event: Event) -> tuple[Plan, Outcome | None]:
        spent = self.spent
        made = plan(event, slot.hooks, self.dialect, slot.rule, off=slot.off, overrides=slot.overrides, spent=spent)
        if not slot.static:
            spent.update(id(hook) for batch in made.batches for hook in batch if hook.once)
        return made, None if made.batches or self.taps else nothing(self, slot, made.skipped)

    def agent_of(self, data: dict[str, Any]) -> str:
        for key in self.dialect.agent_from:
            if data.get(key):
                return str(data[key])
        return ""

    def finish(self, outcome: Outcome) -> Outcome:
        for tap in self.taps:
            tap(outcome)
        return outcome

    def running(self) -> Runner:
        with self.lock:
            if self.runner is None:
                from tenterhook.runner import Runner

                self.runner = Runner(self.parallel)
            return self.runner

    @property
    def abandoned(self) -> int:
        """How many calls of functions ran past their time-out and could not be ended."""
        return self.runner.workers.abandoned if self.runner else 0

    def close(self) -> None:
        """End what the engine started. It may be used again."""
        with self.lock:
            runner, self.runner = self.runner, None
        if runner:
            runner.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.close()


class Once:
    """A value made when first asked for."""

    __slots__ = ("make", "value")

    def __init__(self, make: Any) -> None:
        self.make: Any = make

    def __call__(self) -> Any:
        if self.make is not None:
            self.value, self.make = self.make(), None
        return self.value


def judged(slot: Slot, batch: tuple[Hook, ...], data: dict[str, Any], done: list[Attempt]) -> list[Run]:
    """Each hook of a batch with its attempt and what that means, in the order of the plan."""
    runs = []
    for hook, attempt in zip(batch, done, strict=True):
        if attempt.error == "missing":
            runs.append((hook, attempt, Verdict(attempt.hook)))
            continue
        one = verdict(attempt, hook, slot.rules)
        changed = paths(one.changes, data) if one.changes else ()
        attempt = replace(attempt, decision=one.decision, reason=one.reason, changed=changed, answer=None)
        runs.append((hook, attempt, one))
    return runs


def ends(dialect: Dialect, one: Verdict) -> bool:
    """Whether a verdict ends the chain in this dialect."""
    return (one.decision == "deny" and "deny" in dialect.chain_ends) or (one.stop and "stop" in dialect.chain_ends)


def rewritten(slot: Slot, changes: Changes, shown: list[tuple[Hook, dict[str, Any]]]) -> tuple[Hook, ...]:
    """In a strict engine: the hooks that judged something other than what will really happen."""
    rule = slot.rule
    if not slot.rules.strict or not rule.blocks or changes.now is changes.given:
        return ()
    fields = rule.chain.values()
    return tuple(hook for hook, data in shown if any(data.get(f) != changes.now.get(f) for f in fields))


def denials(runs: Iterable[Run]) -> list[Run]:
    """Of hooks that saw the final input once more only a refusal or a failure counts: they had their say before."""
    return [
        (
            hook,
            attempt,
            replace(one, changes={}) if one.failed or one.decision in ("deny", "ask") else Verdict(one.hook),
        )
        for hook, attempt, one in runs
    ]


def load(project: str | os.PathLike[str] = ".", **options: Any) -> Engine:
    """An engine whose files are read now, so that a broken one is heard of at once. Options as for Engine."""
    engine = Engine(project, **options)
    engine.ready()
    return engine

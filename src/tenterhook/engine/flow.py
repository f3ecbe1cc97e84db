"""The story of one event, without any I/O: it yields batches of hooks, receives attempts, and returns the outcome."""

from __future__ import annotations

import itertools
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.pipeline.apply import Changes
from tenterhook.pipeline.judge import background_attempt, chain_ends, hooks_with_stale_input, judge, refusals, without
from tenterhook.pipeline.merge import merge
from tenterhook.types import Attempt, Event, Hook, Outcome, Plan, Skipped, Verdict

if TYPE_CHECKING:
    from tenterhook.engine.compiled_event import CompiledEvent, HookBatch
    from tenterhook.engine.engine import Engine


def flow(
    engine: Engine, compiled: CompiledEvent, event: Event, planned: Plan
) -> Generator[HookBatch, list[Attempt], tuple[Event, Outcome]]:
    """One event without I/O: yields hooks to run, receives their attempts, returns the outcome."""
    changes = Changes(compiled.rule, event.data)
    attempts: list[Attempt] = [background_attempt(hook) for hook in planned.background] if planned.background else []
    verdicts: list[Verdict] = []
    skipped: list[Skipped] = []
    shown: list[tuple[tuple[Hook, ...], dict[str, Any]]] = []
    for batch in planned.batches:
        data = changes.now
        shown.append((batch, data))
        done = yield compiled.batch(batch, event if data is event.data else replace(event, data=data))
        judged = judge(compiled, batch, data, done, attempts, skipped)
        verdicts += judged
        changes.after(judged)
        if len(shown) < len(planned.batches) and chain_ends(compiled.ends, judged):
            for hook in itertools.chain(*planned.batches[len(shown) :]):
                skipped.append(Skipped(hook.name, str(hook.source), "chain ended"))
                engine.spent.pop(id(hook), None)
            break
    if compiled.rules.strict and changes.now is not event.data:
        data = changes.settled()
        now = replace(event, data=data)
        awake = newly_matching_hooks(engine, compiled, now, planned)
        planned = replace(planned, skipped=without(planned.skipped, awake))
        again = hooks_with_stale_input(compiled.rule, data, shown)
        done = yield compiled.batch((*again, *awake), now)
        verdicts += refusals(judge(compiled, again, data, done[: len(again)], attempts, skipped))
        first = judge(compiled, awake, data, done[len(again) :], attempts, skipped)
        verdicts += [replace(one, changes={}) for one in first]  # a first answer: stop and texts count too
    return event, merge(
        verdicts,
        changes,
        engine.dialect,
        compiled.rule,
        mode=engine.mode,
        id=engine.new_id(),
        attempts=tuple(attempts),
        skipped=(*planned.skipped, *skipped) if skipped else planned.skipped,
        warnings=(*compiled.warnings, *planned.warnings) if planned.warnings else compiled.warnings,
    )


def newly_matching_hooks(engine: Engine, compiled: CompiledEvent, event: Event, planned: Plan) -> tuple[Hook, ...]:
    """Hooks whose condition did not hold for the original data but holds for what will really happen."""
    if compiled.static or not compiled.rule.can.block:
        return ()
    known = {id(hook) for batch in planned.batches for hook in batch}
    with engine.lock:
        now = compiled.planner.plan(event, engine.spent)
        found = (hook for hook in itertools.chain(*now.batches) if id(hook) not in known)
        awake = tuple(hook for hook in found if not hook.background)  # they decide nothing
        engine.spent.update((id(hook), hook) for hook in awake if hook.once)
    return awake

"""Running hooks: a third driver of the engine's flow, which keeps what each hook did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Exit
from tenterhook.engine.compiled_event import Slot
from tenterhook.engine.engine import Engine
from tenterhook.hosts.llxprt.outputs import build_hook_output, create_hook_output
from tenterhook.hosts.llxprt.planner import slot_of
from tenterhook.hosts.llxprt.registry import HookRegistry, HookRegistryEntry, engine_of, hook_of
from tenterhook.hosts.llxprt.results import HookExecutionResult
from tenterhook.pipeline.failure_policy import describe_attempt_failure
from tenterhook.pipeline.payload import in_our_words
from tenterhook.pipeline.verdict import verdict
from tenterhook.types import Attempt, Event, Hook, Plan, Verdict

if TYPE_CHECKING:
    from tenterhook.hosts.llxprt.config import Config

Input = Mapping[str, Any]
Runnable = Hook | HookRegistryEntry


class HookRunner:
    """Processes, time-outs, chaining and the end of a chain are the engine's. The engine logs hooks that fail."""

    def __init__(self, engine: Engine | Config | HookRegistry | None = None) -> None:
        self.engine = engine_of(engine)

    async def execute_hook(self, hook: Runnable, event_name: str, input: Input) -> HookExecutionResult:
        return (await self.execute_hooks_parallel([hook], event_name, input))[0]

    async def execute_hooks_parallel(
        self, hooks: Sequence[Runnable], event_name: str, input: Input
    ) -> list[HookExecutionResult]:
        """All at once; the results in the order of the hooks."""
        return await self.run((tuple(map(hook_of, hooks)),) if hooks else (), event_name, input)

    async def execute_hooks_sequential(
        self, hooks: Sequence[Runnable], event_name: str, input: Input
    ) -> list[HookExecutionResult]:
        """One after another, each with the input as those before it left it. A block ends the chain."""
        return await self.run(tuple((hook_of(hook),) for hook in hooks), event_name, input)

    async def run(
        self, batches: tuple[tuple[Hook, ...], ...], event_name: str, input: Input
    ) -> list[HookExecutionResult]:
        engine, slot = self.engine, slot_of(self.engine, event_name)
        flow = engine.flow(slot, self.event(slot, input), Plan(batches))
        results: list[HookExecutionResult] = []
        step = 0
        try:
            jobs = next(flow)
            while True:
                attempts = await engine.running().atogether(jobs)
                for job, attempt in zip(jobs, attempts, strict=True):
                    results.append(result_of(job.hook, attempt, slot, step))
                step += 1
                jobs = flow.send(attempts)
        except StopIteration as finished:
            outcome = engine.finish(*finished.value)
        # The flow's own attempts also know what was decided and changed.
        pairs = zip(results, outcome.attempts, strict=True)
        return [replace(result, attempt=attempt) for result, attempt in pairs]

    def event(self, slot: Slot, input: Input) -> Event:
        engine, rule = self.engine, slot.rule
        data = in_our_words(dict(input), slot.renamed)
        session = data.get("session_id") or engine.session_id
        return Event(rule.kind, rule.name, data, engine.project, session, environ=engine.environ)


def result_of(hook: Hook, attempt: Attempt, slot: Slot, step: int) -> HookExecutionResult:
    said = verdict(attempt, hook, slot.rules)
    answer = build_hook_output(said, slot.rule)
    return HookExecutionResult(
        event_name=slot.rule.name,
        success=not said.failed,
        output=create_hook_output(slot.rule.name, answer) if answer else None,
        error=fault(attempt, said, slot.rules.dialect.reading.exits),
        hook=hook,
        attempt=attempt,
        step=step,
    )


def fault(attempt: Attempt, said: Verdict, exits: Mapping[int | str, Exit]) -> str:
    """Why the hook failed. A block by exit code is no success, but it is an answer and no fault."""
    row = None if attempt.exit_code is None else exits.get(attempt.exit_code)
    return describe_attempt_failure(attempt) if said.failed and not (row and row.decision) else ""

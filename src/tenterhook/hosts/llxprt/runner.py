"""Run hooks: a third driver of the engine's flow, which keeps each hook's result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Exit
from tenterhook.engine.compiled_event import CompiledEvent
from tenterhook.engine.engine import Engine
from tenterhook.hosts.llxprt.outputs import build_hook_output, create_hook_output
from tenterhook.hosts.llxprt.planner import compiled_event_of
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
    """Runs hooks. The engine handles processes, time-outs and chains, and logs hooks that fail."""

    def __init__(self, engine: Engine | Config | HookRegistry | None = None) -> None:
        self.engine = engine_of(engine)

    async def execute_hook(self, hook: Runnable, event_name: str, input: Input) -> HookExecutionResult:
        return (await self.execute_hooks_parallel([hook], event_name, input))[0]

    async def execute_hooks_parallel(
        self, hooks: Sequence[Runnable], event_name: str, input: Input
    ) -> list[HookExecutionResult]:
        """Run all at once; the results are in the order of the hooks."""
        return await self.run((tuple(map(hook_of, hooks)),) if hooks else (), event_name, input)

    async def execute_hooks_sequential(
        self, hooks: Sequence[Runnable], event_name: str, input: Input
    ) -> list[HookExecutionResult]:
        """Run one after another, each with the input as the hooks before it left it. A block ends the chain."""
        return await self.run(tuple((hook_of(hook),) for hook in hooks), event_name, input)

    async def run(
        self, batches: tuple[tuple[Hook, ...], ...], event_name: str, input: Input
    ) -> list[HookExecutionResult]:
        engine, compiled = self.engine, compiled_event_of(self.engine, event_name)
        flow = engine.flow(compiled, self.event(compiled, input), Plan(batches))
        results: list[HookExecutionResult] = []
        step = 0
        try:
            batch = next(flow)
            while True:
                known = engine.has_profiles(batch.hooks)
                jobs = engine.prepare(batch) if known else await engine.off_loop(engine.prepare, batch)
                attempts = await engine.running().atogether(jobs)
                for job, attempt in zip(jobs, attempts, strict=True):
                    results.append(result_of(job.hook, attempt, compiled, step))
                step += 1
                batch = flow.send(attempts)
        except StopIteration as finished:
            outcome = engine.finish(*finished.value)
        # The flow's own attempts also have the decision and the changes.
        pairs = zip(results, outcome.attempts, strict=True)
        return [replace(result, attempt=attempt) for result, attempt in pairs]

    def event(self, compiled: CompiledEvent, input: Input) -> Event:
        engine, rule = self.engine, compiled.rule
        data = in_our_words(dict(input), compiled.renamed)
        session = data.get("session_id") or engine.session_id
        return Event(rule.kind, rule.name, data, engine.project, session, environ=engine.environ)


def result_of(hook: Hook, attempt: Attempt, compiled: CompiledEvent, step: int) -> HookExecutionResult:
    judged = verdict(attempt, hook, compiled.rules)
    answer = build_hook_output(judged, compiled.rule)
    return HookExecutionResult(
        event_name=compiled.rule.name,
        success=not judged.failed,
        output=create_hook_output(compiled.rule.name, answer) if answer else None,
        error=fault(attempt, judged, compiled.rules.dialect.reading.exits),
        hook=hook,
        attempt=attempt,
        step=step,
    )


def fault(attempt: Attempt, judged: Verdict, exits: Mapping[int | str, Exit]) -> str:
    """Why the hook failed. A block by exit code is not a success, but it is an answer, not a failure."""
    row = None if attempt.exit_code is None else exits.get(attempt.exit_code)
    return describe_attempt_failure(attempt) if judged.failed and not (row and row.decision) else ""

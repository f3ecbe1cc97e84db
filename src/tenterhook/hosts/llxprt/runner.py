"""Running hooks: a third driver of the engine's flow, which keeps what each hook did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook import logs
from tenterhook.dialect import Exit
from tenterhook.engine import Engine
from tenterhook.hosts.llxprt.outputs import create_hook_output, written
from tenterhook.hosts.llxprt.planner import slot_of
from tenterhook.hosts.llxprt.registry import HookRegistry, engine_of
from tenterhook.hosts.llxprt.results import HookExecutionResult
from tenterhook.payload import in_our_words
from tenterhook.policy import explained
from tenterhook.slot import Slot
from tenterhook.types import Attempt, Event, Hook, Plan, Verdict
from tenterhook.verdict import verdict

if TYPE_CHECKING:
    from tenterhook.hosts.llxprt.config import Config

log = logs.named("tenterhook.llxprt")

Input = Mapping[str, Any]


class HookRunner:
    """Processes, time-outs, chaining and the end of a chain are the engine's. Hooks that fail are in the log."""

    def __init__(self, engine: Engine | Config | HookRegistry | None = None) -> None:
        self.engine = engine_of(engine)

    async def execute_hook(self, hook: Hook, event_name: str, input: Input) -> HookExecutionResult:
        return (await self.execute_hooks_parallel([hook], event_name, input))[0]

    async def execute_hooks_parallel(
        self, hooks: Sequence[Hook], event_name: str, input: Input
    ) -> list[HookExecutionResult]:
        """All at once; the results in the order of the hooks."""
        return await self.run((tuple(hooks),) if hooks else (), event_name, input)

    async def execute_hooks_sequential(
        self, hooks: Sequence[Hook], event_name: str, input: Input
    ) -> list[HookExecutionResult]:
        """One after another, each with the input as those before it left it. A block ends the chain."""
        return await self.run(tuple((hook,) for hook in hooks), event_name, input)

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
    answer = written(said, slot.rule)
    result = HookExecutionResult(
        event_name=slot.rule.name,
        success=not said.failed,
        output=create_hook_output(slot.rule.name, answer) if answer else None,
        error=fault(attempt, said, slot.rules.dialect.exits),
        hook=hook,
        attempt=attempt,
        step=step,
    )
    report(result, said)
    return result


def fault(attempt: Attempt, said: Verdict, exits: Mapping[int | str, Exit]) -> str:
    """Why the hook failed. A block by exit code is no success, but it is an answer and no fault."""
    row = None if attempt.exit_code is None else exits.get(attempt.exit_code)
    return explained(attempt) if said.failed and not (row and row.decision) else ""


def report(result: HookExecutionResult, said: Verdict) -> None:
    event, attempt = result.event_name, result.attempt
    if result.error:
        what, stderr = explained(replace(attempt, stderr="")), attempt.stderr.strip() or "nothing"
        log.warning("%s: the hook %s failed: %s; stderr: %s", event, attempt.hook, what, stderr)
    failed = f"{attempt.hook}: failed: {explained(attempt)}"
    for warning in said.warnings:
        if warning != failed:
            log.warning("%s: %s", event, warning)

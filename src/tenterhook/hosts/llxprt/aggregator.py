"""Combine the results of several hooks, with the engine's own merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.engine.engine import Engine
from tenterhook.hosts.llxprt.outputs import DefaultHookOutput, build_hook_output, create_specific_hook_output
from tenterhook.hosts.llxprt.planner import compiled_event_of
from tenterhook.hosts.llxprt.registry import HookRegistry, engine_of
from tenterhook.hosts.llxprt.results import AggregatedHookResult, HookExecutionResult
from tenterhook.pipeline.apply import Changes
from tenterhook.pipeline.event_reader import Rules
from tenterhook.pipeline.merge import merge
from tenterhook.pipeline.payload import in_our_words
from tenterhook.pipeline.verdict import verdict
from tenterhook.types import Attempt, Hook, Source, Verdict

if TYPE_CHECKING:
    from tenterhook.hosts.llxprt.config import Config

# The hook of an answer if a result was made by hand.
UNKNOWN_HOOK = Hook(name="", event="", handler="", spec={}, source=Source(""))


class HookAggregator:
    """Combines results: for tools any block wins, for models later fields replace earlier ones, for selections names
    add up.
    """

    def __init__(self, engine: Engine | Config | HookRegistry | None = None) -> None:
        self.engine = engine_of(engine)

    def aggregate_results(
        self, results: Sequence[HookExecutionResult], event_name: str, input: Mapping[str, Any] | None = None
    ) -> AggregatedHookResult:
        """With the event's `input`, changes in the final output are complete; without it they are the hooks' own."""
        engine, compiled = self.engine, compiled_event_of(self.engine, event_name)
        changes = Changes(compiled.rule, in_our_words(dict(input or {}), compiled.renamed))
        verdicts: list[Verdict] = []
        for _, together in groupby(results, key=attrgetter("step")):
            judged = [verdict_from_result(result, compiled.rules) for result in together]
            changes.after(judged)
            verdicts += judged
        attempts = tuple(result.attempt for result in results)
        outcome = merge(
            verdicts, changes, engine.dialect, compiled.rule, mode=engine.mode, id=engine.new_id(), attempts=attempts
        )
        outputs = [result.output for result in results if result.output]
        final = (
            self.create_specific_hook_output(build_hook_output(outcome, compiled.rule), compiled.rule.name)
            if outputs
            else None
        )
        return AggregatedHookResult(
            success=outcome.success,
            final_output=final,
            all_outputs=outputs,
            errors=[result.error for result in results if result.error],
            total_duration=sum(result.duration for result in results),
            outcome=outcome,
        )

    def create_specific_hook_output(
        self, output: Mapping[str, Any] | DefaultHookOutput, event_name: str
    ) -> DefaultHookOutput:
        """The output class of an event; for a tool the one that also reads permissionDecision."""
        return create_specific_hook_output(output, event_name)


def verdict_from_result(result: HookExecutionResult, rules: Rules) -> Verdict:
    """The verdict on an output, which is read like a hook's answer."""
    hook = result.hook or UNKNOWN_HOOK
    if result.output is None:
        return Verdict(hook.name, failed=not result.success)
    judged = verdict(Attempt(hook.name, hook.handler, "", answer=result.output.data), hook, rules)
    return replace(judged, failed=not result.success)

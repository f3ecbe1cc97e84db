"""Plan which hooks an event runs: the engine's plan, without the skipped ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenterhook.dialects.schema.dialect import revise
from tenterhook.engine.compiled_event import CompiledEvent
from tenterhook.engine.engine import Engine
from tenterhook.engine.reentry import INSIDE
from tenterhook.hosts.llxprt.registry import HookRegistry, engine_of
from tenterhook.pipeline.payload import in_our_words
from tenterhook.pipeline.plan import plan
from tenterhook.types import Event, Hook, Plan

if TYPE_CHECKING:
    from tenterhook.hosts.llxprt.config import Config


class HookExecutionPlan(Struct, frozen=True):
    """The hooks to run, in order; one after another if any of them asked for that."""

    event_name: str
    hooks: tuple[Hook, ...]
    sequential: bool


class HookPlanner:
    """Filters by matcher, drops duplicates, says whether hooks run one after another."""

    def __init__(self, engine: Engine | Config | HookRegistry) -> None:
        self.engine = engine_of(engine)

    def create_execution_plan(
        self, event_name: str, context: Mapping[str, Any] | None = None, input: Mapping[str, Any] | None = None
    ) -> HookExecutionPlan | None:
        """The plan, None if nothing runs. `context` is for matchers, `input` for an entry's own `if`.

        A context has the tool's name as `toolName`; without one no matcher counts. The plan must be run: a hook that
        runs once is used up by it.
        """
        compiled = compiled_event_of(self.engine, event_name)
        name = tool_of(context)
        data = dict(input or {}) if name is None else {**(input or {}), "tool_name": name}
        if name is None and compiled.rule.target.field:
            planned = self.plan_unfiltered(compiled, data)
        else:
            _, planned, _ = self.engine.plan_event(compiled, data)
        hooks = tuple(hook for batch in planned.batches for hook in batch)
        return HookExecutionPlan(compiled.rule.name, hooks, any(hook.sequential for hook in hooks)) if hooks else None

    def plan_unfiltered(self, compiled: CompiledEvent, data: dict[str, Any]) -> Plan:
        """The plan of an event without anything to match on."""
        if INSIDE.get():
            return Plan()
        engine, rule = self.engine, revise(compiled.rule, target={"field": ""})
        event = Event(rule.kind, rule.name, in_our_words(data, compiled.renamed), engine.project)
        with engine.lock:
            made = plan(
                event,
                compiled.hooks,
                engine.dialect,
                rule,
                off=compiled.off,
                overrides=compiled.overrides,
                spent=engine.spent,
            )
            engine.spent.update((id(hook), hook) for batch in made.batches for hook in batch if hook.once)
        return made


def tool_of(context: Mapping[str, Any] | None) -> Any:
    """The name of the tool in a context, in the document's spelling or in Python's."""
    return None if context is None else context.get("toolName", context.get("tool_name"))


def compiled_event_of(engine: Engine, event_name: str) -> CompiledEvent:
    engine.ready()
    return engine.hookset.event(event_name)

"""Which hooks an event runs: the engine's plan, without those that do not run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenterhook.engine import Engine
from tenterhook.hosts.llxprt.registry import HookRegistry, engine_of
from tenterhook.slot import Slot
from tenterhook.types import Hook

if TYPE_CHECKING:
    from tenterhook.hosts.llxprt.config import Config


class HookExecutionPlan(Struct, frozen=True):
    """The hooks to run, in order; one after another where any of them asked for that."""

    event_name: str
    hooks: tuple[Hook, ...]
    sequential: bool


class HookPlanner:
    """Filters by matcher, leaves out duplicates, says whether hooks run one after another."""

    def __init__(self, engine: Engine | Config | HookRegistry) -> None:
        self.engine = engine_of(engine)

    def create_execution_plan(
        self, event_name: str, context: Mapping[str, Any] | None = None, input: Mapping[str, Any] | None = None
    ) -> HookExecutionPlan | None:
        """None where nothing runs. `context` is what matchers look at, `input` what an entry's own `if` looks at.

        A plan is made to be run: a hook that runs once has had its turn.
        """
        slot = slot_of(self.engine, event_name)
        _, planned, _ = self.engine.planned(slot, {**(input or {}), **(context or {})})
        hooks = tuple(hook for batch in planned.batches for hook in batch)
        return HookExecutionPlan(slot.rule.name, hooks, any(hook.sequential for hook in hooks)) if hooks else None


def slot_of(engine: Engine, event_name: str) -> Slot:
    return engine.slots.get(event_name) or engine.slot(event_name)

"""One event of one set of hooks, compiled once: what does not change between two firings of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenterhook.dialect import EventRule
from tenterhook.fitting import Memo
from tenterhook.payload import Shape, aliases, compile_shape
from tenterhook.plan import Planner
from tenterhook.rules import Rules, compile_rules
from tenterhook.types import Hook, Outcome, Plan, Skipped

if TYPE_CHECKING:
    from tenterhook.hookset import HookSet


class Slot:
    """What an event needs. `quiet` is its outcome where nobody listens."""

    __slots__ = (
        *("also", "background", "functions", "hooks", "memo", "off", "overrides", "planner", "quiet", "renamed"),
        *("rule", "rules", "shape", "static", "switched", "warnings"),
    )

    def __init__(self, owner: HookSet, rule: EventRule, also: tuple[Slot, ...] = ()) -> None:
        """`also` are the other events of the same moment."""
        loaded = owner.ready()
        self.rule, self.also = rule, also
        self.hooks = owner.registry.hooks(rule.name)
        self.rules: Rules = compile_rules(owner.dialect, rule, strict=owner.mode == "strict", attended=owner.attended)
        self.shape: Shape = compile_shape(
            owner.dialect, rule, strict=self.rules.strict, strip=owner.settings.secrets == "strip"
        )
        self.renamed = aliases(owner.dialect, rule)
        self.off, self.switched, self.warnings = owner.off(), loaded.off, owner.warnings
        if self.off and owner.managed_stay():
            self.hooks, self.off, self.switched = all_but_managed_off(self.hooks), "", self.off
        self.overrides = loaded.overrides
        self.background = any(hook.background for hook in self.hooks)
        self.functions = all(hook.handler == "python" for hook in self.hooks)
        self.static = not any(hook.once or hook.condition for hook in self.hooks)
        self.planner = Planner(self.hooks, owner.dialect, rule, off=self.off, overrides=self.overrides)
        self.memo: Memo[tuple[str, tuple[str, ...]], tuple[Plan, Outcome | None]] = Memo(len(self.hooks))
        listened = self.hooks or owner.taps or any(one.quiet is None for one in also)
        self.quiet: Outcome | None = None if listened else nothing(owner, self)

    def forget(self) -> None:
        """What was remembered of targets, so that the next event is planned as the first one was."""
        self.memo.forget()
        self.planner.forget()


def all_but_managed_off(hooks: tuple[Hook, ...]) -> tuple[Hook, ...]:
    return tuple(hook if hook.source.scope == "managed" else replace(hook, enabled=False) for hook in hooks)


def nothing(owner: HookSet, slot: Slot, skipped: tuple[Skipped, ...] = ()) -> Outcome:
    """The outcome of an event that no hook ran for."""
    return Outcome(
        skipped=skipped,
        warnings=slot.warnings,
        event=slot.rule.name,
        dialect=owner.dialect.name,
        mode=owner.mode,
        id=owner.new_id(),
    )

"""One event of one set of hooks, compiled once: what does not change between two firings of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.event_reader import Rules, compile_rules
from tenterhook.pipeline.payload import Given, Shape, aliases, compile_shape
from tenterhook.pipeline.plan import Planner
from tenterhook.pipeline.plan_joint import JointPlanner, merge_event_rules, merge_tables_first_wins
from tenterhook.pipeline.target_index import Memo
from tenterhook.types import Event, Hook, Outcome, Plan, Skipped

if TYPE_CHECKING:
    from tenterhook.engine.hookset import HookSet


class Part(Struct, frozen=True):
    """One event of a slot: how its hooks' answers are read, and what they are given."""

    rule: EventRule
    rules: Rules
    shape: Shape


class Slot:
    """What an event needs, or several that are one moment.

    `listened` says whether a hook or a tap waits for it; `quiet` is its outcome where none does, and the log has
    been told of what is wrong with the config. `untrusted` says whether the user has not approved some of its hooks.
    `rule`, `rules` and `shape` are those of the moment's first event, `rule` with what the others can do beside it.
    """

    __slots__ = (
        *("background", "ends", "functions", "hooks", "listened", "memo", "off", "overrides", "parts", "planner"),
        *("quiet", "renamed", "rule", "rules", "several", "shape", "static", "switched", "untrusted", "warnings"),
    )

    def __init__(self, owner: HookSet, rules: Sequence[EventRule]) -> None:
        loaded = owner.ready()
        self.rule, self.several = merge_event_rules(rules), len(rules) > 1
        self.hooks = owner.registry.hooks(*(rule.name for rule in rules))
        self.parts = {rule.name: part(owner, rule) for rule in rules}
        self.rules, self.shape = self.parts[self.rule.name].rules, self.parts[self.rule.name].shape
        self.renamed = merge_tables_first_wins(aliases(owner.dialect, rule) for rule in rules)
        self.off, self.switched, self.warnings = owner.off(), loaded.off, owner.warnings
        if self.off and owner.managed_stay():
            self.hooks, self.off, self.switched = all_but_managed_off(self.hooks), "", self.off
        self.overrides = loaded.overrides
        self.ends = frozenset((*owner.dialect.planning.chain_ends, *self.rule.overrides.chain_ends))
        self.background = not self.rule.firing.awaited or any(hook.background for hook in self.hooks)
        self.functions = all(hook.handler == "python" for hook in self.hooks)
        self.static = not self.several and not any(hook.once or hook.condition for hook in self.hooks)
        self.planner = planner(self.hooks, owner.dialect, rules, off=self.off, overrides=self.overrides)
        self.memo: Memo[tuple[str, tuple[str, ...]], tuple[Plan, Outcome | None]] = Memo(len(self.hooks))
        self.untrusted = any(hook.state == "untrusted" for hook in self.hooks)
        self.listened = bool(self.hooks or owner.taps)
        self.quiet = None if self.listened or (self.warnings and owner.wants_log) else nothing(owner, self)

    def reading(self, hook: Hook) -> Rules:
        """How this hook's answer is read."""
        return self.parts[hook.event].rules if self.several else self.rules

    def given(self, event: Event) -> dict[str, Given]:
        """What hooks are given, by the name of their event."""
        if not self.several:
            return {self.rule.name: Given(event, self.shape)}
        return {name: Given(replace(event, name=name), part.shape) for name, part in self.parts.items()}

    def forget(self) -> None:
        """What was remembered of targets, so that the next event is planned as the first one was."""
        self.memo.forget()
        self.planner.forget()


def part(owner: HookSet, rule: EventRule) -> Part:
    rules = compile_rules(owner.dialect, rule, strict=owner.mode == "strict", attended=owner.attended)
    strip = owner.settings.secrets == "strip"
    return Part(rule, rules, compile_shape(owner.dialect, rule, strict=rules.strict, strip=strip))


def planner(
    hooks: Sequence[Hook],
    dialect: Dialect,
    rules: Sequence[EventRule],
    *,
    off: str,
    overrides: Collection[tuple[str, str]],
) -> Planner | JointPlanner:
    if len(rules) > 1:
        return JointPlanner(hooks, dialect, rules, off=off, overrides=overrides)
    return Planner(hooks, dialect, rules[0], off=off, overrides=overrides)


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

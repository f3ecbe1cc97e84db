"""One event of one set of hooks, compiled once: everything that does not change between two firings of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.environment import depth
from tenterhook.pipeline.event_reader import Rules, compile_rules
from tenterhook.pipeline.payload import Given, Shape, aliases, compile_shape
from tenterhook.pipeline.plan import Planner, merge_event_rules, merge_tables_first_wins
from tenterhook.pipeline.target_index import Memo
from tenterhook.types import Event, Hook, Outcome, Plan

if TYPE_CHECKING:
    from tenterhook.engine.hookset import HookSet
    from tenterhook.pipeline.plan_joint import JointPlanner

# How many hooks deep the system's hooks run at most.
DEEPEST = 5


class Part(Struct, frozen=True):
    """One event of several that fire together: how its hooks' answers are read, and their input."""

    rule: EventRule
    rules: Rules
    shape: Shape


class HookBatch(Struct, frozen=True, gc=False):
    """Hooks that run at the same time, and their input, by the name of their event."""

    hooks: tuple[Hook, ...]
    given: dict[str, Given]


class CompiledEvent:
    """Everything that an event needs, or several events that fire together.

    `listened` says whether a hook or a tap waits for it; `quiet` is its outcome if none does and the config's mistakes
    have been logged. `untrusted` says whether the user has not approved some of its hooks. `rule`, `rules` and `shape`
    are those of the first event, with `rule` extended by what the others can do. `off` is why no hook runs; `switched`
    the same if only the system's hooks run.
    """

    __slots__ = (
        *("background", "ends", "hooks", "listened", "memo", "off", "overrides", "parts", "planner"),
        *("quiet", "renamed", "rule", "rules", "several", "shape", "static", "switched", "untrusted", "warnings"),
    )

    def __init__(
        self,
        hooks: tuple[Hook, ...],
        parts: Sequence[Part],
        dialect: Dialect,
        *,
        off: str,
        switched: str,
        warnings: tuple[str, ...],
        overrides: Collection[tuple[str, str]],
        tapped: bool,
    ) -> None:
        rules = tuple(part.rule for part in parts)
        self.hooks, self.off, self.switched = hooks, off, switched
        self.warnings, self.overrides = warnings, overrides
        self.rule, self.several = merge_event_rules(rules), len(rules) > 1
        self.parts = {part.rule.name: part for part in parts}
        self.rules, self.shape = self.parts[self.rule.name].rules, self.parts[self.rule.name].shape
        self.renamed = merge_tables_first_wins(aliases(dialect, rule) for rule in rules)
        self.ends = frozenset((*dialect.planning.chain_ends, *self.rule.overrides.chain_ends))
        self.background = not self.rule.firing.awaited or any(hook.background for hook in hooks)
        self.static = not self.several and not any(hook.once or hook.condition for hook in hooks)
        self.planner = planner(hooks, dialect, rules, off=off, overrides=overrides)
        self.memo: Memo[tuple[str, tuple[str, ...]], tuple[Plan, Outcome | None]] = Memo(len(hooks))
        self.untrusted = any(hook.state == "untrusted" for hook in hooks)
        self.listened = tapped or bool(hooks)
        self.quiet: Outcome | None = None

    def reading(self, hook: Hook) -> Rules:
        """The rules for reading this hook's answer."""
        return self.parts[hook.event].rules if self.several else self.rules

    def batch(self, hooks: tuple[Hook, ...], event: Event) -> HookBatch:
        """A batch of these hooks, with the event as it is now."""
        if not self.several:
            return HookBatch(hooks, {self.rule.name: Given(event, self.shape)})
        parts = self.parts.items()
        return HookBatch(hooks, {name: Given(replace(event, name=name), part.shape) for name, part in parts})

    def forget(self) -> None:
        """Clear what is cached about targets, so that the next event is planned like the first one."""
        self.memo.forget()
        self.planner.forget()


def compile_event(hookset: HookSet, rules: Sequence[EventRule], *, tapped: bool) -> CompiledEvent:
    """Compile these events of a set of hooks; `tapped` says whether the host listens to outcomes."""
    loaded = hookset.ready()
    hooks = hookset.registry.hooks(*(rule.name for rule in rules))
    off, switched = hookset.off(), loaded.off
    if off and hookset.managed_stay():
        hooks, off, switched = all_but_managed_off(hooks, depth(hookset.environ)), "", off
    return CompiledEvent(
        hooks,
        [compile_part(hookset, rule) for rule in rules],
        hookset.dialect,
        off=off,
        switched=switched,
        warnings=hookset.warnings,
        overrides=loaded.overrides,
        tapped=tapped,
    )


def compile_part(hookset: HookSet, rule: EventRule) -> Part:
    attended, strip = hookset.options.attended, hookset.settings.secrets == "strip"
    rules = compile_rules(hookset.dialect, rule, strict=hookset.mode == "strict", attended=attended)
    return Part(rule, rules, compile_shape(hookset.dialect, rule, strict=rules.strict, strip=strip))


def planner(
    hooks: Sequence[Hook],
    dialect: Dialect,
    rules: Sequence[EventRule],
    *,
    off: str,
    overrides: Collection[tuple[str, str]],
) -> Planner | JointPlanner:
    if len(rules) > 1:
        from tenterhook.pipeline.plan_joint import JointPlanner  # few dialects need it

        return JointPlanner(hooks, dialect, rules, off=off, overrides=overrides)
    return Planner(hooks, dialect, rules[0], off=off, overrides=overrides)


def all_but_managed_off(hooks: tuple[Hook, ...], inside: int) -> tuple[Hook, ...]:
    """Managed hooks fail where they run inside hooks too often: one of them may cause its own event."""
    too_deep = inside >= DEEPEST
    return tuple(
        replace(hook, enabled=False) if hook.source.scope != "managed" else fail_inside(hook) if too_deep else hook
        for hook in hooks
    )


def fail_inside(hook: Hook) -> Hook:
    problem = f"it would run inside of {DEEPEST} hooks; a hook of the system may cause its own event"
    return replace(hook, handler="unread", spec={"main": problem, "form": "unread"}, on_failure={"default": "deny"})

"""Event + hooks -> Plan: which hooks run, in which batches, and why the others do not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Dialect, EventRule, revise
from tenterhook.pipeline.match import LONGEST_NAME, NOT_RUN, match, too_long
from tenterhook.pipeline.match import fits as fits_glob
from tenterhook.pipeline.payload_fields import lookup
from tenterhook.pipeline.target_index import Fitting, Memo, aim, known_as, matches
from tenterhook.support.strategy import Strategy
from tenterhook.types import RULE, Event, Hook, Plan, Skipped

# Why a hook that is for one agent does not run for another.
OTHER_AGENT = "agent"
UNTRIED = (
    "{hook}: the {what} was not tried, because that might take very long on this text; it counts as matching. "
    "Write a simpler one, without repeats in repeats"
)


def plan(
    event: Event,
    hooks: Sequence[Hook],
    dialect: Dialect,
    rule: EventRule,
    *,
    off: str = "",
    overrides: Collection[tuple[str, str]] = (),
    spent: Collection[int] = (),
) -> Plan:
    """The plan of one event. A caller that plans many events keeps a Planner."""
    return Planner(hooks, dialect, rule, off=off, overrides=overrides).plan(event, spent)


class Planner:
    """Filter, deduplicate, put in batches. What does not depend on the event is computed once.

    `off` is why all hooks are switched off, `overrides` holds (event, agent) pairs whose own hooks replace the general
    ones.
    """

    def __init__(
        self,
        hooks: Sequence[Hook],
        dialect: Dialect,
        rule: EventRule,
        *,
        off: str = "",
        overrides: Collection[tuple[str, str]] = (),
    ) -> None:
        self.hooks, self.dialect, self.rule, self.off = hooks, dialect, rule, off
        self.overriding = {agent for name, agent in overrides if name == rule.name}
        self.agents = self.overriding | {hook.agent for hook in hooks if hook.agent is not None}
        # The entries for hooks of other agents, by the hook's position; the tables share them.
        self.others: dict[int, Skipped] = {}
        self.tables: dict[tuple[str, ...], Table] = {}

    def plan(self, event: Event, spent: Collection[int] = ()) -> Plan:
        """`spent` holds the identities of hooks that run once and have run."""
        table = self.table(event.agents)
        target = aim(self.rule, event.data)
        text = "" if target is None else str(target)
        places = table.fitting.of(text, self.dialect)
        made = table.plans.get(places) or table.plans.recall(places)
        if made is None:
            made = self.made(table, places, event, spent)
            if not table.changing.intersection(places):
                table.plans.keep(places, made)
        asked = table.asked.intersection(places) or len(text) > LONGEST_NAME
        chosen = [hook for batch in made.batches for hook in batch] if asked else []
        warnings = (
            *doubts(event, self.rule, self.hooks),
            *unevaluated_hook_warnings(event, self.rule, chosen, self.dialect),
        )
        return replace(made, warnings=warnings) if warnings else made

    def table(self, agents: tuple[str, ...]) -> Table:
        """The table for these agents. All agents that no hook is for share one."""
        known = tuple(agent for agent in agents or ("",) if agent in self.agents)
        found = self.tables.get(known)
        if found is None:
            overridden = not self.overriding.isdisjoint(known)
            others = {place: self.other(place, one) for place, one in enumerate(self.hooks) if is_other(one, known)}
            found = self.tables[known] = Table(self.hooks, others, self.dialect, self.rule, self.off, overridden)
        return found

    def other(self, place: int, hook: Hook) -> Skipped:
        if place not in self.others:
            self.others[place] = Skipped(hook.name, str(hook.source), OTHER_AGENT)
        return self.others[place]

    def made(self, table: Table, places: Iterable[int], event: Event, spent: Collection[int]) -> Plan:
        chosen: list[Hook] = []
        skipped: list[Skipped] = []
        seen: set[str] = set()
        begin = 0
        for place in places:
            hook = table.hooks[place]
            why = not_now(hook, event, spent)
            if not why and hook.state == "trusted":  # a hook that does not run must not replace one that does
                why = duplicate(hook, self.dialect.planning.dedupe, seen)
            skipped += table.skipped[begin:place]
            begin = place + 1
            if why:
                skipped.append(Skipped(hook.name, str(hook.source), why))
            else:
                chosen.append(hook)
        return Plan(batches(chosen, self.dialect.planning.order), (*skipped, *table.skipped[begin:]))

    def forget(self) -> None:
        """Clear what is cached about targets."""
        for table in self.tables.values():
            table.plans.forget()
            table.fitting.memo.forget()


class Table:
    """The hooks for some agents, each with the reason to report if it does not match the event's target.

    `others` has the entries for the hooks of other agents, by position.
    """

    __slots__ = ("asked", "changing", "fitting", "hooks", "plans", "skipped")

    def __init__(
        self,
        hooks: Sequence[Hook],
        others: Mapping[int, Skipped],
        dialect: Dialect,
        rule: EventRule,
        off: str,
        overridden: bool,
    ) -> None:
        reasons = [OTHER_AGENT if place in others else never(one, off, overridden) for place, one in enumerate(hooks)]
        self.hooks = hooks
        self.skipped = [
            others.get(place) or Skipped(hook.name, str(hook.source), reasons[place] or "matcher")
            for place, hook in enumerate(hooks)
        ]
        considered = [(place, hook) for place, hook in enumerate(hooks) if not reasons[place]]
        self.fitting = Fitting(considered, dialect, rule)
        # Hooks that are planned again for each event, and hooks that may need a warning.
        self.changing = frozenset(place for place, hook in considered if hook.condition or hook.once)
        self.asked = frozenset(place for place, hook in considered if hook.condition or place in self.fitting.tested)
        self.plans: Memo[tuple[int, ...], Plan] = Memo(len(hooks))


def is_other(hook: Hook, agents: Collection[str]) -> bool:
    """Whether the hook is for another agent than these."""
    return hook.agent is not None and hook.agent not in agents


def doubts(event: Event, rule: EventRule, hooks: Sequence[Hook]) -> tuple[str, ...]:
    """Warn about an event without a target: otherwise a host that forgets it would get past every matcher."""
    if not rule.target.field or isinstance(aim(rule, event.data), str) or all(hook.matcher is None for hook in hooks):
        return ()
    return (f"{rule.name} came without {rule.target.field} as text, which matchers are compared with",)


def unevaluated_hook_warnings(event: Event, rule: EventRule, chosen: Sequence[Hook], dialect: Dialect) -> Iterator[str]:
    """Warn about hooks that run because their matcher or condition could not be evaluated in time."""
    target = aim(rule, event.data)
    for hook in chosen:
        test = (
            match(hook.matcher, hook.match_kind or dialect.planning.matcher)
            if hook.matcher and rule.target.field
            else None
        )
        if test and NOT_RUN in map(test, known_as("" if target is None else str(target), dialect, rule)):
            yield UNTRIED.format(hook=hook.name, what=f"matcher {hook.matcher!r}")
        for path, globs in (hook.condition or {}).items():
            value = None if path == RULE else lookup(path, event.data)
            if isinstance(value, str) and any(too_long(value, glob) for glob in texts(globs)):
                yield UNTRIED.format(hook=hook.name, what=f"condition on {path!r}")


def objection(
    hook: Hook,
    event: Event,
    dialect: Dialect,
    rule: EventRule,
    off: str,
    overridden: bool,
    spent: Collection[int],
) -> str:
    """Why this hook does not run; empty if it does. Untrusted files are set aside first."""
    if why := never(hook, off, overridden):
        return why
    if rule.target.field and not matches(hook, aim(rule, event.data), dialect, rule):
        return "matcher"
    return not_now(hook, event, spent)


def never(hook: Hook, off: str, overridden: bool) -> str:
    """The reason that holds for every event."""
    if not hook.trusted:
        return hook.state
    if hook.overridden or (overridden and hook.agent is None and hook.source.scope != "managed"):
        return "overridden"
    return "disabled" if off or not hook.enabled else ""


def not_now(hook: Hook, event: Event, spent: Collection[int]) -> str:
    """The reason that holds for this event, if the matcher fits."""
    if hook.condition and not holds(hook.condition, event.data):
        return "condition"
    return "once" if hook.once and id(hook) in spent else ""


def holds(condition: dict[str, Any], data: dict[str, Any]) -> bool:
    """Whether every path of the condition leads to a value that matches one of its globs."""
    return all(
        matches_permission_rule(wanted, data) if path == RULE else fits(lookup(path, data), wanted)
        for path, wanted in condition.items()
    )


def matches_permission_rule(rule: str, data: dict[str, Any]) -> bool:
    from tenterhook.pipeline.permission_rules import permits  # few hooks have one

    return permits(rule, data)


def fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, list):
        return any(fits(value, one) for one in wanted)
    if isinstance(wanted, str):
        return value is not None and bool(fits_glob(value if isinstance(value, str) else str(value), wanted))
    return value == wanted and type(value) is type(wanted)


def texts(wanted: object) -> list[str]:
    return [one for one in (wanted if isinstance(wanted, list) else [wanted]) if isinstance(one, str)]


def duplicate(hook: Hook, by: str, seen: set[str]) -> str:
    """Report a hook that repeats an earlier one. Hooks without a key are all kept."""
    marks = DEDUPES[by].run(hook) if by else ()
    if not seen.isdisjoint(marks):
        return "duplicate"
    seen.update(marks)
    return ""


def its_command(hook: Hook) -> tuple[str, ...]:
    command = command_as_key(hook.spec.get("command"))
    return (command,) if command else ()


def its_name_and_command(hook: Hook) -> tuple[str, ...]:
    return tuple(f"{hook.name}\0{command}" for command in its_command(hook))


def its_name_and_main(hook: Hook) -> tuple[str, ...]:
    """By its name and what it runs; for hooks of one file with the same matcher, by the name alone."""
    main = command_as_key(hook.spec.get("main"))
    beside = f"{hook.source.file}\0{hook.matcher or ''}\0{hook.sequential}\0{hook.name}"
    return (f"{hook.name}\0{main}", beside) if main else ()


def its_main(hook: Hook) -> tuple[str, ...]:
    """By what it runs, and by the sort of its file if that keeps copies apart."""
    main = hook.spec.get("main")
    if not isinstance(main, str | list):
        return ()
    words = (hook.handler, command_as_key(main), command_as_key(hook.spec.get("args")), str(hook.spec.get("tool", "")))
    return ("\0".join((*words, hook.source.apart)),)


def command_as_key(value: object) -> str:
    return value if isinstance(value, str) else "\0".join(map(str, value)) if isinstance(value, list) else ""


def batches(hooks: Iterable[Hook], order: str) -> tuple[tuple[Hook, ...], ...]:
    chosen = tuple(hooks)
    if not chosen:
        return ()
    return tuple((hook,) for hook in chosen) if ORDERS[order].run(chosen) else (chosen,)


def always(hooks: Sequence[Hook]) -> bool:
    return True


def at_once(hooks: Sequence[Hook]) -> bool:
    return False


def where_marked(hooks: Sequence[Hook]) -> bool:
    return any(hook.sequential for hook in hooks)


# Whether the hooks of an event run one after another.
ORDERS: dict[str, Strategy[Callable[[Sequence[Hook]], bool]]] = {
    "parallel": Strategy(at_once, "the hooks of an event run at once"),
    "sequential": Strategy(always, "the hooks of an event run one after another, in the order of the files"),
    "parallel-unless-sequential": Strategy(
        where_marked, "the hooks of an event run at once, or one after another where one of them says so"
    ),
}
# How hooks are compared: of those that share any of these keys only the first runs.
DEDUPES: dict[str, Strategy[Callable[[Hook], tuple[str, ...]]]] = {
    "command": Strategy(its_command, "command"),
    "name-command": Strategy(its_name_and_command, "name and command"),
    "name-main": Strategy(its_name_and_main, "name and command, prompt or URL, or the same name in the same file"),
    "main": Strategy(its_main, "type and command, prompt or URL"),
}


def merge_event_rules(rules: Sequence[EventRule]) -> EventRule:
    """One rule that allows what any of the events allows, under the name of the first."""
    first, *others = rules
    if not others:
        return first
    return revise(
        first,
        can={what: any(getattr(rule.can, what) for rule in rules) for what in ("block", "ask", "grant")},
        fields=tuple(dict.fromkeys(field for rule in rules for field in rule.fields)),
        merging={
            "changes": merge_tables_first_wins(rule.merging.changes for rule in rules),
            "chain": merge_tables_first_wins(rule.merging.chain for rule in rules),
        },
        overrides={"chain_ends": tuple(dict.fromkeys(end for rule in rules for end in rule.overrides.chain_ends))},
        firing={"after_failures": any(rule.firing.after_failures for rule in rules)},
    )


def merge_tables_first_wins(tables: Iterable[dict[str, str]]) -> dict[str, str]:
    """Merge tables; if two differ, the first counts."""
    found: dict[str, str] = {}
    for table in tables:
        found = {**table, **found}
    return found

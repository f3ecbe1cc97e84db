"""Event + hooks -> Plan: which hooks run, in which batches, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tenterhook.dialect import Dialect, EventRule
from tenterhook.match import NOT_RUN, match, too_long
from tenterhook.match import fits as fits_glob
from tenterhook.types import Event, Hook, Plan, Skipped

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
    """Filter, deduplicate, put in batches.

    `off` is why all hooks are switched off, `overrides` holds (event, agent) pairs whose own hooks replace the
    general ones, `spent` the identities of hooks that run once and have run.
    """
    chosen: list[Hook] = []
    skipped: list[Skipped] = []
    seen: set[str] = set()
    overridden = any((event.name, agent) in overrides for agent in event.agents or ("",))
    for hook in hooks:
        if hook.agent is not None and hook.agent not in (event.agents or ("",)):
            continue
        why = objection(hook, event, dialect, rule, off, overridden, spent)
        if not why and hook.state == "trusted":  # one that does not run must not take the place of one that does
            why = duplicate(hook, dialect.dedupe, seen)
        if why:
            skipped.append(Skipped(hook.name, str(hook.source), why))
        else:
            chosen.append(hook)
    return Plan(
        batches(chosen, dialect.order),
        tuple(skipped),
        (*doubts(event, rule, hooks), *untried(event, rule, chosen, dialect)),
    )


def doubts(event: Event, rule: EventRule, hooks: Sequence[Hook]) -> tuple[str, ...]:
    """A host that forgets to say what the event is about would get past every matcher."""
    if not rule.target or isinstance(event.data.get(rule.target), str) or all(hook.matcher is None for hook in hooks):
        return ()
    return (f"{rule.name} came without {rule.target} as text, which matchers are compared with",)


def untried(event: Event, rule: EventRule, chosen: Sequence[Hook], dialect: Dialect) -> Iterator[str]:
    """The hooks that run because nobody could tell in time whether they should."""
    target = event.data.get(rule.target)
    for hook in chosen:
        test = match(hook.matcher, hook.match_kind or dialect.matcher) if hook.matcher and rule.target else None
        if test and test("" if target is None else str(target)) is NOT_RUN:
            yield UNTRIED.format(hook=hook.name, what=f"matcher {hook.matcher!r}")
        for path, globs in (hook.condition or {}).items():
            value = lookup(path, event.data)
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
    """Why this hook does not run; empty where nothing speaks against it. Untrusted files are set aside first."""
    if not hook.trusted:
        return hook.state
    if hook.overridden or (overridden and hook.agent is None and hook.source.scope != "managed"):
        return "overridden"
    if off or not hook.enabled:
        return "disabled"
    if rule.target and not matches(hook, event.data.get(rule.target), dialect):
        return "matcher"
    if hook.condition and not holds(hook.condition, event.data):
        return "condition"
    if hook.once and id(hook) in spent:
        return "once"
    return ""


def matches(hook: Hook, target: object, dialect: Dialect) -> bool:
    """Of a hook that was modified, also what it would have matched as it was approved."""
    test = match(hook.matcher, hook.match_kind or dialect.matcher)
    if test is None or test("" if target is None else str(target)):
        return True
    before = hook.seal.before if hook.seal else None
    return before is not None and matches(before, target, dialect)


def holds(condition: dict[str, Any], data: dict[str, Any]) -> bool:
    """Every path of the condition leads to a value that one of its globs fits."""
    return all(fits(lookup(path, data), wanted) for path, wanted in condition.items())


def fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, list):
        return any(fits(value, one) for one in wanted)
    if isinstance(wanted, str):
        return value is not None and bool(fits_glob(value if isinstance(value, str) else str(value), wanted))
    return value == wanted and type(value) is type(wanted)


def texts(wanted: object) -> list[str]:
    return [one for one in (wanted if isinstance(wanted, list) else [wanted]) if isinstance(one, str)]


def lookup(path: str, data: object) -> object:
    """The value at a dotted path, or None."""
    for key in path.split("."):
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def duplicate(hook: Hook, key: str, seen: set[str]) -> str:
    """The first of each wins; hooks without the key are all kept."""
    value = hook.spec.get(key) if key else None
    if value is None:
        return ""
    value = value if isinstance(value, str) else "\0".join(value)
    if value in seen:
        return "duplicate"
    seen.add(value)
    return ""


def batches(hooks: Iterable[Hook], order: str) -> tuple[tuple[Hook, ...], ...]:
    chosen = tuple(hooks)
    if not chosen:
        return ()
    one_by_one = order == "sequential" or (order != "parallel" and any(hook.sequential for hook in chosen))
    return tuple((hook,) for hook in chosen) if one_by_one else (chosen,)

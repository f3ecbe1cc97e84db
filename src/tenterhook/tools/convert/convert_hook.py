"""Convert one hook to another dialect: its event, its entry there, and everything that changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from tenterhook.config.entry_keys import MATCHER, key_of
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.tools.check import answers
from tenterhook.tools.convert import commands
from tenterhook.tools.convert.losses import NOTE, Loss
from tenterhook.tools.convert.matching import ConvertedMatcher, convert_matcher
from tenterhook.tools.convert.other_keys import CarriedKeys, carry_hook_settings
from tenterhook.tools.convert.read_hooks import SourceHook


class TargetEntry(Struct, frozen=True):
    """One entry in the target: the event, the keys of its group and its own, the comments above it."""

    taken: SourceHook
    rule: EventRule
    group: dict[str, Any]
    entry: dict[str, Any]
    comments: tuple[str, ...] = ()


class ConvertedHook(Struct, frozen=True):
    """The result for one hook; no entries if the target cannot have it. `unset` are variables that are not provided.

    If it is `carried`, its own command stays, behind the gate.
    """

    taken: SourceHook
    written: tuple[TargetEntry, ...] = ()
    losses: tuple[Loss, ...] = ()
    unset: tuple[str, ...] = ()
    carried: bool = False


def place_hook(taken: SourceHook, source: Dialect, target: Dialect) -> ConvertedHook:
    if not taken.hook.enabled and not any(setter == "enabled" for setter in target.config.form.keys.values()):
        return out(taken, "enabled", f"it is switched off, which {target.title} has no key for; it was left out")
    if taken.hook.agent is not None:
        return out(taken, "agent", f"it is for the agent {taken.hook.agent} alone, which this file cannot say")
    rules = events(taken, source, target)
    if not rules:
        return out(taken, "event", f"{target.title} has no event for {taken.rule.name} ({taken.rule.kind})")
    parts = [entry_at(taken, source, target, rule) for rule in rules]
    return ConvertedHook(
        taken,
        tuple(one for part in parts for one in part.written),
        tuple(dict.fromkeys(loss for part in parts for loss in part.losses)),
        tuple(dict.fromkeys(name for part in parts for name in part.unset)),
    )


def out(taken: SourceHook, name: str, text: str) -> ConvertedHook:
    return ConvertedHook(taken, losses=(taken.loss(name, f"not converted: {text}"),))


def events(taken: SourceHook, source: Dialect, target: Dialect) -> list[EventRule]:
    """The event of the same kind; of several for all tools the one at which answers have most nearly the same effect.

    If there are only events for some tools, all that are for the hook's tools.
    """
    same = [rule for rule in target.events if rule.kind == taken.rule.kind]
    wide = [rule for rule in same if not rule.firing.tools or set(rule.firing.tools) == set(taken.rule.firing.tools)]
    if wide:
        return [min(wide, key=lambda rule: (*apart(taken.rule, rule), unlike(taken.rule, source, rule, target)))]
    return same


def apart(rule: EventRule, to: EventRule) -> tuple[bool, bool]:
    """Whether two events are for different tools, and matched on different fields."""
    return set(rule.firing.tools) != set(to.firing.tools), rule.target.field != to.target.field


def unlike(rule: EventRule, source: Dialect, to: EventRule, target: Dialect) -> int:
    """In how many cases both sides differ."""
    return sum(
        answers.reading(source, rule, made, rule.name, {}) != answers.reading(target, to, made, rule.name, {})
        for made in answers.fitting(rule.kind)
    )


def entry_at(taken: SourceHook, source: Dialect, target: Dialect, to: EventRule) -> ConvertedHook:
    run = commands.run(taken.hook, source, taken.rule, target, to)
    if run.kind is None:
        return ConvertedHook(taken, losses=(taken.loss("type", f"not converted: {run.lost}"),))
    fits = convert_matcher(taken.hook, taken.rule, source, to, target)
    extra = carry_hook_settings(taken, source, target, to, run.kind)
    losses = tuple(collect_losses(taken, run, fits, extra))
    words = (*taken.comments, *extra.comments)
    entries = [
        TargetEntry(taken, to, *keys_of(target, to, run, text, extra), words if not n else ())
        for n, text in enumerate(fits.texts)
    ]
    return ConvertedHook(taken, tuple(entries), losses, run.unset)


def collect_losses(
    taken: SourceHook, run: commands.ConvertedCommand, fits: ConvertedMatcher, extra: CarriedKeys
) -> Iterator[Loss]:
    if fits.lost:
        yield taken.loss(f"matcher {fits.name}", fits.lost)
    if fits.note:
        yield taken.loss("matcher", fits.note, level=NOTE)
    if run.note:
        yield taken.loss("command", run.note, level=NOTE)
    for option in run.dropped:
        yield taken.loss("key", f"{option} has no key there, so it does not count", key=option)
    yield from (taken.loss(name, text, key=key) for name, key, text in extra.lost)
    yield from (taken.loss(name, text, key=key, level=NOTE) for name, key, text in extra.notes)


def keys_of(
    target: Dialect, to: EventRule, run: commands.ConvertedCommand, matcher: str | None, extra: CarriedKeys
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys of the group, and of the entry, in the order in which people write them."""
    form = target.config.form
    assert run.kind is not None
    group = dict(extra.group)
    around = {key_of(form.keys, "event"): to.name} if form.entries else {}
    kind = key_of(form.keys, "type")
    if matcher is not None:
        key = key_of(form.group_keys, *MATCHER) if form.group else ""
        if key:
            group = {key: matcher, **group}
        elif key := key_of(form.keys, *MATCHER):
            around[key] = matcher
    head = {kind: run.kind.name} if kind else {}
    return group, {**around, **head, **run.keys, **extra.entry}

"""Fire the same events on both sides: which hooks run, what each answer does; and for real, if the user trusts them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.engine import Engine
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.simulate import NOTHING_RUNS
from tenterhook.pipeline.environment import DEPTH
from tenterhook.tools.check import answers
from tenterhook.tools.convert import gate_firing
from tenterhook.tools.convert.convert_hook import TargetEntry
from tenterhook.tools.convert.losses import Difference
from tenterhook.tools.convert.native import native
from tenterhook.tools.convert.read_hooks import SourceHook
from tenterhook.tools.convert.rules import RULES
from tenterhook.tools.convert.samples import Sample, samples
from tenterhook.tools.install.canary import SWITCH
from tenterhook.types import Hook, Outcome

Pairs = Sequence[tuple[Hook, TargetEntry]]
RUNS, IDLE = "runs", "does not run"
# The rules about hooks that do not run at the same events.
NAMES, CONDITIONS = 13, 20


def compare_plans(pairs: Pairs, source: Dialect, target: Dialect) -> Iterator[Difference]:
    """Hooks that run on one side and not on the other."""
    here = {id(one.taken): one.taken for _, one in pairs}
    hooks = {key: replace(taken.hook, once=False) for key, taken in here.items()}
    theirs = [(replace(hook, once=False), id(one.taken)) for hook, one in pairs]
    one, other = silent(source, list(hooks.values())), silent(target, [hook for hook, _ in theirs])
    owners = {id(hook): key for hook, key in theirs} | {id(hook): key for key, hook in hooks.items()}
    for rule in distinct_event_rules(here.values()):
        for sample in samples(rule, source, target):
            before = {owners[hook] for hook in running(one, rule, sample.here)}
            after = {
                owners[hook] for to in same_kind(target, rule, sample) for hook in running(other, to, sample.there)
            }
            own = {key for key, taken in here.items() if taken.rule.kind == rule.kind}
            for key in sorted((before ^ after) & own, key=list(here).index):
                if here[key].rule.name == rule.name:
                    to = next(one.rule.name for _, one in pairs if one.taken is here[key])
                    yield run_difference(rule, to, sample, here[key], key in before)


def run_difference(rule: EventRule, to: str, sample: Sample, taken: SourceHook, runs: bool) -> Difference:
    before, after = (RUNS, IDLE) if runs else (IDLE, RUNS)
    hazard = RULES[CONDITIONS if taken.hook.condition else NAMES]
    return Difference(rule.name, to, f"{sample.about}: {taken.hook.name}", before, after, hazard.number, hazard.advice)


def silent(dialect: Dialect, hooks: list[Hook]) -> Engine:
    """An engine with these hooks, which are planned and never run."""
    engine = Engine(dialect=dialect, files=False, environ={}, home="/", **NOTHING_RUNS)
    engine.put(*hooks)
    return engine


def running(engine: Engine, rule: EventRule, data: dict[str, object]) -> set[int]:
    _, plan, _ = engine.plan_event(engine.hookset.event(rule.name), dict(data))
    return {id(hook) for batch in plan.batches for hook in batch}


def distinct_event_rules(taken: Iterable[SourceHook]) -> list[EventRule]:
    return list({one.rule.name: one.rule for one in taken}.values())


def same_kind(target: Dialect, rule: EventRule, sample: Sample) -> list[EventRule]:
    """The target's events of the same kind."""
    found = [one for one in target.events if one.kind == rule.kind]
    return [one for one in found if not one.firing.tools or not sample.tool or sample.tool in one.firing.tools]


def read(pairs: Pairs, source: Dialect, target: Dialect, carried: Collection[int]) -> Iterator[Difference]:
    """Answers that both sides read differently; each pair of events once, unless failures differ.

    `carried` are the hooks behind the gate, by the id of what was taken.
    """
    done = set()
    for hook, one in pairs:
        rule, to = one.taken.rule, one.rule
        behind = id(one.taken) in carried
        key = (rule.name, to.name, *map(str, (one.taken.hook.on_failure, hook.on_failure, behind)))
        if key in done:
            continue
        done.add(key)
        yield from unlike(one.taken, source, hook, to, target, behind=behind)


def unlike(
    taken: SourceHook, source: Dialect, hook: Hook, to: EventRule, target: Dialect, *, behind: bool
) -> Iterator[Difference]:
    """The answers that differ, each under the hazard that causes it: that of a simpler answer that differs too."""
    rule, hazards = taken.rule, dict[str, int]()
    for made in (*answers.fitting(rule.kind), *native(source, rule)):
        before = answers.reading(source, rule, made, rule.name, taken.hook.on_failure)
        if behind:
            after = gate_firing.reading(source, made.did(rule.name), to, target)
        else:
            after = answers.reading(target, to, made, rule.name, hook.on_failure)
        if before != after:
            number = hazards[made.name] = hazards.get(made.like, made.hazard)
            advice = RULES[number].advice if number else ""
            yield Difference(rule.name, to.name, made.name, before, after, number, advice)


def run(hooks: HookSet, pairs: Pairs, target: Dialect, carried: Collection[int]) -> Iterator[Difference]:
    """Run both sides for real: only approved hooks, in the project, with the same events."""
    approved = [(hook, one) for hook, one in pairs if one.taken.hook.trusted]
    trusted = [(as_called(hook) if id(one.taken) in carried else hook, one) for hook, one in approved]
    mine = list({id(one.taken): one.taken.hook for _, one in trusted}.values())
    with live(hooks, hooks.dialect, mine) as one, live(hooks, target, [hook for hook, _ in trusted]) as other:
        for rule in distinct_event_rules([pair.taken for _, pair in trusted]):
            for sample in samples(rule, hooks.dialect, target):
                before = answers.effect(one.fire(rule.name, **sample.here), rule, "")
                for to in same_kind(target, rule, sample):
                    if other.has(to.name):
                        yield from compare_effects(rule, to, sample, before, other.fire(to.name, **sample.there))


def as_called(hook: Hook) -> Hook:
    """A hook behind the gate, called as by an agent: not from inside a hook, and without the server."""
    return replace(hook, env={**hook.env, DEPTH: "0", SWITCH: "off"})


def compare_effects(rule: EventRule, to: EventRule, sample: Sample, before: str, seen: Outcome) -> Iterator[Difference]:
    after = answers.effect(seen, to, "")
    if before != after:
        yield Difference(rule.name, to.name, f"run with {sample.about}", before, after)


def live(hooks: HookSet, dialect: Dialect, wanted: list[Hook]) -> Engine:
    engine = Engine(hooks.project, dialect=dialect, files=False, home=hooks.home, journal=False)
    engine.put(*wanted)
    return engine

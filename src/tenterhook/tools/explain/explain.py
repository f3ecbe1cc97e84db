"""Why each hook of an event would or would not run, and what its answers would do. Nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import handlers
from tenterhook.dialects.schema.dialect import Dialect, EventRule, revise
from tenterhook.dialects.schema.words import CAUSES
from tenterhook.engine.compiled_event import CompiledEvent, planner
from tenterhook.engine.engine import Engine
from tenterhook.pipeline.environment import withheld
from tenterhook.pipeline.payload import in_our_words
from tenterhook.pipeline.target_index import aim
from tenterhook.pipeline.verdict import verdict
from tenterhook.tools.explain.inventory import FileFacts, absent, files, hypothetical_event, missing_handler_reason
from tenterhook.tools.explain.start_method import starting
from tenterhook.tools.explain.whatif import Effect, effects, possible_answers, stop
from tenterhook.tools.explain.whynot import only_if, undecidable_conditions, why_not
from tenterhook.types import Attempt, Event, Hook, Plan, Source

SILENT = "{}; this dialect then skips the hook without a message"
UNCONFINED = (
    "{title} itself would not have confined these hooks: they would read, write and reach what the user can. "
    "`sandbox` in a hook's entry or in the settings says otherwise"
)
# Effects of a stop request that end the agent's loop.
ENDING = ("first", "after")
OTHER_MODE = {"faithful": "strict", "strict": "faithful"}


class EventFacts(Struct, frozen=True, kw_only=True):
    """The event, and what hooks can do there. `value` is what matchers are compared with; None if not given."""

    name: str
    kind: str
    about: str
    can_block: bool
    can_ask: bool
    can_stop: bool
    can_change: list[str]
    target: str
    value: str | None
    usual: list[str]
    match_kind: str


class ExplainedHook(Struct, frozen=True, kw_only=True):
    """One hook of the event. `why` is the plan's reason if it does not run; batch 0 means no batch.

    `only_if` is what its condition requires of data that was not given: it may run.
    """

    hook: str
    type: str
    source: str
    scope: str
    agent: str | None
    matcher: str | None
    match_kind: str
    runs: bool
    why: str
    because: str
    only_if: str
    batch: int
    with_others: list[str]
    timeout: float | None
    once: bool
    background: bool
    on_failure: dict[str, str]
    missing: str
    sandbox: str
    shell: str = ""
    warm: str = ""


class ModeDifference(Struct, frozen=True):
    """What one answer does in the mode in force, and in the other one."""

    what: str
    here: Effect
    there: Effect


class Explanation(Struct, frozen=True, kw_only=True):
    """The whole chain of one event. `kept_back` names the variables that hold secrets and reach no hook undeclared."""

    project: str
    dialect: str
    title: str
    mode: str
    agent: str
    off: str
    event: EventFacts
    files: list[FileFacts]
    hooks: list[ExplainedHook]
    one_after_another: bool
    chain_ends: list[str]
    answers: dict[str, dict[str, Any]]
    effects: list[Effect]
    other_mode: str
    variables: dict[str, int]
    secrets: str
    kept_back: list[str]
    differences: list[ModeDifference]
    notes: list[str]
    warnings: list[str]


def explain(engine: Engine, name: str, data: dict[str, Any]) -> Explanation:
    """Everything about one event of a project. `data` may be given in our words or in the dialect's."""
    dialect, compiled = engine.dialect, engine.hookset.event(name)
    rule = compiled.rule
    event = hypothetical_event(engine, rule, in_our_words(data, compiled.renamed))
    planned = planned_for(engine, compiled, event)
    here = effects(dialect, rule, engine.mode, event.data)
    other = OTHER_MODE.get(engine.mode, dialect.failures.mode)
    there = effects(dialect, rule, other, event.data)
    return Explanation(
        project=engine.project,
        dialect=dialect.name,
        title=dialect.title,
        mode=engine.mode,
        agent=event.agent,
        off=compiled.off or compiled.switched,
        event=event_facts(dialect, rule, event),
        files=files(engine),
        hooks=list(explain_hooks(engine, compiled, event, planned)),
        one_after_another=len(planned.batches) > 1,
        chain_ends=list(dialect.planning.chain_ends),
        answers=possible_answers(dialect, rule),
        effects=here,
        other_mode=other,
        variables={mode: variables(engine, mode, event) for mode in (engine.mode, other)},
        secrets=engine.hookset.settings.secrets,
        kept_back=kept_back(event, compiled),
        differences=[
            ModeDifference(a.what, a, b) for a, b in zip(here, there, strict=True) if a.result() != b.result()
        ],
        notes=[*dialect.notes, *confinement_notes(engine, compiled)],
        warnings=[*engine.warnings, *planned.warnings],
    )


def confinement_notes(engine: Engine, compiled: CompiledEvent) -> Iterator[str]:
    """Where we confine what the agent would not have confined."""
    if not engine.dialect.sandbox.confines and any(engine.confinement.of(hook)[0] for hook in compiled.hooks):
        yield UNCONFINED.format(title=engine.dialect.title)


def event_facts(dialect: Dialect, rule: EventRule, event: Event) -> EventFacts:
    value = aim(rule, event.data)
    return EventFacts(
        name=rule.name,
        kind=rule.kind,
        about=rule.about,
        can_block=rule.can.block,
        can_ask=rule.can.ask,
        can_stop=rule.stop.does in ENDING and bool(stop(dialect, rule)),
        can_change=list(rule.merging.changes),
        target=rule.target.field,
        value=None if value is None else str(value),
        usual=list(rule.target.values),
        match_kind=dialect.planning.matcher if rule.target.field else "",
    )


def planned_for(engine: Engine, compiled: CompiledEvent, event: Event) -> Plan:
    """The engine's own plan. What matchers and conditions ask of data that was not given counts as fitting."""
    each = [part.rule for part in compiled.parts.values()]
    rules = [rule if aim(rule, event.data) is not None else revise(rule, target={"field": ""}) for rule in each]
    hooks = {id(like): (like, hook) for hook in compiled.hooks for like in [drop_unknown_conditions(hook, event)]}
    likes = [like for like, _ in hooks.values()]
    planned = planner(likes, engine.dialect, rules, off=compiled.off, overrides=compiled.overrides).plan(event)
    return replace(planned, batches=tuple(tuple(hooks[id(one)][1] for one in batch) for batch in planned.batches))


def drop_unknown_conditions(hook: Hook, event: Event) -> Hook:
    """The hook without the parts of its condition about data that was not given."""
    unknown = undecidable_conditions(hook, event.data)
    if not unknown:
        return hook
    return replace(hook, condition={path: one for path, one in (hook.condition or {}).items() if path not in unknown})


def explain_hooks(engine: Engine, compiled: CompiledEvent, event: Event, planned: Plan) -> Iterator[ExplainedHook]:
    """Every hook of the event, in the order of the plan, whose skipped hooks stand in that order too."""
    batches = {id(hook): n for n, batch in enumerate(planned.batches, 1) for hook in batch}
    running = list(chain.from_iterable(planned.batches))
    skipped = iter(planned.skipped)
    for hook in compiled.hooks:
        gone = absent(engine, compiled, event, hook)
        batch = batches.get(id(hook), 0)
        if batch:
            why = "missing" if gone and engine.dialect.failures.missing_is_silent else ""
            why = "modified" if hook.state == "modified" else why
        else:
            why = next(skipped).why
        because = SILENT.format(gone) if why == "missing" else why_not(why, hook, event, engine, compiled, running)
        yield ExplainedHook(
            hook=hook.name,
            type=hook.handler,
            source=str(hook.source),
            scope=hook.source.scope,
            agent=hook.agent,
            matcher=hook.matcher,
            match_kind=hook.match_kind or engine.dialect.planning.matcher,
            runs=not why,
            why=why,
            because=because,
            only_if="" if why else only_if(hook, event.data),
            batch=batch,
            with_others=[one.name for one in planned.batches[batch - 1] if one is not hook] if batch else [],
            timeout=hook.timeout,
            once=hook.once,
            background=hook.background,
            on_failure={} if engine.mode == "observe" else policies(hook, compiled),
            missing=gone or missing_handler_reason(hook),
            sandbox=engine.confinement.words(hook),
            **({} if gone else starting(engine, compiled, event, hook)),
        )


def variables(engine: Engine, mode: str, event: Event) -> int:
    """How many environment variables a hook sees in that mode."""
    options: dict[str, Any] = {
        "home": engine.home,
        "secrets": engine.hookset.settings.secrets,
        "journal": False,
        "sandbox": "off",
    }
    other = Engine(dialect=engine.dialect, files=False, mode=mode, environ=event.environ, **options)
    hook = Hook(name="", event=event.name, handler="command", spec={}, source=Source(""))
    [job] = other.prepare(other.hookset.event(event.name).batch((hook,), event))
    return len(job.env())


def kept_back(event: Event, compiled: CompiledEvent) -> list[str]:
    """The names of the variables that are kept from a hook which declares none."""
    hook = Hook(name="", event=event.name, handler="command", spec={}, source=Source(""))
    return sorted(withheld(event, compiled.shape, hook))


def policies(hook: Hook, compiled: CompiledEvent) -> dict[str, str]:
    """What each sort of failure of this hook decides, read off the verdicts of made-up failures."""
    return {
        cause: verdict(build_failed_attempt(cause, hook, compiled), hook, compiled.reading(hook)).decision
        for cause in sorted(CAUSES)
    }


def build_failed_attempt(cause: str, hook: Hook, compiled: CompiledEvent) -> Attempt:
    """An attempt that failed for this cause. Two causes are found in what the hook did, not in an error."""
    if cause == "exit":
        return Attempt(hook.name, hook.handler, "", exit_code=1)
    if cause == "output" and not handlers.traits(hook.handler).reads_answer:
        broken = "".join(f'{{"{key}": ' for key in compiled.reading(hook).guarded[:1])
        return Attempt(hook.name, hook.handler, "", exit_code=0, stdout=broken)
    return Attempt(hook.name, hook.handler, "", error=cause)

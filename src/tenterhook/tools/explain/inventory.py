"""What a project has, without running anything: the locations searched, every hook, and its state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import dialects, handlers
from tenterhook.config.load import naming
from tenterhook.config.locations import ConfigLocation, places
from tenterhook.dialects.schema.dialect import EventRule, revise
from tenterhook.engine.compiled_event import CompiledEvent
from tenterhook.engine.engine import Engine
from tenterhook.engine.hookset import HookSet
from tenterhook.errors import ConfigError
from tenterhook.handlers import script
from tenterhook.pipeline.payload import agents_in
from tenterhook.pipeline.plan import objection
from tenterhook.support import readers
from tenterhook.support.command_line import missing, one_program, substitute_placeholders
from tenterhook.support.scopes import OWN_SCOPES
from tenterhook.tools.agents import hooks_in, words_of
from tenterhook.types import Attempt, Event, Hook, Job


class FileFacts(Struct, frozen=True):
    """One location where config was looked for; its hooks count if it was found and is trusted."""

    path: str
    scope: str
    format: str
    found: bool
    trusted: bool
    hooks: int


class HookFacts(Struct, kw_only=True):
    """One hook as its file has it, and whether it would run at all."""

    event: str
    hook: str
    type: str
    source: str
    scope: str
    state: str
    matcher: str | None
    match_kind: str
    timeout: float | None
    agent: str | None
    condition: dict[str, Any] | None
    once: bool
    background: bool
    sequential: bool
    priority: int
    on_failure: dict[str, str]
    missing: str
    not_for: list[str]


class Inventory(Struct, frozen=True):
    """All hooks of a project in one dialect, by event."""

    project: str
    dialect: str
    mode: str
    off: str
    files: list[FileFacts]
    hooks: list[HookFacts]
    warnings: list[str]


def inventory(engine: Engine) -> Inventory:
    """Hooks in the order of the dialect's events, then in the order in which they are considered."""
    return Inventory(
        engine.project,
        engine.dialect.name,
        engine.mode,
        engine.hookset.off() or engine.ready().off,
        files(engine),
        [hook for rule in engine.dialect.events for hook in hooks_of(engine, rule)],
        list(engine.warnings),
    )


def hooks_of(engine: Engine, rule: EventRule) -> Iterator[HookFacts]:
    compiled = engine.hookset.event(rule.name)
    event = hypothetical_event(engine, rule, {})
    for hook in compiled.hooks:
        gone = absent(engine, compiled, event, hook)
        how = state(engine, compiled, event, hook)
        if how == "runs" and gone and engine.dialect.failures.missing_is_silent:
            how = "missing"
        yield HookFacts(
            event=hook.event,
            hook=hook.name,
            type=hook.handler,
            source=str(hook.source),
            scope=hook.source.scope,
            state=how,
            matcher=hook.matcher,
            match_kind=hook.match_kind,
            timeout=hook.timeout,
            agent=hook.agent,
            condition=hook.condition,
            once=hook.once,
            background=hook.background,
            sequential=hook.sequential,
            priority=hook.priority,
            on_failure=hook.on_failure,
            missing=gone or missing_handler_reason(hook),
            not_for=overriding(compiled, event, hook),
        )


def files(engine: Engine) -> list[FileFacts]:
    hooks = engine.hooks()
    sources = [hook.source.file for hook in hooks]
    return [
        FileFacts(
            place.path,
            place.file.scope,
            place.file.format,
            place.found,
            place.file.scope in OWN_SCOPES or all(hook.trusted for hook in hooks if hook.source.file == place.path),
            sources.count(place.path),
        )
        for place in engine.ready().places
    ]


def elsewhere(hooks: HookSet) -> Iterator[tuple[str, str]]:
    """Files of the project that hold hooks in another dialect, each with the first dialect that reads it."""
    seen: set[str] = set()
    for name in dialects.names():
        dialect = dialects.get(name)
        if dialect.name == hooks.dialect.name:
            continue
        for place in places(dialect, hooks.project, hooks.home, hooks.environ):
            if place.found and place.path not in seen and place.file.scope == "project" and holds_hooks(place):
                seen.add(place.path)
                yield place.path, name


def holds_hooks(place: ConfigLocation) -> bool:
    """Many a pyproject.toml has none. For a broken file, only whether it mentions them can be told."""
    try:
        document = readers.read(place.path, place.file.format, naming(place))
    except ConfigError:
        return any(section.hooks in words_of(place.path) for section in place.file.sections)
    return document is not None and hooks_in(document, place) is not None


def hypothetical_event(engine: Engine, rule: EventRule, data: dict[str, Any]) -> Event:
    """An event that did not happen, for questions about it."""
    agents = (engine.agent,) if engine.agent else agents_in(data, engine.dialect.planning.agent_from)
    return Event(rule.kind, rule.name, data, engine.project, engine.session_id, agents, engine.environ)


def state(engine: Engine, compiled: CompiledEvent, event: Event, hook: Hook) -> str:
    """What speaks against the hook whatever the event's data is; "runs" where nothing does. The plan's own rule."""
    if hook.agent is not None and hook.agent not in event.agents and event.agents:
        return f"for agent {hook.agent}"
    overridden = any((event.name, agent) in compiled.overrides for agent in event.agents)
    unconditional = replace(hook, condition=None)
    rule = revise(compiled.rule, target={"field": ""})
    why = objection(unconditional, event, engine.dialect, rule, compiled.off, overridden, ())
    off = compiled.off or compiled.switched
    if why == "disabled" and off:
        return f"off: {off}"
    if why:
        return why
    if hook.state == "modified":
        return "modified"
    return "runs" if hook.agent in (None, *(event.agents or ("",))) else f"for agent {hook.agent}"


def overriding(compiled: CompiledEvent, event: Event, hook: Hook) -> list[str]:
    """The agents whose own hooks replace this one, where the event is for no agent in particular."""
    if event.agent or hook.agent is not None:
        return []
    return sorted(agent for name, agent in compiled.overrides if name == event.name)


def missing_handler_reason(hook: Hook) -> str:
    known = handlers.get(hook.handler)
    return "" if known else f"this version has no handler for hooks of type {hook.handler!r}, so it fails"


def absent(engine: Engine, compiled: CompiledEvent, event: Event, hook: Hook) -> str:
    """The file that the hook needs and that is not there, as far as can be told without running it."""
    [job] = engine.prepare(compiled.batch((hook,), event))
    if handlers.traits(hook.handler).takes_command_line:
        path = absent_file(job)
        return f"no such program or script: {path}" if path else ""
    if hook.spec["form"] == "script":
        found = script.program(job)
        return found.detail if isinstance(found, Attempt) else ""
    return ""


def absent_file(job: Job) -> str:
    main = job.hook.spec["main"]
    if job.hook.spec.get("placeholders"):
        main = substitute_placeholders(main, job.env())
    if job.hook.spec["form"] == "program":
        return main if missing([one_program(main, job.cwd, job.env().get("HOME", "~"))[-1]], job.env(), job.cwd) else ""
    return missing(main, job.env(), job.cwd)

"""Files of every scope -> hooks that know file, line and scope, and everything that is wrong with the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from tenterhook import entries, readers
from tenterhook.dialect import Dialect, EventRule, Section
from tenterhook.entries import Problem
from tenterhook.errors import ConfigError, nearest
from tenterhook.places import Place, places
from tenterhook.trust import trusted
from tenterhook.types import Hook, Path


class Loaded(Struct):
    """What the files of one project say. `off` is why their hooks are switched off as a whole."""

    hooks: list[Hook] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    overrides: set[tuple[str, str]] = field(default_factory=set)
    off: str = ""


class Found(Struct):
    """One event's value in one file: where it stands and for which agent."""

    event: str
    value: Any
    path: Path
    agent: str | None


def load(
    dialect: Dialect,
    *,
    project: str,
    home: str,
    environ: Mapping[str, str],
    config: str = "",
    trust: str = "ask",
    on_error: str = "raise",
) -> Loaded:
    """Read every place. A broken file raises; of an untrusted file, or with on_error="warn", it is a problem only."""
    loaded = Loaded(places=places(dialect, project, home, environ, config))
    switch = None
    named: dict[str, set[str]] = {}
    for place in loaded.places:
        ours = trusted(place.file.scope, trust)
        document = open_document(place, loaded, quiet=not ours or on_error == "warn")
        if document is None:
            continue
        loaded.problems += strange_keys(document, place)
        for found in sections(document, place, dialect, loaded):
            if ours:
                named.setdefault(found.event, set()).add(place.file.scope)
            add(found, document, place, dialect, loaded, ours)
        if ours and place.file.switches and switch is None and dialect.switch in document.data:
            switch = document.data[dialect.switch]
    if dialect.layers == "override-by-event":
        loaded.hooks = [overridden(hook, named) for hook in loaded.hooks]
    if dialect.switch and switch is not True:
        loaded.off = f"{dialect.switch} is not true"
        loaded.hooks = [replace(hook, enabled=False) for hook in loaded.hooks]
    return loaded


def open_document(place: Place, loaded: Loaded, *, quiet: bool) -> readers.Document | None:
    try:
        return readers.read(place.path, place.file.format, naming(place)) if place.found else None
    except ConfigError as exc:
        if not quiet:
            raise
        loaded.problems.append(Problem("error", exc.file, exc.line, exc.column, exc.message))
        return None


def naming(place: Place) -> tuple[str, ...]:
    """Most agents' files have no hooks, and many no proper YAML: only those that name the key are parsed at all."""
    return tuple(one.hooks for one in place.file.sections) if place.file.format == "frontmatter" else ()


def sections(document: readers.Document, place: Place, dialect: Dialect, loaded: Loaded) -> Iterator[Found]:
    """Every event's value in every section of a file; where entries name their events, the list as a whole."""
    for section in place.file.sections:
        for holder, path, agent in holders(document.data, section, place.path):
            value, inner = dig(holder, section.hooks)
            if value is None:
                continue
            path += inner
            if dialect.form.entries:
                yield Found("", value, path, agent)
            elif isinstance(value, dict):
                yield from (Found(str(event), there, (*path, event), agent) for event, there in value.items())
            else:
                kind = type(value).__name__
                loaded.problems.append(
                    problem(document, path, f"{section.hooks} must be a mapping, not {kind}; its hooks never run")
                )


def strange_keys(document: readers.Document, place: Place) -> Iterator[Problem]:
    """In a file, or a part of one, that is there for hooks alone, any other key is a slip that would cost all hooks."""
    for section in place.file.sections if place.file.hooks_only else ():
        parent, _, leaf = section.hooks.rpartition(".")
        found, path = dig(document.data, parent) if parent else (document.data, ())
        for key in found if isinstance(found, dict) else ():
            if key != leaf and key not in place.file.beside:
                hint = nearest(str(key), [leaf, *place.file.beside])
                yield problem(document, (*path, key), f"unknown key {key!r}{hint}; it is ignored")


def holders(data: dict[str, Any], section: Section, file: str) -> Iterator[tuple[Any, Path, str | None]]:
    """The mappings that may hold hooks, each with the agent they are for."""
    if not section.each:
        agent = str(data.get(section.agent) or stem(file)) if section.agent else None
        yield data, (), agent
        return
    items = data.get(section.each)
    if isinstance(items, dict):
        yield items, (section.each,), str(items.get(section.agent, ""))
    for index, item in enumerate(items if isinstance(items, list) else []):
        if isinstance(item, dict):
            yield item, (section.each, index), str(item.get(section.agent, ""))


def stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def dig(data: Any, dotted: str) -> tuple[Any, Path]:
    path = tuple(dotted.split("."))
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data, path


def add(found: Found, document: readers.Document, place: Place, dialect: Dialect, loaded: Loaded, ours: bool) -> None:
    """The hooks of one event's value."""
    reading = entries.Reading(document, place.file.scope, dialect, found.agent, ours, loaded.problems)
    if dialect.form.entries:
        hooks = reading.entries(found.value, found.path)
    else:
        rule = known_event(found, document, dialect, loaded)
        if rule is None:
            return
        hooks = reading.event(rule, found.value, found.path)
    loaded.hooks += hooks
    if ours and reading.override and found.agent is not None:
        loaded.overrides.add((found.event, found.agent))


def known_event(found: Found, document: readers.Document, dialect: Dialect, loaded: Loaded) -> EventRule | None:
    for rule in dialect.events:
        if rule.name == found.event:
            return rule
    hint = nearest(found.event, [rule.name for rule in dialect.events])
    text = f"{dialect.title} has no event {found.event!r}{hint}; its hooks never run"
    loaded.problems.append(problem(document, found.path, text))
    return None


def overridden(hook: Hook, named: dict[str, set[str]]) -> Hook:
    """A user's hook is out where a project's file names the same event, even with an empty list."""
    out = hook.source.scope == "user" and "project" in named.get(hook.event, ())
    return replace(hook, overridden=True) if out else hook


def problem(document: readers.Document, path: Path, text: str, level: str = "warning") -> Problem:
    line, column = document.where(path)
    return Problem(level, document.file, line, column, text)

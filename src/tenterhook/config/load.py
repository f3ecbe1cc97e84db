"""Files of every scope -> hooks that know file, line and scope, and all problems of the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from tenterhook.config import entries
from tenterhook.config.entries import Problem, problem, type_word
from tenterhook.config.file_trust import FileTrust, is_managed
from tenterhook.config.locations import ConfigLocation, places
from tenterhook.config.settings import SYSTEM, Settings
from tenterhook.config.settings import TABLE as SETTINGS
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Section
from tenterhook.errors import ConfigError, nearest
from tenterhook.support import readers
from tenterhook.types import Hook, Path

# The order of scopes in which a switch counts.
PRECEDENCE = {"defaults": 0, "user": 1, "project": 2, "system": 3, "managed": 4}
# How hooks of several files come together.
OVERRIDE = "override-by-event"
LAYERS = {
    "add": "hooks of all files add up",
    OVERRIDE: "an event that a project's file names replaces the user's hooks of that event",
}
# Scopes of files that are not the user's to write.
SYSTEMS = ("managed", "system")
PROJECT_SETTINGS = "they belong in the user's file or in the system's"


class Directives(Struct):
    """Directives in one file that affect hooks of other files: the global switch, disabled names, overrides."""

    switch: Any = None
    off: bool | None = None
    disabled: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    overrides: list[tuple[str, str]] = field(default_factory=list)

    def as_approval(self) -> dict[str, Any]:
        """As an approval stores them; empty if there are none."""
        found = {"switch": self.switch, "names": sorted(self.names), "overrides": sorted(map(list, self.overrides))}
        found |= {"off": self.off, "disabled": sorted(self.disabled)}
        return {key: value for key, value in found.items() if value not in (None, [])}


class Loaded(Struct):
    """The hooks and problems of a project's files. `unread` are broken files; `off` is why all their hooks are switched
    off.
    """

    hooks: list[Hook] = field(default_factory=list)
    places: list[ConfigLocation] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    overrides: set[tuple[str, str]] = field(default_factory=set)
    words: dict[str, Directives] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    off: str = ""


class EventEntry(Struct):
    """One event's value in one file: its position and its agent."""

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
    settings: Settings | None = None,
    system: str = SYSTEM,
    strict: bool = False,
) -> Loaded:
    """Read every location. A broken file raises; for an untrusted file, or with on_error="warn", it is only a problem.

    The hooks of a broken file for one agent fail.

    If the agent would refuse a whole file for one bad entry, a strict engine still runs the valid hooks.
    """
    loaded = Loaded(places=places(dialect, project, home, environ, config, system))
    standing = FileTrust(dialect, project, home, environ, trust, settings or Settings(), loaded)
    for place in loaded.places:
        if not place.found or not standing.readable(place):
            continue
        document = open_document(place, loaded, dialect, quiet=on_error == "warn" or not standing.counts(place))
        if document is None:
            continue
        strange = list(strange_keys(document, place))
        words = loaded.words[place.path] = Directives()
        before, ruined = len(loaded.hooks), list[Problem]()
        for found in sections(document, place, dialect, loaded):
            ruined += add(found, document, place, dialect, loaded, words)
        ruined += other_version(document, place)
        loaded.problems += [] if place.file.alone else strange
        ruined += strange if place.file.alone else []
        loaded.problems += ruined
        if ruined and not strict:
            del loaded.hooks[before:]
        if place.file.switches:
            switches(document, dialect, words, loaded)
        if place.file.scope in SYSTEMS and document.data.get(dialect.config.switches.only_system) is True:
            words.off = True
        if place.file.own_switch and words.off is not None:
            loaded.hooks[before:] = [
                replace(hook, enabled=hook.enabled and not words.off) for hook in loaded.hooks[before:]
            ]
            words.off = None
    loaded.hooks = standing.hooks(loaded.hooks, complete=not config)
    obey(loaded, dialect, standing)
    return loaded


def other_version(document: readers.Document, place: ConfigLocation) -> Iterator[Problem]:
    """Report a file of a version that the agent does not read."""
    wanted, found = place.file.version, document.data.get("version")
    if wanted and found is not None and (found != wanted or not isinstance(found, int)):
        text = f"version must be {wanted}, not {found!r}; so no hook of this file runs"
        yield problem(document, ("version",), text, "wrong-version", "error")


def switches(document: readers.Document, dialect: Dialect, words: Directives, loaded: Loaded) -> None:
    """A file's directives about whether hooks run at all."""
    if dialect.config.switches.on in document.data:
        words.switch = document.data[dialect.config.switches.on]
    key, value = dialect.config.switches.off
    switch, path = dig(document.data, key) if key else (None, ())
    if isinstance(switch, bool):
        words.off = switch is value
    elif switch is not None:
        text = f"{key} must be true or false, not {switch!r}; it is ignored"
        loaded.problems.append(problem(document, path, text, "wrong-value"))
    names, path = (
        dig(document.data, dialect.config.switches.disabled) if dialect.config.switches.disabled else (None, ())
    )
    if isinstance(names, list):
        words.disabled = [name for name in names if isinstance(name, str)]
    elif names is not None:
        text = f"{dialect.config.switches.disabled} must be a list of names, not {names!r}; it is ignored"
        loaded.problems.append(problem(document, path, text, "wrong-value"))


def obey(loaded: Loaded, dialect: Dialect, standing: FileTrust) -> None:
    """Apply the directives of all files, as far as they count. Only the system switches off its own hooks."""
    switch = None
    named: dict[str, set[str]] = {}
    all_words = [(place, standing.words(place, loaded.words.get(place.path))) for place in loaded.places]
    for place, words in all_words:
        for event in words.names:
            named.setdefault(event, set()).add(place.file.scope)
        loaded.overrides.update(words.overrides)
        switch = words.switch if switch is None else switch
    if dialect.config.layers == OVERRIDE:
        loaded.hooks = [overridden(hook, named) for hook in loaded.hooks]
    if dialect.config.switches.on and switch is not True:
        loaded.off = f"{dialect.config.switches.on} is not true"
    elif off(all_words):
        key, value = dialect.config.switches.off
        loaded.off = f"{key} is {str(value).lower()}"
    disabled = {name for _, words in all_words for name in words.disabled}
    if loaded.off or disabled:
        loaded.hooks = [
            replace(hook, enabled=False)
            if not is_exempt_from_disabling(hook, dialect) and (loaded.off or hook.name in disabled)
            else hook
            for hook in loaded.hooks
        ]


def is_exempt_from_disabling(hook: Hook, dialect: Dialect) -> bool:
    """Whether only its own file may switch it off."""
    return is_managed(hook) or (dialect.config.switches.system_stays and hook.source.scope in SYSTEMS)


def off(all_words: list[tuple[ConfigLocation, Directives]]) -> bool:
    """Whether hooks are off: the highest scope counts, and within a scope the last file."""
    switches = [(PRECEDENCE[place.file.scope], words.off) for place, words in all_words if words.off is not None]
    return bool(switches) and max(reversed(switches), key=lambda one: one[0])[1] is True


def open_document(place: ConfigLocation, loaded: Loaded, dialect: Dialect, *, quiet: bool) -> readers.Document | None:
    """Parse a file. If a file for one agent is broken, that agent's hooks fail, and the others run."""
    try:
        return readers.read(place.path, place.file.format, naming(place)) if place.found else None
    except ConfigError as exc:
        if not quiet and place.file.format != "frontmatter":
            raise
        if not quiet:
            from tenterhook.config.unreadable import failing_hooks

            loaded.hooks += failing_hooks(place, exc, dialect)
        loaded.problems.append(Problem("error", exc.file, exc.line, exc.column, exc.message, "broken-file"))
        loaded.unread.add(place.path)
        return None


def naming(place: ConfigLocation) -> tuple[str, ...]:
    """Most agents' files have no hooks, and many are not valid YAML: only those that name the key are parsed."""
    return tuple(one.hooks for one in place.file.sections) if place.file.format == "frontmatter" else ()


def sections(
    document: readers.Document, place: ConfigLocation, dialect: Dialect, loaded: Loaded
) -> Iterator[EventEntry]:
    """Every event's value in every section of a file; if entries name their events, the whole list."""
    for section in place.file.sections:
        for holder, path, agent in holders(document.data, section, place.path):
            value, inner = dig(holder, section.hooks)
            called = section.renames
            if value is None:
                continue
            path += inner
            if dialect.config.form.entries:
                yield EventEntry("", value, path, agent)
            elif isinstance(value, dict):
                yield from (
                    EventEntry(called.get(str(event), str(event)), there, (*path, event), agent)
                    for event, there in value.items()
                )
            else:
                text = f"{section.hooks} must be a mapping, not {type_word(value)}; its hooks never run"
                loaded.problems.append(problem(document, path, text, "malformed-entry"))


def strange_keys(document: readers.Document, place: ConfigLocation) -> Iterator[Problem]:
    """In a file, or a section, that is only for hooks, any other key is a mistake that would cost all hooks."""
    level, cost = ("error", "so no hook of this file runs") if place.file.alone else ("warning", "it is ignored")
    for section in place.file.sections if place.file.hooks_only else ():
        parent, _, leaf = section.hooks.rpartition(".")
        found, path = dig(document.data, parent) if parent else (document.data, ())
        for key in found if isinstance(found, dict) else ():
            if key == SETTINGS and place.file.scope == "project":
                text = f"{key} of a project are ignored: {PROJECT_SETTINGS}"
                yield problem(document, (*path, key), text, "project-settings")
            elif key != leaf and key not in place.file.beside:
                hint = nearest(str(key), [leaf, *place.file.beside])
                yield problem(document, (*path, key), f"unknown key {key!r}{hint}; {cost}", "unknown-key", level)


def holders(data: dict[str, Any], section: Section, file: str) -> Iterator[tuple[Any, Path, str | None]]:
    """The mappings that may hold hooks, each with the agent they are for."""
    if not section.each:
        usual = stem(file.rpartition("/")[0] + ".") if section.by_folder else stem(file)
        agent = str(data.get(section.agent) or usual) if section.agent else None
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


def add(
    found: EventEntry,
    document: readers.Document,
    place: ConfigLocation,
    dialect: Dialect,
    loaded: Loaded,
    words: Directives,
) -> list[Problem]:
    """Add the hooks of one event's value and its directives; returns why the agent refuses the file."""
    reading = entries.EntryReader(document, place.file.scope, dialect, found.agent, loaded.problems, place.file)
    if dialect.config.layers == OVERRIDE:
        words.names.append(found.event)
    if dialect.config.form.entries:
        hooks = reading.entries(found.value, found.path)
    else:
        rule = known_event(found, document, dialect, loaded, place.file.beside)
        if rule is None:
            return []
        hooks = reading.event(rule, found.value, found.path)
    loaded.hooks += hooks
    if reading.override and found.agent is not None:
        words.overrides.append((found.event, found.agent))
    return reading.ruined


def known_event(
    found: EventEntry, document: readers.Document, dialect: Dialect, loaded: Loaded, beside: tuple[str, ...]
) -> EventRule | None:
    for rule in dialect.events:
        if rule.name == found.event:
            return rule
    if found.event in beside:
        return None
    hint = nearest(found.event, [rule.name for rule in dialect.events])
    text = f"{dialect.title} has no event {found.event!r}{hint}; its hooks never run"
    loaded.problems.append(problem(document, found.path, text, "unknown-event"))
    return None


def overridden(hook: Hook, named: dict[str, set[str]]) -> Hook:
    """A user's hook is replaced if a project's file names the same event, even with an empty list."""
    out = hook.source.scope == "user" and "project" in named.get(hook.event, ())
    return replace(hook, overridden=True) if out else hook

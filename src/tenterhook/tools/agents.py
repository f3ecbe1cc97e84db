"""The agents that have hook files in a project or at its user, each with its hooks; those in use on this machine first.

An agent is in use if its own traces are there, such as its program or its folder at home: they are the dialect's data.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from shutil import which

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.config.load import dig, holders, naming, strange_keys
from tenterhook.config.locations import ConfigLocation, moved_home, places, resolve_config_path
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import ConfigError
from tenterhook.support import readers
from tenterhook.support.files import beginning
from tenterhook.support.readers import Document
from tenterhook.types import Path

# The format of a file by its extension.
EXTENSIONS = {".json": "jsonc", ".jsonc": "jsonc", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}
# How much of a broken file is searched for hooks.
LOOKED_AT = 1 << 20


class AgentHooks(Struct, frozen=True):
    """The hooks of one agent. `files`: those with hooks in them; `own`: not all of them are another agent's."""

    hooks: HookSet
    files: tuple[str, ...]
    in_use: bool
    own: bool

    @property
    def dialect(self) -> Dialect:
        return self.hooks.dialect


def all_agents(options: EngineOptions, names: Iterable[str] = ()) -> list[AgentHooks]:
    """Every agent that there is a dialect of, or those of these names, whether it has files here or not."""
    found = [find_agent(HookSet(replace(options, dialect=name))) for name in names or dialects.names()]
    return sorted(found, key=lambda one: (not one.in_use, not one.own, one.dialect.name))


def find_agents(options: EngineOptions, names: Sequence[str] = ()) -> list[AgentHooks]:
    """The agents with hook files here. One that only reads another's files counts if it is in use, or is named."""
    return [one for one in all_agents(options, names) if one.files and (one.own or one.in_use or names)]


def find_agent(hooks: HookSet) -> AgentHooks:
    found = [place for place in places_of(hooks) if place.found and may_hold_hooks(place, hooks.dialect)]
    files = [place.path for place in found]
    beside = [path for path, _, _ in unread_files(places_of(hooks))] if not hooks.config else []
    own = bool(beside) or any(not place.file.borrowed for place in found)
    return AgentHooks(hooks, (*files, *beside), is_in_use(hooks), own)


def places_of(hooks: HookSet) -> list[ConfigLocation]:
    return places(hooks.dialect, hooks.project, hooks.home, hooks.environ, hooks.config, hooks.options.system)


def is_in_use(hooks: HookSet) -> bool:
    traces, path = hooks.dialect.config.traces, hooks.environ.get("PATH", "")
    return any(which(program, path=path) for program in traces.programs) or any(
        os.path.exists(one) for one in trace_paths(hooks.dialect, hooks.project, hooks.home, hooks.environ)
    )


def trace_paths(dialect: Dialect, project: str, home: str, environ: Mapping[str, str]) -> Iterator[str]:
    for path in dialect.config.traces.paths:
        moved = moved_home(f"{path}/", dialect, environ).rstrip("/")
        yield resolve_config_path(moved, project, home, environ)


def may_hold_hooks(place: ConfigLocation, dialect: Dialect) -> bool:
    """Whether the file has hooks, is for nothing else, or has the names of events where the hooks should be.

    Of a broken file only its words can be told.
    """
    try:
        document = readers.read(place.path, place.file.format, naming(place))
    except ConfigError:
        return any(section.hooks.rpartition(".")[2] in words_of(place.path) for section in place.file.sections)
    if document is None:
        return False
    found = hooks_in(document, place) is not None or any(misplaced_events(document, place, dialect))
    return found or (place.file.hooks_only and any(strange_keys(document, place)))


def unread_files(all_places: Sequence[ConfigLocation]) -> Iterator[tuple[str, Document, ConfigLocation]]:
    """Files with hooks in them, next to a path that is read, under an extension that is not."""
    read = {place.path for place in all_places}
    for place in all_places:
        base, extension = os.path.splitext(place.path)
        for other, format in EXTENSIONS.items():
            path = base + other
            if extension in EXTENSIONS and path not in read and os.path.isfile(path):
                read.add(path)
                document = readers.read_if_valid(path, format)
                if document and hooks_in(document, place) is not None:
                    yield path, document, place


def words_of(path: str) -> str:
    try:
        return beginning(path, LOOKED_AT)
    except OSError:
        return ""


def hooks_in(document: Document, place: ConfigLocation) -> Path | None:
    """The position at which the file has what the dialect's own file would have for hooks."""
    for section in place.file.sections:
        for holder, path, _ in holders(document.data, section, place.path):
            value, inner = dig(holder, section.hooks)
            if value:
                return (*path, *inner)
    return None


def misplaced_events(document: Document, place: ConfigLocation, dialect: Dialect) -> Iterator[str]:
    """Events with hooks at the top of the file, where the agent looks for them under a key.

    In a file that is for hooks only case does not count: it can be nothing else.
    """
    nested = [section for section in place.file.sections if section.hooks and not section.each]
    events = {rule.name for rule in dialect.events}
    folded = {name.lower() for name in events} if place.file.hooks_only else set()
    if dialect.config.form.entries or not nested:
        return
    for key, value in document.data.items():
        if value and isinstance(value, list | dict) and (key in events or str(key).lower() in folded):
            yield str(key)


def dialects_of_file(path: str) -> list[str]:
    """The agents whose file this could be, by its name and by the events in it; the most likely first."""
    full = os.path.abspath(path)
    scores = {name: score_file(full, dialects.get(name)) for name in dialects.names()}
    best = max(scores.values(), default=(0, 0, 0))
    return [name for name, score in scores.items() if score == best and any(score)]


def score_file(path: str, dialect: Dialect) -> tuple[int, int, int]:
    """Whether the path is one of the dialect's own, how many of its events are known, whether the file has hooks."""
    most = (0, 0, 0)
    for file in dialect.config.files:
        if os.path.splitext(path)[1].lower() != os.path.splitext(file.path)[1].lower():
            continue
        named = int(not file.borrowed and is_named(path, file.path))
        document = readers.read_if_valid(path, file.format)
        if document is None:
            most = max(most, (named, 0, 0))
            continue
        place = ConfigLocation(path, file, True)
        there = hooks_in(document, place)
        value = dig_path(document.data, there) if there is not None else None
        events = {rule.name for rule in dialect.events}
        known = len(events & value.keys()) if isinstance(value, dict) else int(isinstance(value, list))
        held = known or len(list(misplaced_events(document, place, dialect)))
        most = max(most, (named, held, int(held > 0 and not file.borrowed)))
    return most


def is_named(path: str, pattern: str) -> bool:
    """Whether a path ends as a dialect's file does, or is in its folder; a plugin's file has a folder of its own."""
    folder, star, _ = pattern.removeprefix("~/").removeprefix("@config/").partition("*")
    if not star:
        return path.endswith(f"/{folder}")
    rest = pattern.rpartition("*")[2]
    return f"/{folder}" in path or (rest.count("/") > 0 and path.endswith(rest))


def plugin_files(project: str) -> list[str]:
    """Hook files of a plugin whose folder the project is: no agent reads them there."""
    files = (file for name in dialects.names() for file in dialects.get(name).config.files if file.origin == "plugin")
    rests = dict.fromkeys(file.path.rpartition("*")[2].lstrip("/") for file in files)
    return [rest for rest in rests if "/" in rest and os.path.isfile(os.path.join(project, rest))]


def dig_path(data: object, path: Path) -> object:
    for key in path:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int):
            data = data[key]
    return data

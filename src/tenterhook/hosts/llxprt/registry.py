"""The hooks of one config: the engine's own registry, under the names of the document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config import load as config
from tenterhook.config.load import Loaded, Words
from tenterhook.config.locations import Place
from tenterhook.dialects.llxprt import DIALECT
from tenterhook.dialects.schema.dialect import File, revise
from tenterhook.engine.engine import Engine
from tenterhook.engine.hook_log import untrusted_key
from tenterhook.errors import UsageError
from tenterhook.hosts.llxprt.names import ConfigSource
from tenterhook.support import logs
from tenterhook.support.readers import Document
from tenterhook.types import Hook, Path

if TYPE_CHECKING:
    from tenterhook.hosts.llxprt.config import Config

log = logs.redacting_logger("tenterhook.llxprt")

# The host has decided that hooks are on, so no file is asked.
SWITCHED_ON = revise(DIALECT, config={"switches": {"on": ""}})
GIVEN = Place("hooks of the config", File(path="hooks of the config", scope="code", format="json"), True)


class HookRegistryNotInitializedError(UsageError):
    """The registry was asked for hooks before `initialize`."""


class HookRegistryEntry(Struct, frozen=True):
    """One hook of the registry, with where it comes from."""

    hook: Hook
    source: ConfigSource

    @property
    def name(self) -> str:
        return self.hook.name

    @property
    def event_name(self) -> str:
        return self.hook.event

    @property
    def matcher(self) -> str | None:
        return self.hook.matcher

    @property
    def sequential(self) -> bool:
        return self.hook.sequential

    @property
    def enabled(self) -> bool:
        return self.hook.enabled

    @property
    def config(self) -> dict[str, Any]:
        """What an entry in settings.json says of it, with the time-out in milliseconds."""
        hook, command = self.hook, self.hook.spec.get("command")
        said = {"type": hook.handler, "name": "" if hook.name == command else hook.name, "command": command}
        limit = {} if hook.timeout is None else {"timeout": round(hook.timeout * 1000)}
        return {key: value for key, value in said.items() if value} | limit


def hook_of(one: Hook | HookRegistryEntry) -> Hook:
    return one.hook if isinstance(one, HookRegistryEntry) else one


class HostedEngine(Engine):
    """An engine whose hooks come from its host, in the form that settings files have, or else from those files."""

    def __init__(self, project: str, hooks: dict[str, Any] | None, **options: Any) -> None:
        super().__init__(project, dialect=SWITCHED_ON, on_config_error="warn", **options)
        self.given = hooks

    def read(self, on_error: str = "") -> Loaded:
        return super().read(on_error) if self.given is None else load_hooks_mapping(self.given)


def load_hooks_mapping(hooks: dict[str, Any]) -> Loaded:
    """What a mapping says, by the reader of files. There are no lines to point at."""
    document = Document(GIVEN.path, {"hooks": hooks}, nowhere)
    found = Loaded(places=[GIVEN])
    for section in config.sections(document, GIVEN, SWITCHED_ON, found):
        config.add(section, document, GIVEN, SWITCHED_ON, found, Words())
    return found


def nowhere(path: Path) -> tuple[int, int]:
    return 0, 0


def engine_of(part: Engine | Config | HookRegistry | None) -> Engine:
    """What a part is a view of: an engine, that of a config or of another part, or one without any hooks."""
    if part is None:
        return Engine(files=False, dialect=SWITCHED_ON)
    if isinstance(part, Engine):
        return part
    if isinstance(part, HookRegistry):
        return part.engine
    return HostedEngine(part.project, part.own_hooks(), session=part.get_session_id(), **part.options)


def settings_of(engine: Engine) -> dict[str, Any]:
    """The hooks of an engine's settings files that count, in the form of the key `hooks` of such a file."""
    registry = HookRegistry(engine)
    found: dict[str, dict[Any, dict[str, Any]]] = {}
    for entry in registry.entries(engine.hooks()):
        source = entry.hook.source
        if entry.source is ConfigSource.EXTENSIONS or source.scope == "code" or not entry.hook.trusted:
            continue
        said = {"matcher": entry.matcher, "sequential": entry.sequential or None}
        group: dict[str, Any] = {key: value for key, value in said.items() if value is not None} | {"hooks": []}
        place = (source.file, source.path[:-2])
        found.setdefault(entry.event_name, {}).setdefault(place, group)["hooks"].append(entry.config)
    return {event: list(groups.values()) for event, groups in found.items()}


class HookRegistry:
    """What hooks there are. Wrong entries are left out, with a warning in the log."""

    def __init__(self, engine: Engine | Config) -> None:
        self.engine = engine_of(engine)
        self.initialized = False

    def initialize(self) -> None:
        self.engine.ready()
        for text in self.engine.warnings:
            log.warning("%s", text)
        aside = [hook for hook in self.engine.hooks() if not hook.trusted]
        if aside:
            log.warning(
                "hooks of the project that are not trusted and do not run: %d; Config(trust='all') runs them",
                len(aside),
            )
        self.engine.warned.update(self.engine.warnings)
        self.engine.warned.update(untrusted_key(hook.event, hook.name, str(hook.source)) for hook in aside)
        self.initialized = True

    def get_hooks_for_event(self, event_name: str) -> tuple[HookRegistryEntry, ...]:
        """Those that can run, in the order in which they do."""
        name = self.engine.rule(event_name).name
        self.check()
        return self.entries(hook for hook in self.engine.registry.hooks(name) if hook.enabled and hook.trusted)

    def get_all_hooks(self) -> tuple[HookRegistryEntry, ...]:
        self.check()
        return self.entries(self.engine.hooks())

    def entries(self, hooks: Iterable[Hook]) -> tuple[HookRegistryEntry, ...]:
        """Hooks with their sources: extensions are found by a pattern, all other files are settings."""
        extensions = {place.path for place in self.engine.ready().places if "*" in place.file.path}
        return tuple(
            HookRegistryEntry(hook, ConfigSource.EXTENSIONS if hook.source.file in extensions else ConfigSource.PROJECT)
            for hook in hooks
        )

    def set_hook_enabled(self, name: str, enabled: bool) -> None:
        """Switch every hook of that name, which is its command where it has no other. Their order stays."""
        self.check()
        engine = self.engine
        with engine.lock:  # an event that comes now waits until all are back
            there = engine.hooks()
            if all(hook.name != name for hook in there):
                raise UsageError(f"no hook is called {name!r}")
            for hook in there:
                engine.take(hook)
            engine.put(*(replace(hook, enabled=enabled) if hook.name == name else hook for hook in there))

    def check(self) -> None:
        if not self.initialized:
            raise HookRegistryNotInitializedError("the hook registry knows no hooks yet: call initialize() first")

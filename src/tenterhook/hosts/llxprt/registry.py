"""The hooks of one config: the engine's own registry, under the names of the document."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config import load as config
from tenterhook.config.load import Directives, Loaded
from tenterhook.config.locations import ConfigLocation
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

# The host has decided that hooks are on, so the switch in the files is not read.
SWITCHED_ON = revise(DIALECT, config={"switches": {"on": ""}})
GIVEN = ConfigLocation("hooks of the config", File(path="hooks of the config", scope="code", format="json"), True)


class HookRegistryNotInitializedError(UsageError):
    """`initialize` was not called before the registry was used."""


class HookRegistryEntry(Struct, frozen=True):
    """One hook of the registry, with its source."""

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
        """The hook as an entry in settings.json, with the time-out in milliseconds."""
        hook, command = self.hook, self.hook.spec.get("command")
        fields = {"type": hook.handler, "name": "" if hook.name == command else hook.name, "command": command}
        limit = {} if hook.timeout is None else {"timeout": round(hook.timeout * 1000)}
        return {key: value for key, value in fields.items() if value} | limit


def hook_of(one: Hook | HookRegistryEntry) -> Hook:
    return one.hook if isinstance(one, HookRegistryEntry) else one


def hosted_engine(project: str, hooks: dict[str, Any] | None, **options: Any) -> Engine:
    """An engine whose hooks come from its host, in the form of settings files, or else from those files."""
    engine = Engine(project, dialect=SWITCHED_ON, on_config_error="warn", **options)
    if hooks is not None:
        engine.hookset.source = partial(load_hooks_mapping, hooks)
    return engine


def load_hooks_mapping(hooks: dict[str, Any]) -> Loaded:
    """Load the hooks of a mapping with the reader of files. There are no lines to point at."""
    document = Document(GIVEN.path, {"hooks": hooks}, nowhere)
    found = Loaded(places=[GIVEN])
    for section in config.sections(document, GIVEN, SWITCHED_ON, found):
        config.add(section, document, GIVEN, SWITCHED_ON, found, Directives())
    return found


def nowhere(path: Path) -> tuple[int, int]:
    return 0, 0


def engine_of(part: Engine | Config | HookRegistry | None) -> Engine:
    """The engine of a part: the given one, that of a config or of another part, or one without hooks."""
    if part is None:
        return Engine(files=False, dialect=SWITCHED_ON)
    if isinstance(part, Engine):
        return part
    if isinstance(part, HookRegistry):
        return part.engine
    return hosted_engine(part.project, part.own_hooks(), session=part.get_session_id(), **part.options)


def settings_of(engine: Engine) -> dict[str, Any]:
    """The hooks of an engine's settings files, in the form of the key `hooks` of such a file."""
    registry = HookRegistry(engine)
    found: dict[str, dict[Any, dict[str, Any]]] = {}
    for entry in registry.entries(engine.hooks()):
        source = entry.hook.source
        if entry.source is ConfigSource.EXTENSIONS or source.scope == "code" or not entry.hook.trusted:
            continue
        fields = {"matcher": entry.matcher, "sequential": entry.sequential or None}
        group: dict[str, Any] = {key: value for key, value in fields.items() if value is not None} | {"hooks": []}
        place = (source.file, source.path[:-2])
        found.setdefault(entry.event_name, {}).setdefault(place, group)["hooks"].append(entry.config)
    return {event: list(groups.values()) for event, groups in found.items()}


class HookRegistry:
    """The hooks of an engine. Wrong entries are left out, with a warning in the log."""

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
        """The hooks that can run, in their order."""
        name = self.engine.rule(event_name).name
        self.check()
        return self.entries(hook for hook in self.engine.hookset.registry.hooks(name) if hook.enabled and hook.trusted)

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
        """Switch every hook of that name on or off; a hook without a name is named by its command. The order stays."""
        self.check()
        engine = self.engine
        with engine.lock:  # an event that is fired now waits until all are back
            there = engine.hooks()
            if all(hook.name != name for hook in there):
                raise UsageError(f"no hook is called {name!r}")
            for hook in there:
                engine.take(hook)
            engine.put(*(replace(hook, enabled=enabled) if hook.name == name else hook for hook in there))

    def check(self) -> None:
        if not self.initialized:
            raise HookRegistryNotInitializedError("the hook registry knows no hooks yet: call initialize() first")

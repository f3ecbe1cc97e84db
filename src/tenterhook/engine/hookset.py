"""The hooks of one project in one dialect: settings, files that are read once, hooks that code added."""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Callable

from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.config import load as config
from tenterhook.config.load import Loaded
from tenterhook.config.settings import CHOICES as SETTINGS
from tenterhook.config.settings import Settings, settings
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.compiled_event import CompiledEvent, compile_event
from tenterhook.engine.options import EngineOptions
from tenterhook.engine.registry import Registry
from tenterhook.errors import UnknownEvent, UsageError, check_choice, folder, nearest
from tenterhook.pipeline.environment import depth
from tenterhook.pipeline.failure_policy import MODES
from tenterhook.pipeline.plan import merge_event_rules
from tenterhook.support.off_switch import switched_off
from tenterhook.types import Hook


class HookSet:
    """The hooks of a project, read on first use. `runs` says that the hooks will run and are not only listed."""

    # A loader that replaces the files.
    source: Callable[[], Loaded] | None = None

    def __init__(self, options: EngineOptions, *, runs: bool = False) -> None:
        self.options, self.runs = options, runs
        named = options.dialect
        self.dialect = dialects.check_words(named) if isinstance(named, Dialect) else dialects.get(named)
        self.project = folder(options.project) if options.files else os.path.abspath(options.project)
        self.environ = os.environ if options.environ is None else options.environ
        home = options.home
        self.home = os.fspath(home) if home is not None else self.environ.get("HOME") or os.path.expanduser("~")
        self.config = os.fspath(options.config) if options.config is not None else ""
        self.mode = options.mode or self.dialect.failures.mode
        check_choice("mode", self.mode, tuple(MODES))
        self.session_id = options.session or os.urandom(16).hex()
        self.made_settings: Settings | None = None
        self.loaded: Loaded | None = None
        self.stale = ""  # why the files in force are not the current ones
        self.registry = Registry()
        self.merged: dict[str, EventRule] = {}
        self.compiled: dict[str, CompiledEvent] = {}
        self.tapped = False  # whether the host listens to all outcomes, including those of events without hooks
        self.lacks: set[str] = set()
        self.lock = RLock()  # `threading` itself is not needed, and takes long to import

    def put(self, *hooks: Hook) -> None:
        with self.lock:
            self.registry.add(*hooks)
            self.compiled = {}

    def take(self, hook: Hook) -> None:
        with self.lock:
            self.registry.remove(hook)
            self.compiled = {}

    def event(self, name: str) -> CompiledEvent:
        """An event with its hooks, ready to be planned."""
        return self.compiled.get(name) or self.compile(name)

    def compile(self, event: str) -> CompiledEvent:
        with self.lock:
            made = compile_event(self, self.rules(event), tapped=self.tapped)
            names = (event,) if made.several else (event, made.rule.name)
            self.compiled = {**self.compiled, **dict.fromkeys(names, made)}
            return made

    def has(self, event: str) -> bool:
        """Whether the dialect has this event; hosts that serve every dialect fire only those."""
        if event in self.compiled:
            return True
        if event not in self.lacks and not self.find_rules(event):
            self.lacks.add(event)
        return event not in self.lacks

    def listens(self, event: str) -> bool:
        """Whether a hook or a tap waits for this event."""
        return (event in self.compiled or self.has(event)) and self.event(event).listened

    def hooks(self) -> list[Hook]:
        """All hooks, by event, in the order in which they are considered."""
        self.ready()
        return self.registry.all()

    def rule(self, event: str) -> EventRule:
        """The event of that name, or what all events of that kind can do together."""
        known = self.merged.get(event)
        if known is None:
            known = self.merged[event] = merge_event_rules(self.rules(event))
        return known

    def rules(self, event: str) -> tuple[EventRule, ...]:
        rules = self.find_rules(event)
        if not rules:
            from tenterhook.author.kinds import EVENTS

            known = [name for rule in self.dialect.events for name in (rule.name, rule.kind)]
            known += [name for name in sorted(EVENTS, reverse=True) if self.find_rules(name)]
            raise UnknownEvent(f"{self.dialect.title} has no event {event!r}{nearest(event, known)}")
        return rules

    def find_rules(self, event: str) -> tuple[EventRule, ...]:
        """By the dialect's own name, by kind, or by the name that another agent has for an event of a kind."""
        found = self.dialect.rules(event)
        if not found:
            from tenterhook.author.kinds import EVENTS

            found = self.dialect.rules(EVENTS[event]) if event in EVENTS else ()
        return found

    def ready(self) -> Loaded:
        """Read the files, once."""
        if self.loaded is None:
            with self.lock:
                if self.loaded is None:
                    loaded = self.read() if self.options.files else Loaded()
                    self.registry.add(*loaded.hooks)
                    self.loaded = loaded
        return self.loaded

    def judge(self, hooks: list[Hook]) -> list[Hook]:
        """Hooks of a file that a caller names, with their states: they need approval like those of a config file."""
        from tenterhook.config.file_trust import judge_named

        options, settings = self.options, self.settings
        return judge_named(hooks, self.dialect, self.project, self.home, self.environ, options.trust, settings)

    def read(self, on_error: str = "") -> Loaded:
        if self.source is not None:
            return self.source()
        options = self.options
        if self.runs and options.trust == "all" and not self.settings.bypass:
            raise UsageError(f"{options.system} does not allow hooks without approval: tenter trust approves them")
        loaded = config.load(
            self.dialect,
            project=self.project,
            home=self.home,
            environ=self.environ,
            config=self.config,
            trust=options.trust,
            on_error=on_error or options.on_config_error,
            settings=self.settings,
            system=options.system,
            strict=self.mode == "strict",
        )
        return loaded if options.warm else replace(loaded, hooks=[replace(hook, warm=False) for hook in loaded.hooks])

    @property
    def settings(self) -> Settings:
        """The settings of user and system for all hooks, and the host's, which outrank the user's."""
        if self.made_settings is None:
            options = self.options
            ours = {name: getattr(options, name) for name in SETTINGS if getattr(options, name)}
            if options.journal is not None:
                ours["journal"] = options.journal is not False
            self.made_settings = settings(self.home, self.environ, options.system, **ours)
        return self.made_settings

    def off(self) -> str:
        """Why no hook runs at all, not even the host's own functions; empty if hooks run."""
        if depth(self.environ):
            return switched_off(self.environ) or "this process is itself a hook: hooks do not run inside hooks"
        return switched_off(self.environ)

    def managed_stay(self) -> bool:
        """Whether managed hooks still run if a variable of the user's switches hooks off.

        Inside a hook they run, too: a user can set the variable that says so.
        """
        return not (self.settings.managed_off and switched_off(self.environ))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Mistakes in the config files, and anything outside of them that switched hooks off."""
        loaded, off = self.ready(), self.off()
        if off and self.managed_stay() and any(hook.source.scope == "managed" for hook in loaded.hooks):
            off += " but the system's own"
        return (*map(str, loaded.problems), *(text for text in (self.stale, off) if text))

    def label(self, name: str) -> str:
        """The label of a hook in texts: without secrets, and its file's name if its command is its name."""
        known = self.registry.labels.get(name)
        if known is None:
            from tenterhook.pipeline.hook_labels import label

            known = self.registry.labels[name] = label(name, self.registry.all(), self.environ)
        return known

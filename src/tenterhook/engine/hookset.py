"""The hooks of one project in one dialect: settings, files read once, functions registered in code."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary, proxy

from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.config import load as config
from tenterhook.config.load import Loaded
from tenterhook.config.settings import CHOICES as SETTINGS
from tenterhook.config.settings import SYSTEM, Settings, settings
from tenterhook.config.timeouts import LONGEST
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.dialects.schema.vocabulary import POLICIES
from tenterhook.dialects.schema.words import CAUSES, MATCHERS
from tenterhook.engine.compiled_event import Slot
from tenterhook.engine.registry import Registry
from tenterhook.errors import UnknownEvent, UsageError, check_choice, folder, nearest
from tenterhook.pipeline.environment import depth
from tenterhook.pipeline.failure_policy import MODES
from tenterhook.pipeline.match import fault_of
from tenterhook.pipeline.plan_joint import merge_event_rules
from tenterhook.support.off_switch import switched_off
from tenterhook.trust import CHOICES
from tenterhook.types import Hook, Job, Outcome, Source

if TYPE_CHECKING:
    from tenterhook.engine.background import Background
    from tenterhook.engine.confinement import Confinement
    from tenterhook.journal import Journal

Function = Callable[..., Any]

# Who starts hook processes: a helper started as a program of its own, one forked from us, or we ourselves.
SUPERVISORS = ("auto", "fork", "off")


class HookSet:
    """Nothing is read before somebody asks for it."""

    def __init__(
        self,
        project: str | os.PathLike[str] = ".",
        *,
        dialect: str | Dialect = dialects.DEFAULT,
        config: str | os.PathLike[str] | None = None,
        files: bool = True,
        agent: str = "",
        session: str = "",
        mode: str = "",
        trust: str = "ask",
        home: str | os.PathLike[str] | None = None,
        environ: Mapping[str, str] | None = None,
        parallel: int = 64,
        grace: float = 5.0,
        on_config_error: str = "raise",
        sandbox: str = "",
        secrets: str = "",
        journal: bool | str | os.PathLike[str] | None = None,
        supervisor: str = "auto",
        warm: bool = True,
        system: str = SYSTEM,
        attended: bool | None = None,
        log: bool = True,
    ) -> None:
        self.dialect = dialect if isinstance(dialect, Dialect) else dialects.get(dialect)
        self.project = folder(project) if files else os.path.abspath(project)
        self.environ = os.environ if environ is None else environ
        self.home = os.fspath(home) if home is not None else self.environ.get("HOME") or os.path.expanduser("~")
        self.config = os.fspath(config) if config is not None else ""
        self.files, self.agent, self.trust, self.on_config_error = files, agent, trust, on_config_error
        self.session_id = session or os.urandom(16).hex()
        self.mode = mode or self.dialect.failures.mode
        self.parallel, self.grace = parallel, grace
        check_choice("mode", self.mode, tuple(MODES))
        check_choice("trust", trust, CHOICES)
        check_choice("on_config_error", on_config_error, ("raise", "warn"))
        check_choice("supervisor", supervisor, SUPERVISORS)
        check_choice("sandbox", sandbox or "default", SETTINGS["sandbox"])
        check_choice("secrets", secrets or "strip", SETTINGS["secrets"])
        self.sandbox, self.secrets, self.supervisor, self.system = sandbox, secrets, supervisor, system
        self.wants_journal, self.warm, self.attended, self.wants_log = journal, warm, attended, log
        self.made_settings: Settings | None = None
        self.journal: Journal | None = None
        self.loaded: Loaded | None = None
        self.stale = ""  # why the files that are in force are not those that are there
        self.registry = Registry()
        self.taps: tuple[Tap, ...] = ()
        self.warned: set[str] = set()  # what the log has been told once
        # Hooks that run once and have run, by identity; kept, so that no other hook can come to stand at their place.
        self.spent: dict[int, Hook] = {}
        self.slots: dict[str, Slot] = {}
        self.lacks: set[str] = set()
        # Who sees to hooks that are not waited for, by session; without one an event waits for them.
        # Weakly: a session that is dropped without an end must not be held by its engine.
        self.keepers: WeakValueDictionary[str, Background] = WeakValueDictionary()
        self.lock = threading.RLock()
        self.numbers = itertools.count(1)
        self.prefix = os.urandom(4).hex()

    def on(self, *events: str, **options: Any) -> Callable[[Function], Function]:
        """Register the decorated function for one or more events; options as for `add`."""
        if not events or not all(isinstance(event, str) for event in events):
            raise UsageError("name the events by their names: @engine.on(EVENT, ...)")

        def register(function: Function) -> Function:
            for event in events:
                self.add(event, function, **options)
            return function

        return register

    def add(
        self,
        event: str,
        function: Function,
        *,
        match: str | None = None,
        match_kind: str = "",
        timeout: float | None = None,
        name: str = "",
        agent: str | None = None,
        priority: int = 0,
        once: bool = False,
        condition: dict[str, Any] | None = None,
        on_failure: str | dict[str, str] | None = None,
        sequential: bool = False,
    ) -> Callable[[], None]:
        """Register a function for an event; call what this returns to take it away. Inline unless it has a time-out."""
        if not callable(function):
            raise UsageError(f"a function is needed, not {function!r}")
        policies = {"default": on_failure} if isinstance(on_failure, str) else on_failure or {}
        if match_kind:
            check_choice("match_kind", match_kind, tuple(sorted(MATCHERS)))
        for cause, policy in policies.items():
            check_choice("cause", cause, (*sorted(CAUSES), "default"))
            check_choice("on_failure", policy, tuple(sorted(POLICIES)))
        if timeout is not None and not (isinstance(timeout, int | float) and 0 < timeout <= LONGEST):
            raise UsageError(f"timeout must be a number of seconds above 0, not {timeout!r}")
        kind = match_kind or self.rule(event).overrides.matcher
        check_matcher(match, kind or self.dialect.planning.matcher)
        code = getattr(function, "__code__", None)
        line = code.co_firstlineno if code else 0
        hook = Hook(
            name=name or f"{function.__module__}.{getattr(function, '__qualname__', type(function).__name__)}",
            event=self.rule(event).name,
            handler="python",
            spec={"main": function, "form": "function"},
            source=Source(code.co_filename if code else "code", (), lambda path: (line, 1)),
            matcher=match,
            match_kind=kind,
            timeout=timeout,
            agent=agent,
            priority=priority,
            once=once,
            condition=condition,
            on_failure=policies,
            sequential=sequential,
        )
        self.put(hook)
        return lambda: self.take(hook)

    def put(self, *hooks: Hook) -> None:
        with self.lock:
            self.registry.add(*hooks)
            self.slots = {}

    def take(self, hook: Hook) -> None:
        with self.lock:
            self.registry.remove(hook)
            self.slots = {}

    def tap(self, function: Callable[[Outcome], object]) -> Callable[[], None]:
        """Give every finished outcome to a function; call what this returns to stop that."""

        tap = Tap(function)

        def undo() -> None:
            with self.lock:
                self.taps = tuple(one for one in self.taps if one is not tap)
                self.slots = {}

        with self.lock:
            self.taps = (*self.taps, tap)
            self.slots = {}
        return undo

    def hooks(self) -> list[Hook]:
        """All hooks, by event, in the order in which they are considered."""
        self.ready()
        return self.registry.all()

    def rule(self, event: str) -> EventRule:
        """The event of that name, or what all events of that kind can do together."""
        return merge_event_rules(self.rules(event))

    def rules(self, event: str) -> tuple[EventRule, ...]:
        rules = self.dialect.rules(event)
        if not rules:
            known = [name for rule in self.dialect.events for name in (rule.name, rule.kind)]
            raise UnknownEvent(f"{self.dialect.title} has no event {event!r}{nearest(event, known)}")
        return rules

    def has(self, event: str) -> bool:
        """Whether the dialect has this event; hosts that serve every dialect fire only those."""
        if event in self.slots:
            return True
        if event not in self.lacks and self.dialect.rule(event) is None:
            self.lacks.add(event)
        return event not in self.lacks

    def listens(self, event: str) -> bool:
        """Whether a hook or a tap waits for this event."""
        slot = self.slots.get(event)
        if slot is None:
            if not self.has(event):
                return False
            slot = self.slot(event)
        return slot.listened

    def keeper(self, session: str) -> Background | None:
        """Who sees to hooks that are not waited for; nobody without a session, and after its end."""
        found = self.keepers.get(session)
        return found if found and not found.closed else None

    def ready(self) -> Loaded:
        """Read the files, once."""
        if self.loaded is None:
            with self.lock:
                if self.loaded is None:
                    loaded = self.read() if self.files else Loaded()
                    self.registry.add(*loaded.hooks)
                    self.journal = self.open_journal()
                    self.loaded = loaded
        return self.loaded

    def reload(self) -> None:
        """Read the files anew; where one is broken the last good ones stay, and a ConfigError says so."""
        from tenterhook.engine.reload import reload

        reload(self)

    def read(self, on_error: str = "") -> Loaded:
        loaded = config.load(
            self.dialect,
            project=self.project,
            home=self.home,
            environ=self.environ,
            config=self.config,
            trust=self.trust,
            on_error=on_error or self.on_config_error,
            settings=self.settings,
            system=self.system,
            strict=self.mode == "strict",
        )
        return loaded if self.warm else replace(loaded, hooks=[replace(hook, warm=False) for hook in loaded.hooks])

    @property
    def settings(self) -> Settings:
        """What user and system say about all hooks, and what the host says over the user."""
        if self.made_settings is None:
            ours = {name: getattr(self, name) for name in SETTINGS if getattr(self, name)}
            if self.wants_journal is not None:
                ours["journal"] = self.wants_journal is not False
            self.made_settings = settings(self.home, self.environ, self.system, **ours)
        return self.made_settings

    @cached_property
    def confinement(self) -> Confinement:
        """How hook processes are confined."""
        from tenterhook.engine.confinement import Confinement

        return Confinement(proxy(self))  # no circle: an engine that is dropped is gone at once

    def open_journal(self) -> Journal | None:
        """Where outcomes are kept; None where nobody wants that."""
        if not self.settings.journal:
            return None
        from tenterhook.journal import Journal

        wanted = self.wants_journal
        return Journal.of(self, "" if wanted is None or isinstance(wanted, bool) else os.fspath(wanted))

    def meanwhile(self, job: Job) -> None:
        """While hooks of an event run as processes: what can be done already."""
        if self.journal is not None:
            self.journal.expect(job.given.event)

    def off(self) -> str:
        """Why no hook runs at all, not even those of the host's own code; empty where hooks run."""
        if depth(self.environ):
            return switched_off(self.environ) or "this process is itself a hook: hooks do not run inside hooks"
        return switched_off(self.environ)

    def managed_stay(self) -> bool:
        """Whether a variable of the user's leaves the system's own hooks alone; inside of a hook none run."""
        return not self.settings.managed_off and not depth(self.environ)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the config files, and what switched hooks off from outside of them."""
        loaded, off = self.ready(), self.off()
        if off and self.managed_stay() and any(hook.source.scope == "managed" for hook in loaded.hooks):
            off += " but the system's own"
        return (*map(str, loaded.problems), *(text for text in (self.stale, off) if text))

    def slot(self, event: str) -> Slot:
        with self.lock:
            slot = Slot(self, self.rules(event))
            names = (event,) if slot.several else (event, slot.rule.name)
            self.slots = {**self.slots, **dict.fromkeys(names, slot)}
            return slot

    def label(self, name: str) -> str:
        """What texts call a hook of this name: without secrets, and by its file where its command is its name."""
        known = self.registry.labels.get(name)
        if known is None:
            from tenterhook.pipeline.hook_labels import label

            known = self.registry.labels[name] = label(name, self.registry.all(), self.environ)
        return known

    def new_id(self) -> str:
        return f"{self.prefix}-{next(self.numbers)}"


def check_matcher(match: object, kind: str) -> None:
    """Whoever writes code is told at once; a file's matchers are reported with the file's other problems."""
    if match is None:
        return
    if not isinstance(match, str):
        raise UsageError(f"match must be text, not {match!r}")
    if fault := fault_of(match, kind):
        raise UsageError(f"match {match!r} is no regular expression: {fault}; correct it, or say match_kind='literal'")


class Tap:
    """One listener; the same function may listen twice."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Outcome], object]) -> None:
        self.function = function

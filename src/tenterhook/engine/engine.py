"""READ FIRST: one event from start to end.

    Event -> Plan -> Attempt -> Verdict -> Outcome

`flow.py` beside this has the whole story, without any I/O: it yields batches of hooks, receives attempts, and returns
the outcome. `fire` and `afire` drive it, one from a thread, one on an event loop; the logic exists once. For each batch
a driver calls `prepare`, which makes jobs of the hooks, and the runner, which makes attempts of the jobs. Read on in
types, config/load, pipeline/plan, pipeline/payload, handlers/command, pipeline/verdict, pipeline/merge, pipeline/apply.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Generator, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from msgspec.structs import replace

from tenterhook.engine.compiled_event import CompiledEvent, HookBatch
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.host import BareHost
from tenterhook.engine.options import EngineOptions, takes
from tenterhook.engine.reentry import INSIDE, WHY
from tenterhook.errors import UsageError
from tenterhook.handlers import starts_child
from tenterhook.pipeline.match import LONGEST_NAME
from tenterhook.pipeline.payload import agents_in, in_our_words
from tenterhook.pipeline.plan import plan
from tenterhook.types import Attempt, Event, Hook, Job, Outcome, Plan, Skipped

if TYPE_CHECKING:
    from typing import Unpack

    from tenterhook.config.load import Loaded
    from tenterhook.config.settings import Settings
    from tenterhook.dialects.schema.dialect import EventRule
    from tenterhook.engine.background import Background
    from tenterhook.engine.confinement import Confined, Confinement
    from tenterhook.engine.function_hook import Function, FunctionOptions
    from tenterhook.engine.runner import Runner
    from tenterhook.engine.tap import Tap
    from tenterhook.journal import Journal

Argument = TypeVar("Argument")
Result = TypeVar("Result")
UNCONFINED: Confined = (None, False)
Flow = Generator[HookBatch, list[Attempt], tuple[Event, Outcome]]


@cache
def import_flow() -> Callable[[Engine, CompiledEvent, Event, Plan], Flow]:
    """Import what reads answers. An event that no hook matches does not need it."""
    from tenterhook.engine.flow import flow

    return flow


class Engine(BareHost):
    """Fires events. Thread-safe, and usable from several event loops. `EngineOptions` has its arguments.

    Nothing is read or started before the first event that needs it.
    """

    runner: Runner | None = None
    background: Background | None = None
    journal: Journal | None = None

    @takes(EngineOptions)
    def __init__(self, options: EngineOptions) -> None:
        self.options = options
        self.hookset = hookset = HookSet(options, runs=True)
        self.dialect, self.project, self.home = hookset.dialect, hookset.project, hookset.home
        self.environ, self.mode, self.lock = hookset.environ, hookset.mode, hookset.lock
        self.agent, self.session_id = options.agent, hookset.session_id
        self.grace, self.supervisor = options.grace, options.supervisor
        self.opened = False  # whether the files were read and the journal is open
        self.taps: tuple[Tap, ...] = ()
        self.warned: set[str] = set()  # warnings that were logged once
        # Hooks that run once and have run, by identity. Keeping them ensures that no other hook gets the same identity.
        self.spent: dict[int, Hook] = {}
        # The backgrounds of hooks that are not waited for, by session; without one an event waits for them. The
        # references are weak: the engine must not keep a session that was dropped without an end.
        self.keepers: WeakValueDictionary[str, Background] = WeakValueDictionary()
        self.numbers, self.prefix = itertools.count(1), os.urandom(4).hex()

    def fire(self, event: str, /, **data: Any) -> Outcome:
        """Something happened: run its hooks and say what they decided."""
        compiled = self.hookset.compiled.get(event) or self.hookset.compile(event)
        flow = compiled.quiet or self.begin(compiled, data)
        return flow if isinstance(flow, Outcome) else self.drive_flow(flow)

    def begin_flow(self, event: str, data: dict[str, Any], background: Background | None = None) -> Flow | Outcome:
        """The first half of `fire`, for a caller that drives the flow itself.

        `background` takes the hooks that the event does not wait for, if no session does.
        """
        compiled = self.hookset.compiled.get(event) or self.hookset.compile(event)
        return compiled.quiet or self.begin(compiled, data, background)

    def drive_flow(self, flow: Flow, attempts: list[Attempt] | None = None) -> Outcome:
        """Drive a flow to its end, from its first batch or from these attempts; waits for each batch."""
        together = (self.runner or self.running()).together
        try:
            if attempts is None:
                attempts = together(self.prepare(next(flow)), self.meanwhile)
            while True:
                attempts = together(self.prepare(flow.send(attempts)))
        except StopIteration as finished:
            return self.finish(*finished.value)

    async def afire(self, event: str, /, **data: Any) -> Outcome:
        """Like `fire`, without blocking the event loop."""
        compiled = self.hookset.compiled.get(event) or self.hookset.compile(event)
        if compiled.background and not self.has_profiles(compiled.hooks):  # jobs are prepared as the event begins
            await self.off_loop(self.confine_all, compiled.hooks)
        flow = compiled.quiet or self.begin(compiled, data)
        return flow if isinstance(flow, Outcome) else await self.adrive_flow(flow)

    async def abegin_flow(self, event: str, data: dict[str, Any], background: Background) -> Flow | Outcome:
        """Like `begin_flow`, without blocking the event loop."""
        hooks = self.hookset.event(event).hooks
        if not self.has_profiles(hooks):
            await self.off_loop(self.confine_all, hooks)
        return self.begin_flow(event, data, background)

    async def adrive_flow(self, flow: Flow) -> Outcome:
        together = (self.runner or self.running()).atogether
        try:
            batch = next(flow)
            meanwhile: Callable[[Job], object] | None = self.meanwhile
            while True:
                known = self.has_profiles(batch.hooks)
                jobs = self.prepare(batch) if known else await self.off_loop(self.prepare, batch)
                batch, meanwhile = flow.send(await together(jobs, meanwhile)), None
        except StopIteration as finished:
            return self.finish(*finished.value)

    def begin(
        self, compiled: CompiledEvent, data: dict[str, Any], background: Background | None = None
    ) -> Flow | Outcome:
        """Start an event: returns its flow, or its outcome at once if no hook runs."""
        if not self.opened:
            self.ready()
        if not compiled.listened:  # the first time: the config's mistakes are not logged yet
            compiled.quiet = self.nothing(compiled)
            if compiled.warnings:
                self.log(compiled.quiet)
            return compiled.quiet
        event, planned, outcome = self.plan_event(compiled, data)
        if compiled.background and outcome is None and (keeper := self.keeper(event.session) or background):
            planned = keeper.take_over(compiled, event, planned)
        if outcome is not None and outcome.warnings:
            self.log(outcome)
        if outcome is not None and self.journal is not None:
            self.journal.later(event, outcome)
        return outcome or self.flow(compiled, event, planned)

    def flow(self, compiled: CompiledEvent, event: Event, planned: Plan) -> Flow:
        """One event without I/O: yields hooks to run, receives their attempts, returns the outcome."""
        return import_flow()(self, compiled, event, planned)

    def prepare(self, batch: HookBatch) -> list[Job]:
        """Make the jobs of a batch. For a process that is I/O, and slow the first time: see `confine`."""
        given, first, jobs = batch.given, self.dialect.failures.missing_is_silent, []
        for hook in batch.hooks:
            profile, require = self.confine(hook) if starts_child(hook.handler) else UNCONFINED
            jobs.append(Job(hook, given[hook.event], self.project, hook.timeout, self.grace, first, profile, require))
        return jobs

    def confine(self, hook: Hook) -> Confined:
        """The profile of a hook's process, and whether the hook must not run without it.

        The first call looks for places that hooks may not touch, makes folders, and may fork the supervisor.
        """
        if self.runner and self.supervisor == "fork":
            self.runner.helper()  # it gets ready while we find out how to confine the hook
        return self.confinement.of(hook)

    def has_profiles(self, hooks: tuple[Hook, ...]) -> bool:
        """Whether the profiles of all these hooks are ready, so that preparing them is not slow."""
        for hook in hooks:
            if starts_child(hook.handler) and not ("confinement" in vars(self) and self.confinement.knows(hook)):
                return False
        return True

    def confine_all(self, hooks: tuple[Hook, ...]) -> None:
        for hook in hooks:
            self.confine(hook)

    async def off_loop(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Call a function in a thread, so that the event loop goes on."""
        try:
            return await self.running().off_loop(partial(function, argument))
        except RuntimeError:  # no more threads
            return function(argument)

    def plan_event(self, compiled: CompiledEvent, data: dict[str, Any]) -> tuple[Event, Plan, Outcome | None]:
        """The event in our words and its plan; an outcome at once if no hook runs."""
        rule = compiled.rule
        data = in_our_words(data, compiled.renamed)
        if rule.target.of and rule.target.field not in data:
            data = {**data, rule.target.field: os.path.basename(str(data.get(rule.target.of, "")))}
        agents = (self.agent,) if self.agent else agents_in(data, self.dialect.planning.agent_from)
        session = data.get("session_id") or self.session_id
        event = Event(rule.kind, rule.name, data, self.project, session, agents, self.environ)
        if INSIDE.get():
            return event, Plan(), self.inside_a_hook(compiled, event)
        target = data.get(rule.target.field)
        if not compiled.static or target.__class__ is not str:
            return event, *self.plan(compiled, event)
        known = compiled.memo.get((target, agents)) or compiled.memo.recall((target, agents))
        if known is None:
            known = self.plan(compiled, event)
            if len(target) <= LONGEST_NAME:
                compiled.memo.keep((target, agents), known)
        return event, *known

    def plan(self, compiled: CompiledEvent, event: Event) -> tuple[Plan, Outcome | None]:
        if compiled.static:
            made = compiled.planner.plan(event, self.spent)
        else:
            with self.lock:
                made = compiled.planner.plan(event, self.spent)
                self.spent.update((id(hook), hook) for batch in made.batches for hook in batch if hook.once)
        if compiled.untrusted and self.options.log:
            from tenterhook.engine.hook_log import log_untrusted

            log_untrusted(self, compiled.rule.name, made.skipped)
        if made.batches or self.taps:
            return made, None
        outcome = self.nothing(compiled, made.skipped)
        return made, replace(outcome, warnings=outcome.warnings + made.warnings) if made.warnings else outcome

    def inside_a_hook(self, compiled: CompiledEvent, event: Event) -> Outcome:
        made = plan(event, compiled.hooks, self.dialect, compiled.rule, off=WHY, overrides=compiled.overrides)
        outcome = self.nothing(compiled, made.skipped)
        return self.tell_taps(replace(outcome, warnings=(*outcome.warnings, WHY)))  # `begin` keeps it

    def finish(self, event: Event, outcome: Outcome) -> Outcome:
        if self.journal is not None:
            self.journal.keep(event, outcome)
        if outcome.warnings:
            self.log(outcome)
        return self.tell_taps(outcome) if self.taps else outcome

    def tell_taps(self, outcome: Outcome) -> Outcome:
        for tap in self.taps:
            tap.tell(outcome)
        return outcome

    def log(self, outcome: Outcome) -> None:
        """Log what went wrong with hooks."""
        if self.options.log:
            from tenterhook.engine.hook_log import log_outcome

            log_outcome(self, outcome)

    def warn(self, event: str, problems: Sequence[str]) -> None:
        """Log which wishes of hooks could not be carried out."""
        if problems and self.options.log:
            from tenterhook.engine.hook_log import log_once

            for text in problems:
                log_once(self, f"{event}: {text}", f"{event}: {text}")

    def meanwhile(self, job: Job) -> None:
        """Prepare the journal while a hook's process runs."""
        if self.journal is not None:
            self.journal.expect(job.given.event)

    def nothing(self, compiled: CompiledEvent, skipped: tuple[Skipped, ...] = ()) -> Outcome:
        """The outcome of an event that no hook ran for."""
        return Outcome(
            skipped=skipped,
            warnings=compiled.warnings,
            event=compiled.rule.name,
            dialect=self.dialect.name,
            mode=self.mode,
            id=self.new_id(),
        )

    def new_id(self) -> str:
        return f"{self.prefix}-{next(self.numbers)}"

    # ---- its hooks

    def on(self, *events: str, **options: Unpack[FunctionOptions]) -> Callable[[Function], Function]:
        """Register the decorated function for one or more events; options as for `add`."""
        if not events or not all(isinstance(event, str) for event in events):
            raise UsageError("name the events by their names: @engine.on(EVENT, ...)")

        def register(function: Function) -> Function:
            for event in events:
                self.add(event, function, **options)
            return function

        return register

    def add(self, event: str, function: Function, **options: Unpack[FunctionOptions]) -> Callable[[], None]:
        """Register a function for an event; call the result to remove it. Runs inline unless it has a time-out."""
        from tenterhook.engine.function_hook import make_function_hook

        hook = make_function_hook(function, self.dialect, self.rule(event), **options)
        self.put(hook)
        return lambda: self.take(hook)

    def use(self, *hooks: str | Function, **options: Any) -> Callable[[], None]:
        """Add hooks written with `@hook`: a file, `library:NAME`, a function. Call the result to remove them."""
        from tenterhook.engine.author_hooks import add_author_hooks

        return add_author_hooks(self, hooks, options)

    def put(self, *hooks: Hook) -> None:
        self.hookset.put(*hooks)

    def take(self, hook: Hook) -> None:
        self.hookset.take(hook)

    def tap(self, function: Callable[[Outcome], object]) -> Callable[[], None]:
        """Call a function with every finished outcome; call the result to stop that."""
        from tenterhook.engine.tap import Tap

        tap = Tap(function)

        def undo() -> None:
            with self.lock:
                self.set_taps(tuple(one for one in self.taps if one is not tap))

        with self.lock:
            self.set_taps((*self.taps, tap))
        return undo

    def set_taps(self, taps: tuple[Tap, ...]) -> None:
        self.taps, self.hookset.tapped, self.hookset.compiled = taps, bool(taps), {}

    def hooks(self) -> list[Hook]:
        """All hooks, by event, in the order in which they are considered."""
        return self.hookset.hooks()

    def ready(self) -> Loaded:
        """Read the files and open the journal, once."""
        if not self.opened:
            with self.lock:
                if not self.opened:
                    self.hookset.ready()
                    self.journal = self.open_journal()
                    self.opened = True
        return self.hookset.ready()

    def reload(self) -> None:
        """Read the files again. If one is broken, the last good ones stay in force and a ConfigError says so."""
        from tenterhook.engine.reload import reload

        reload(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Mistakes in the config files, and anything outside of them that switched hooks off."""
        return self.hookset.warnings

    @property
    def settings(self) -> Settings:
        """The settings of user and system for all hooks, and the host's, which outrank the user's."""
        return self.hookset.settings

    def rule(self, event: str) -> EventRule:
        """The event of that name, or what all events of that kind can do together."""
        return self.hookset.rule(event)

    def has(self, event: str) -> bool:
        """Whether the dialect has this event; hosts that serve every dialect fire only those."""
        return self.hookset.has(event)

    def listens(self, event: str) -> bool:
        """Whether a hook or a tap waits for this event."""
        return self.hookset.listens(event)

    def may_run(self, event: str, data: dict[str, Any]) -> bool:
        """Whether a hook would run for this. Also true where only a plan can tell: it would use up a `once`."""
        self.ready()
        compiled = self.hookset.event(event)
        return compiled.listened and (not compiled.static or self.plan_event(compiled, data)[2] is None)

    # ---- what it owns

    @cached_property
    def confinement(self) -> Confinement:
        from tenterhook.engine.confinement import Confinement

        return Confinement(self.hookset)

    def open_journal(self) -> Journal | None:
        """The journal of outcomes; None if it is off."""
        if not self.hookset.settings.journal:
            return None
        from tenterhook.journal import Journal

        return Journal.of(self)

    def keeper(self, session: str) -> Background | None:
        """The background of this session's hooks; None without a session, and after its end."""
        found = self.keepers.get(session)
        return found if found and not found.closed else None

    def running(self) -> Runner:
        with self.lock:
            if self.runner is None:
                from tenterhook.engine.runner import Runner

                self.runner = Runner(self.options.parallel, supervisor=self.supervisor)
            return self.runner

    @property
    def abandoned(self) -> int:
        """The number of function calls that were given up, timed out or cancelled, and could not be ended."""
        return self.runner.workers.abandoned if self.runner else 0

    def give_up(self) -> None:
        """Count a call that the driver of a flow gave up."""
        self.running().workers.abandoned += 1

    def close(self) -> None:
        """End what `afire` started; a `fire` in another thread runs to its end. The engine may be used again."""
        with self.lock:
            runner, self.runner = self.runner, None
            background, self.background = self.background, None
        if background:
            background.end()
        if runner:
            runner.close()
        if self.journal is not None:
            self.journal.flush()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.close()


def load(project: str | os.PathLike[str] = ".", **options: Any) -> Engine:
    """An engine whose files are read now, so that a broken one raises at once. Options as for Engine."""
    engine = Engine(project, **options)
    engine.ready()
    return engine

"""Whose hooks answer a call: our own config's, and those of other agents, each side with an engine of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tenterhook import dialects
from tenterhook.author.answers import Answer
from tenterhook.author.registered import GUARDED
from tenterhook.errors import ConfigError, UnknownDialect
from tenterhook.hosts.gate.hooks import add_hooks
from tenterhook.hosts.gate.our_words import DIALECT, Wording

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tenterhook.author.calls import HookCommand
    from tenterhook.config.load import Loaded
    from tenterhook.config.locations import ConfigLocation
    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.gate.call import AgentCall, Unreadable
    from tenterhook.types import Outcome

    # Gives the engine for these options, and takes it back at the end.
    EngineFor = Callable[[dict[str, Any]], AbstractContextManager[Engine]]

# The table in a project's file that names other agents, and its key.
TABLE, KEY = "gate", "hooks_of"
# What the files of an engine name, as long as it keeps what it has read.
NAMED: WeakKeyDictionary[Engine, tuple[Loaded, list[str], tuple[str, ...]]] = WeakKeyDictionary()


class Side:
    """The hooks of our own config files, in our own words. `notices` is what the user has to know about the files."""

    approve = "tenter trust"

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.notices: tuple[str, ...] = tuple(f"tenterhook: {text}" for text in mistakes(engine))

    def wordings(self, call: AgentCall, data: dict[str, Any]) -> Iterator[Wording]:
        """The event's data for these hooks; nothing for an event that is newer than we are."""
        if self.engine.has(call.kind):
            yield Wording(data)

    def unheard(self, call: AgentCall) -> Answer:
        """The answer where the hooks' agent has no such event."""
        return Answer()

    def check(self, call: AgentCall, outcome: Outcome) -> Answer:
        """A further answer, where the outcome alone is not enough."""
        return Answer()

    def guards(self) -> bool:
        """Whether a hook of these may refuse something."""
        self.engine.ready()
        return any(
            self.engine.rule(hook.event).kind in GUARDED and hook.enabled and hook.trusted
            for hook in self.engine.hooks()
        )


def mistakes(engine: Engine) -> Iterator[str]:
    """Mistakes in the config files that no hook reports: one takes the place of an entry that cannot run."""
    loaded = engine.ready()
    for problem in map(str, loaded.problems):
        if not any(problem in str(hook.spec.get("main")) for hook in loaded.hooks):
            yield problem


@contextmanager
def open_sides(call: AgentCall, engine_for: EngineFor) -> Iterator[list[Side]]:
    """All sides of a call. All engines are there before the first hook runs: a broken config must not stop us later."""
    options = call.engine_options()
    if call.line.command or call.line.dialect:
        from tenterhook.hosts.gate.other_sides import OneCommand, add_command, command_options

        with engine_for({**options, **command_options(call.line)}) as engine, add_command(call, engine):
            yield [OneCommand(engine)]
        return
    with ExitStack() as stack:
        sides = [Side(stack.enter_context(engine_for(options)))]
        stack.enter_context(add_hooks(call.line, sides[0].engine))
        for name in other_agents(call.line, sides[0]):
            from tenterhook.hosts.gate.other_sides import OtherSide, without_repeated_hooks

            if plain(name) != plain(call.forms["name"]):  # an agent runs its own hooks itself
                sides.append(OtherSide(stack.enter_context(engine_for({**options, "dialect": name}))))
                stack.enter_context(without_repeated_hooks(sides[-1], call))
        yield sides


@contextmanager
def open_sides_of_unreadable(problem: Unreadable, engine_for: EngineFor) -> Iterator[list[Side]]:
    """The sides of a call that cannot be read."""
    options = problem.engine_options()
    with ExitStack() as stack:
        own = Side(stack.enter_context(engine_for(options)))
        others = [engine_for({**options, "dialect": name}) for name in other_agents(problem.line, own)]
        yield [own, *(Side(stack.enter_context(engine)) for engine in others)]


def plain(dialect: str) -> str:
    return dialect.partition("@")[0]


# ---- other agents' config files


def other_agents(line: HookCommand, side: Side) -> list[str]:
    """The agents whose hooks run beside ours: of the command line, the user's settings, the project's file."""
    named = [*line.hooks_of, *side.engine.settings.gate_hooks_of, *in_project_files(side)]
    return [name for name in dict.fromkeys(named) if name != DIALECT]


def in_project_files(side: Side) -> list[str]:
    """What the project's own files name. A mistake there is told, and counts for nothing."""
    loaded = side.engine.ready()
    known = NAMED.get(side.engine)
    if known is None or known[0] is not loaded:
        known = NAMED[side.engine] = loaded, *read_names(loaded)
    side.notices += known[2]
    return known[1]


def read_names(loaded: Loaded) -> tuple[list[str], tuple[str, ...]]:
    """The agents that the project's files name, and the mistakes there."""
    names: list[str] = []
    notices: tuple[str, ...] = ()
    for place in loaded.places:
        if place.found and place.file.scope == "project" and TABLE in place.file.beside:
            try:
                names += names_in_file(place)
            except ConfigError as exc:
                notices += (f"tenterhook: {exc}; it is ignored",)
    return names, notices


def names_in_file(place: ConfigLocation) -> list[str]:
    with open(place.path, "rb") as file:
        if TABLE.encode() not in file.read():
            return []
    from tenterhook.support import readers

    document = readers.read(place.path, place.file.format)
    if document is None:
        return []
    parent = place.file.sections[0].hooks.rpartition(".")[0]
    path = (*filter(None, parent.split(".")), TABLE)
    found: Any = document.data
    for key in path:
        found = found.get(key, {}) if isinstance(found, dict) else {}
    if not isinstance(found, dict):
        raise ConfigError(f"{TABLE} must be a table", file=place.path, line=document.where(path)[0])
    for key in found:
        if key != KEY:
            line = document.where((*path, key))[0]
            raise ConfigError(f"unknown key '{TABLE}.{key}'; there is {KEY}", file=place.path, line=line)
    named = found.get(KEY, [])
    line = document.where((*path, KEY))[0]
    if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
        raise ConfigError(f"{TABLE}.{KEY} must be a list of texts, not {named!r}", file=place.path, line=line)
    for one in named:
        try:
            dialects.get(one)
        except UnknownDialect as exc:
            raise ConfigError(f"{TABLE}.{KEY}: {exc}", file=place.path, line=line) from None
    return named

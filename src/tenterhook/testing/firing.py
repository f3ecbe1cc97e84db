"""Fire a hook in a dialect: the payload that its agent writes, the hook's answer, and what the agent makes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from tenterhook import dialects, recorded
from tenterhook.dialect import Dialect, EventRule
from tenterhook.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.payload import in_our_words
from tenterhook.testing.calling import called
from tenterhook.testing.fired import Fired
from tenterhook.testing.running import Here, command
from tenterhook.testing.simulating import NOTHING_RUNS
from tenterhook.types import Hook, Source

if TYPE_CHECKING:
    import pytest

    from tenterhook.runner import Runner

Hooks = str | os.PathLike[str] | Callable[..., Any] | Iterable[Any]


def agents(kind: str = "") -> list[str]:
    """Every dialect there is; with a kind, those that have such an event."""
    return [name for name in dialects.names() if not kind or dialects.get(name).rule(kind)]


def each_dialect(kind: str = "") -> pytest.MarkDecorator:
    """A decorator: the test runs once for each of `agents(kind)`, and is given its name as `agent`."""
    import pytest

    return pytest.mark.parametrize("agent", agents(kind))


def fire(
    hooks: Hooks,
    event: str,
    /,
    *,
    agent: str = dialects.DEFAULT,
    process: bool = False,
    as_recorded: bool = True,
    options: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    project: str | os.PathLike[str] = ".",
    **data: Any,
) -> Fired:
    """Let something happen to an agent whose hooks these are: a function, a file, `library:NAME`, or several of them.

    `event` is one of our kinds, or the agent's own name. The event is what a real agent once wrote, where that was
    recorded, with `data` laid over it: fields by our names or the agent's own, and for a tool `tool=` with its inputs.
    With `process` the hook's own process runs, as the agent would start it; else its functions are called here.
    """
    dialect = dialects.get(agent)
    rule = meant(dialect, event)
    if rule is None:
        raise UsageError(f"{dialect.title} has no event {event!r}; agents({event!r}) lists those that have")
    given = {**(once_written(dialect, rule) if as_recorded else {}), **called(dialect, data)}
    environ = {name: value for name, value in os.environ.items() if not name.startswith("TENTERHOOK_")} | dict(
        env or {}
    )
    engine = Engine(
        project, dialect=dialect, files=False, environ=environ, home="/", supervisor="off", warm=False, **NOTHING_RUNS
    )
    main = command(hooks, agent, options or {}) if process else []
    if not process:
        engine.runner = cast("Runner", Here(hooks, agent, options or {}, environ))
    return fired(engine, rule, main, given)


def meant(dialect: Dialect, event: str) -> EventRule | None:
    """The event of that name; of several of one kind the first that is for every tool."""
    found = [rule for rule in dialect.events if rule.kind == event]
    named = [rule for rule in dialect.events if rule.name == event]
    return next(iter([*named, *sorted(found, key=lambda rule: bool(rule.tools))]), None)


def once_written(dialect: Dialect, rule: EventRule) -> dict[str, Any]:
    """What a real agent wrote at such an event."""
    return next(iter(recorded.of_event(dialect.name, rule.name)), {})


def fired(engine: Engine, rule: EventRule, main: list[str], data: dict[str, Any]) -> Fired:
    """One event in an engine whose only hook is the one under test."""
    spec = {"command": "", "main": main, "form": "shell"}
    one = Hook(name="hook", event=rule.name, handler="command", spec=spec, source=Source("test"), timeout=60.0)
    with engine:
        engine.put(one)
        outcome = engine.fire(rule.name, **data)
    if not outcome.attempts:
        raise UsageError(f"no hook was called: {'; '.join(outcome.warnings)}")
    attempt = outcome.attempts[0]
    if attempt.error:
        raise UsageError(f"the hook came to no end of its own: {attempt.detail or attempt.error} {attempt.stderr}")
    return Fired(
        agent=engine.dialect.name,
        event=rule.name,
        outcome=outcome,
        data=in_our_words(data, engine.slot(rule.name).renamed),
        exit_code=attempt.exit_code or 0,
        stdout=attempt.stdout,
        stderr=attempt.stderr,
        seconds=attempt.seconds,
    )

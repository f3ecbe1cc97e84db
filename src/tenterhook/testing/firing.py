"""Fire a hook in a dialect: the payload that its agent writes, the hook's answer, and what the agent does with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import msgspec

from tenterhook import dialects
from tenterhook.author import callers
from tenterhook.author.process import REPORT
from tenterhook.dialects import recorded
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.engine import Engine
from tenterhook.engine.simulate import NOTHING_RUNS
from tenterhook.errors import UsageError, nearest
from tenterhook.pipeline.payload import in_our_words
from tenterhook.testing.calling import build_tool_call_data, tool_of
from tenterhook.testing.fired import Fired, HookFailed
from tenterhook.testing.running import Here, command
from tenterhook.types import Hook, Outcome, Source

if TYPE_CHECKING:
    import pytest

    from tenterhook.engine.runner import Runner

Hooks = str | os.PathLike[str] | Callable[..., Any] | Iterable[Any]


def agents(kind: str = "", *, can: str = "", tool: str = "") -> list[str]:
    """All dialects; with a kind, those that have such an event.

    `can` is an effect, such as "deny" or "rewrite": only dialects in which an answer has it at that event. `tool` is
    one of our words for tools: only dialects whose hooks hear of such a tool.
    """
    check_effect(can, kind)
    found = []
    for name in dialects.names():
        dialect = dialects.get(name)
        rule = find_event_rule(dialect, kind) if kind else None
        if kind and not rule:
            continue
        if rule and can and can not in callers.load(name)["events"][rule.name]["says"]:
            continue
        if not tool or tool_of(dialect, tool):
            found.append(name)
    return found


def check_effect(can: str, kind: str) -> None:
    if not can:
        return
    from tenterhook.engine.make_forms import EFFECTS

    if can not in EFFECTS:
        raise UsageError(f"can={can!r}: it may be {', '.join(EFFECTS)}{nearest(can, EFFECTS)}")
    if not kind:
        raise UsageError(f"can={can!r} needs a kind of event: agents(kind, can={can!r})")


def each_dialect(kind: str = "", *, can: str = "", tool: str = "") -> pytest.MarkDecorator:
    """A decorator: the test runs once for each of `agents(kind, can=, tool=)`, and is given its name as `agent`."""
    import pytest

    return pytest.mark.parametrize("agent", agents(kind, can=can, tool=tool))


def fire(
    hooks: Hooks,
    event: str,
    /,
    *,
    agent: str = dialects.DEFAULT,
    process: bool = False,
    as_recorded: bool = True,
    allow_failure: bool = False,
    options: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    project: str | os.PathLike[str] = ".",
    **data: Any,
) -> Fired:
    """Fire an event in an agent with these hooks: a function, a file, `library:NAME`, or several of them.

    `event` is one of our kinds, or the agent's own name. If an event of a real agent was recorded, it is the base, and
    `data` is laid over it: fields by our names or the agent's own, and for a tool `tool=` with its inputs. With
    `process` the hook's own process runs, as the agent would start it; else its functions are called here.

    A hook that raises, takes too long or cannot be loaded decides nothing: HookFailed is raised, with its traceback.
    With `allow_failure` it is not; `failures` tells what went wrong, and `denied` what the agent does then.
    """
    dialect = dialects.get(agent)
    rule = find_event_rule(dialect, event)
    if rule is None:
        raise UsageError(f"{dialect.title} has no event {event!r}; agents({event!r}) lists those that have")
    given = {**(once_written(dialect, rule) if as_recorded else {}), **build_tool_call_data(dialect, rule, data)}
    environ = {name: value for name, value in os.environ.items() if not name.startswith("TENTERHOOK_")} | dict(
        env or {}
    )
    with TemporaryDirectory(prefix="fired-") as folder:
        report = os.path.join(folder, "failures.json")
        engine = Engine(
            project,
            dialect=dialect,
            files=False,
            environ=environ,
            home="/",
            supervisor="off",
            warm=False,
            **NOTHING_RUNS,
        )
        main = [*command(hooks, agent, options or {}), REPORT, report] if process else []
        here = None if process else Here(hooks, agent, options or {}, environ)
        if here:
            engine.runner = cast("Runner", here)
        outcome = fire_alone(engine, rule, main, given)
        failed = here.failures() if here else read_failure_report(report, outcome)
    if failed and not allow_failure:
        cause = here.said[0].failures[0][1] if here else None
        raise HookFailed("\n\n".join(failed)) from cause
    return build_fired_result(engine, rule, outcome, given, failed)


def read_failure_report(path: str, outcome: Outcome) -> list[str]:
    """What went wrong in the hook's process, which writes it at its end, if it gets that far."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            return msgspec.json.decode(file.read(), type=list[str])
    attempt = outcome.attempts[0]
    return [f"the hook's process ended (exit {attempt.exit_code}) before it answered: {attempt.stderr.strip()}"]


def find_event_rule(dialect: Dialect, event: str) -> EventRule | None:
    """The event of that name; of several of one kind the first that is for every tool."""
    found = [rule for rule in dialect.events if rule.kind == event]
    named = [rule for rule in dialect.events if rule.name == event]
    return next(iter([*named, *sorted(found, key=lambda rule: bool(rule.firing.tools))]), None)


def once_written(dialect: Dialect, rule: EventRule) -> dict[str, Any]:
    """The recorded payload of such an event, with the test's own folder in place of the recorded one."""
    found: dict[str, Any] = next(iter(recorded.of_event(dialect.name, rule.name)), {})
    here = {
        field.name
        for field in (*(rule.overrides.base or dialect.payload.base), *rule.fields)
        if field.key in ("cwd", "project")
    }
    return {name: value for name, value in found.items() if name not in here}


def fire_alone(engine: Engine, rule: EventRule, main: list[str], data: dict[str, Any]) -> Outcome:
    """Fire one event in an engine whose only hooks are the ones under test."""
    spec = {"command": "", "main": main, "form": "shell"}
    one = Hook(name="hook", event=rule.name, handler="command", spec=spec, source=Source("test"), timeout=60.0)
    with engine:
        engine.put(one)
        outcome = engine.fire(rule.name, **data)
    if not outcome.attempts:
        raise UsageError(f"no hook was called: {'; '.join(outcome.warnings)}")
    attempt = outcome.attempts[0]
    if attempt.error:
        raise HookFailed(f"the hook did not end by itself: {attempt.detail or attempt.error} {attempt.stderr}")
    return outcome


def build_fired_result(
    engine: Engine, rule: EventRule, outcome: Outcome, data: dict[str, Any], failed: list[str]
) -> Fired:
    attempt = outcome.attempts[0]
    return Fired(
        agent=engine.dialect.name,
        event=rule.name,
        outcome=outcome,
        data=in_our_words(data, engine.hookset.event(rule.name).renamed),
        exit_code=attempt.exit_code or 0,
        stdout=attempt.stdout,
        stderr=attempt.stderr,
        seconds=attempt.seconds,
        failures=tuple(failed),
    )

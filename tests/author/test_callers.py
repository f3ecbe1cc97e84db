"""Who called is known by what an agent writes to its hooks, and else by what it is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tenterhook import dialects, hook
from tenterhook.author import callers
from tenterhook.author.answers import Answer
from tenterhook.author.calls import HookCommand, handle_event
from tenterhook.author.event import Event
from tenterhook.dialects import recorded
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.testing import NOTHING_RUNS
from tenterhook.types import Hook, Source

KNOWN = [name for name in recorded.agents() if name in dialects.names()]
RECORDED = [
    pytest.param(agent, event, payload, id=f"{agent}-{event}")
    for agent in KNOWN
    for event, payloads in recorded.payloads(agent).items()
    for payload in payloads
]


def alike(dialect: dict[str, Any], one: str, other: str) -> bool:
    """Whether two events are one, whose payloads and answers are the same under either name."""
    first, second = dialect["events"][one], dialect["events"][other]
    return one.lower() == other.lower() and all(first[part] == second[part] for part in ("kind", "keys", "says"))


@pytest.mark.parametrize(("agent", "event", "payload"), RECORDED)
def test_a_real_payload_tells_agent_and_event(agent: str, event: str, payload: dict[str, Any]) -> None:
    """Nothing in the environment helps: an agent may run inside of another one."""
    dialect, name = callers.of(payload, "", "", {})

    assert dialect["name"] == agent
    assert name == event or alike(dialect, name, event)


@pytest.mark.parametrize(("agent", "event", "payload"), RECORDED)
def test_an_agent_that_is_named_needs_no_guess_but_for_the_event(
    agent: str, event: str, payload: dict[str, Any]
) -> None:
    dialect, name = callers.of(payload, agent, "", {})

    assert name == event or alike(dialect, name, event)


@pytest.mark.parametrize("agent", dialects.names())
def test_what_our_own_engine_writes_in_a_dialect_is_known_as_that(agent: str) -> None:
    """The dialect's own variables are set too, as they are for a hook."""
    engine = Engine(dialect=agent, files=False, environ={}, home="/", **NOTHING_RUNS)
    rule = engine.rule("tool.before")
    spec = {"command": "x", "main": "x", "form": "shell"}
    engine.put(Hook(name="h", event=rule.name, handler="command", spec=spec, source=Source("test")))
    compiled = engine.hookset.event(rule.name)
    happened, planned, _ = engine.plan_event(compiled, {"tool_name": "Bash", "tool_input": {"command": "ls"}})
    (job,) = engine.prepare(next(engine.flow(compiled, happened, planned)))
    dialect, name = callers.of(json.loads(job.stdin()), "", "", job.env())

    assert (dialect["name"], name) == (agent, rule.name)


def test_a_payload_of_nobody_we_know_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="name it with --agent NAME"):
        callers.of({"something": "else"}, "", "", {})


def test_an_agent_that_is_not_there_is_an_error() -> None:
    with pytest.raises(Exception, match="no dialect 'nobody'"):
        callers.load("nobody")


def test_a_version_has_the_forms_of_the_last_known_one_that_is_not_newer() -> None:
    known = dialects.versions("claude")

    assert len(known) > 1
    assert [callers.load(f"claude@{version}")["version"] for version in known] == known
    assert callers.load("claude@99.0")["version"] == known[0]
    assert callers.load(f"claude@{known[1]}.5")["version"] == known[1]
    assert callers.load("claude@0.1")["version"] == known[-1]
    assert callers.load("moai@99.0") == callers.load("moai")


def test_a_version_is_no_part_of_the_agents_name_for_a_hook() -> None:
    seen: list[str] = []
    with hook.apart() as hooks:

        @hook("tool.before")
        def look(event: Event) -> None:
            seen.append(event.agent)

    given = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash"}).encode()
    handle_event(hooks, given, HookCommand(f"claude@{dialects.versions('claude')[1]}"), {})

    assert seen == ["claude"]


def test_an_event_may_be_named_by_our_kind_or_the_agents_name() -> None:
    assert callers.of({}, "llxprt", "tool.before", {})[1] == "BeforeTool"
    assert callers.of({}, "llxprt", "AfterTool", {})[1] == "AfterTool"
    with pytest.raises(UsageError, match=r"has no event 'BeforeTol' .did you mean 'BeforeTool'"):
        callers.of({}, "llxprt", "BeforeTol", {})


def test_an_event_that_is_newer_than_we_are_reaches_hooks_that_know_it_and_no_others() -> None:
    with hook.apart() as hooks:

        @hook("BrandNew")
        def knows(event: Event) -> Answer:
            return hook.deny(f"{event.name} {event.data['what']}")

        @hook("tool.before")
        def guards(event: Event) -> Answer:
            return hook.deny("no")

    given = json.dumps({"hook_event_name": "BrandNew", "what": "this"}).encode()
    both = handle_event(hooks, given, HookCommand("moai"), {})
    guard = handle_event(hooks[1:], given, HookCommand("moai"), {})

    assert (both.code, both.out, both.err) == (2, "", "BrandNew this")
    assert (guard.code, guard.out, guard.err) == (0, "", "")

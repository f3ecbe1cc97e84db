"""One event and its hooks, without a process: who is called, with what, and what comes of all of them."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from tenterhook import hook
from tenterhook.author.answers import Answer
from tenterhook.author.calls import HookCommand, handle_event
from tenterhook.author.event import Event
from tenterhook.author.registered import Registered

CALL = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls", "timeout": 3}}


def fire(*functions: Callable[..., Any], given: dict[str, Any] = CALL, agent: str = "moai") -> dict[str, Any]:
    hooks = [one for function in functions for one in function.hooks]  # type: ignore[attr-defined]
    out = handle_event(hooks, json.dumps(given).encode(), HookCommand(agent), {})
    return {"code": out.code, "err": out.err, **(json.loads(out.out) if out.out else {})}


def section(found: dict[str, Any]) -> dict[str, Any]:
    return dict(found["hookSpecificOutput"])


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    """What these tests register is nobody else's."""
    with hook.apart():
        yield


def test_each_hook_sees_what_those_before_it_changed() -> None:
    seen: list[str] = []

    @hook("tool.before")
    def first(event: Event) -> Answer:
        return hook.rewrite(command=f"{event.command} -l")

    @hook("tool.before")
    def second(event: Event) -> Answer:
        seen.append(event.command)
        return hook.rewrite(command=f"{event.command} -a")

    found = fire(first, second)

    assert seen == ["ls -l"]
    assert section(found)["updatedInput"] == {"command": "ls -l -a", "timeout": 3}


def test_all_hooks_have_their_say_and_the_strongest_decides() -> None:
    @hook("tool.before")
    def careless(event: Event) -> Answer:
        return hook.allow("fine")

    @hook("tool.before")
    def strict(event: Event) -> Answer:
        return hook.deny("no") & hook.notify("somebody tried")

    @hook("tool.before", "session.start")
    def talkative(event: Event) -> list[Answer]:
        return [hook.context("one"), hook.context("two")]

    found = fire(careless, strict, talkative)

    assert section(found)["permissionDecision"] == "deny"
    assert section(found)["additionalContext"] == "one\n\ntwo"
    assert found["systemMessage"] == "somebody tried"


def test_a_hook_may_yield_or_be_a_coroutine_or_both() -> None:
    @hook("tool.before")
    def several(event: Event) -> Iterator[Answer | None]:
        yield hook.context("one")
        yield None

    @hook("tool.before")
    async def awaited(event: Event) -> Answer:
        return hook.context("two")

    @hook("tool.before")
    async def both(event: Event) -> AsyncIterator[Answer]:
        yield hook.context("three")

    assert section(fire(several, awaited, both))["additionalContext"] == "one\n\ntwo\n\nthree"


def test_only_hooks_of_the_kind_that_match_are_called() -> None:
    @hook("tool.after")
    def later(event: Event) -> Answer:
        return hook.deny("no")

    @hook("tool.before", match="Write|Edit")
    def writes(event: Event) -> Answer:
        return hook.deny("no")

    @hook("PreToolUse", match="run_shell_command")
    def by_the_agents_own_name(event: Event) -> Answer:
        return hook.context("called")

    assert section(fire(later, writes, by_the_agents_own_name)) == {
        "hookEventName": "PreToolUse",
        "additionalContext": "called",
    }


def test_other_events_match_on_what_they_are_about() -> None:
    @hook("session.end", match="logout|clear")
    def ended(event: Event) -> None:
        raise ValueError("called")

    assert "called" in fire(ended, given={"hook_event_name": "SessionEnd", "reason": "clear"})["err"]
    assert fire(ended, given={"hook_event_name": "SessionEnd", "reason": "other"})["err"] == ""


def test_a_hook_that_takes_too_long_has_failed() -> None:
    @hook("tool.before", timeout=0.05)
    def slow(event: Event) -> None:
        time.sleep(5)

    began = time.monotonic()
    found = fire(slow)

    assert time.monotonic() - began < 2
    assert "TimeoutError: no answer within 0.05 s" in section(found)["permissionDecisionReason"]


def test_a_time_out_changes_nothing_for_a_hook_that_is_in_time() -> None:
    @hook("tool.before", timeout=10)
    def quick(event: Event) -> Answer:
        return hook.deny("no")

    @hook("tool.before", timeout=10)
    def wrong(event: Event) -> None:
        raise ValueError("odd")

    assert section(fire(quick))["permissionDecisionReason"] == "no"
    assert "ValueError: odd" in section(fire(wrong))["permissionDecisionReason"]


@pytest.mark.parametrize("said", [True, "deny", {"decision": "deny"}, 2], ids=repr)
def test_what_is_no_answer_is_a_failure_and_no_silence(said: Any) -> None:
    @hook("tool.before")
    def odd(event: Event) -> Any:
        return said

    assert "a hook returns hook.deny(...) and the like" in section(fire(odd))["permissionDecisionReason"]


def test_a_hook_that_exits_has_failed() -> None:
    @hook("tool.before")
    def leaves(event: Event) -> None:
        raise SystemExit(0)

    assert section(fire(leaves))["permissionDecision"] == "deny"


def test_a_failure_at_the_end_of_a_turn_keeps_no_agent_from_ending() -> None:
    @hook("turn.stop", on_failure="deny")
    def wrong(event: Event) -> None:
        raise ValueError("odd")

    again = {"hook_event_name": "Stop", "stop_hook_active": True}

    assert fire(wrong, given={"hook_event_name": "Stop"})["decision"] == "block"
    assert "decision" not in fire(wrong, given=again)


def test_the_event_is_in_our_words_and_the_payload_is_kept() -> None:
    seen: list[Event] = []

    @hook("tool.after")
    def look(event: Event) -> None:
        seen.append(event)

    given = {"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "read_file", "tool_input": {"x": 1}}
    fire(look, given={**given, "tool_response": {"llmContent": "text"}, "cwd": "/w"}, agent="llxprt")
    event = seen[0]

    assert (event.kind, event.name, event.agent) == ("tool.after", "AfterTool", "llxprt")
    assert (event.tool, event.tool_name, event.output, event.session, event.cwd) == (
        *("read", "read_file", "text", "s", "/w"),
    )
    assert event.raw["tool_response"] == {"llmContent": "text"}


ODD: list[Any] = [None, 0, True, "", "text", [], [1], {}, {"a": {"b": []}}, "\udc80", 10**400]


@pytest.mark.parametrize("field", ["tool_name", "tool_input", "cwd", "session_id", "transcript_path", "mcp_context"])
@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:12])
@pytest.mark.parametrize("match", ["", "shell|other", "^(Bash|other)$"])
def test_no_odd_value_gets_anything_past_a_guard(field: str, value: Any, match: str) -> None:
    @hook("tool.before", match=match)
    def guard(event: Event) -> Answer:
        seen = (event.tool, event.command, event.paths, event.texts, event.mcp, event.cwd, event.session, event.output)
        return hook.deny(f"no {len(seen)}")

    found = fire(guard, given={**CALL, field: value})

    assert found["code"] == 2 or section(found)["permissionDecision"] == "deny"


@pytest.mark.parametrize("policy", ["deny", "allow"])
def test_a_change_that_no_json_can_hold_follows_on_failure(policy: str) -> None:
    @hook("tool.before", on_failure=policy)
    def odd(event: Event) -> Answer:
        return hook.rewrite(command=object())

    found = fire(odd)

    assert found["code"] == 0
    assert "hook odd failed: TypeError: hook.rewrite was given a value that JSON cannot hold" in found["err"]
    assert (found.get("hookSpecificOutput", {}).get("permissionDecision") == "deny") == (policy == "deny")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"kinds": ("tool.befor",)}, "no kind 'tool.befor' (did you mean 'tool.before'?)"),
        ({"kinds": ()}, "needs the kind of event"),
        ({"match": "("}, "is not a regular expression"),
        ({"on_failure": "shrug"}, "on_failure may be deny, ask, allow"),
        ({"timeout": 0}, "timeout must be a number of seconds above 0"),
    ],
    ids=str,
)
def test_a_hook_that_could_never_be_called_is_an_error_at_once(options: dict[str, Any], problem: str) -> None:
    kinds = options.pop("kinds", ("tool.before",))
    with pytest.raises((ValueError, TypeError), match=problem.replace("(", r"\(").replace("?)", r"\?\)")):
        hook(*kinds, **options)(lambda event: None)


def test_the_decorator_without_a_kind_says_what_it_needs() -> None:
    with pytest.raises(TypeError, match="needs the kind"):

        @hook  # type: ignore[arg-type]
        def forgotten(event: Event) -> None: ...


def test_the_options_of_a_hook_are_its_parameters_with_defaults() -> None:
    @hook("tool.before")
    def guard(event: Event, one: int = 1, *, two: str = "b") -> None: ...

    (registered,) = guard.hooks  # type: ignore[attr-defined]
    assert isinstance(registered, Registered)
    assert (registered.name, registered.options) == ("guard", {"one": 1, "two": "b"})

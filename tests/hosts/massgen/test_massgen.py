"""MassGen's own API over the engine: every scenario of its document, through the manager that its program has."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pytest

from conftest import Project
from tenterhook import UsageError
from tenterhook.hosts.massgen import (
    CommandHook,
    FunctionHook,
    GeneralHookManager,
    HookEvent,
    HookResult,
    HookType,
    PatternHook,
    PythonCallableHook,
)

PRE, POST = HookType.PRE_TOOL_USE, HookType.POST_TOOL_USE
CONTEXT = {"session_id": "s1", "agent_id": "a1", "orchestrator_id": "o1"}


class Manager(GeneralHookManager):
    """One that is called without a loop."""

    def pre(self, tool: str = "Write", arguments: Any = None, **context: Any) -> HookResult:
        given = arguments if isinstance(arguments, str) else json.dumps(arguments or {"path": "a"})
        return asyncio.run(self.execute_hooks(PRE, tool, given, {**CONTEXT, **context}))

    def post(self, tool: str = "Write", output: Any = "written", **context: Any) -> HookResult:
        return asyncio.run(self.execute_hooks(POST, tool, '{"path": "a"}', {**CONTEXT, **context}, output))

    def on(self, hook_type: HookType, function: Any, **options: Any) -> None:
        name = options.pop("name", getattr(function, "__name__", "hook"))
        self.register_global_hook(hook_type, PythonCallableHook(name, function, **options))

    def config(self, agent_id: str | None = None, **events: Any) -> None:
        self.register_hooks_from_config(events, agent_id)


@pytest.fixture
def manager(project: Project) -> Iterator[Manager]:
    made = Manager(project.root)
    yield made
    made.close()


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, "tenterhook.hosts.massgen")
    return caplog


def names(result: HookResult) -> list[str]:
    return [one["hook_name"] for one in result.executed_hooks]


def says(answer: Any) -> Any:
    return lambda event: answer


def run_of(manager: Manager, tool: str = "Write", agent: str = "a1") -> list[str]:
    return names(manager.pre(tool, agent_id=agent))


# ---- events


@pytest.mark.req("MG-01.1")
def test_all_hooks_before_a_tool_have_run_when_the_result_is_there(manager: Manager, project: Project) -> None:
    manager.on(PRE, lambda event: project.write("one", event.tool_name) and None)
    manager.on(POST, lambda event: project.write("two", event.tool_name) and None)

    result = manager.pre("Write")

    assert (result.allowed, result.decision, project.read("one"), project.has("two")) == (True, "allow", "Write", False)


@pytest.mark.req("MG-01.2")
@pytest.mark.parametrize("output", ["written", {"lines": 3}, ""])
def test_hooks_after_a_tool_are_given_its_result(manager: Manager, output: Any) -> None:
    seen = []
    manager.on(POST, lambda event: seen.append((event.hook_type, event.tool_output)))

    manager.post(output=output)

    assert seen == [("PostToolUse", output)]


# ---- registration


@pytest.mark.req("MG-02.1")
@pytest.mark.parametrize("agent", ["a1", "a2", None])
def test_a_global_python_hook_is_for_all_agents(manager: Manager, project: Project, agent: str | None) -> None:
    project.write("guard.py", 'def check(event):\n    return {"decision": "deny", "reason": event.tool_name}\n')
    manager.config(PreToolUse=[{"handler": "guard.check", "type": "python"}])

    result = manager.pre(agent_id=agent)

    assert (result.allowed, result.decision, result.reason) == (False, "deny", "Write")
    assert names(result) == ["python_guard.check"]


@pytest.mark.req("MG-02.2")
@pytest.mark.parametrize("agent", ["a1", None])
def test_a_global_command_hook_is_for_all_agents(manager: Manager, project: Project, agent: str | None) -> None:
    handler = project.answers("path/to/script", {"inject": {"content": "seen", "strategy": "tool_result"}})
    manager.config(PostToolUse=[{"handler": handler, "type": "command"}])

    result = manager.post(agent_id=agent)

    assert result.inject == {"content": "seen", "strategy": "tool_result"}
    assert names(result) == [f"command_{handler}"]


@pytest.mark.req("MG-03.1")
def test_an_agents_hooks_run_after_the_global_ones_in_whatever_order_they_came(manager: Manager) -> None:
    manager.register_agent_hook("a1", PRE, PythonCallableHook("own", says(None)))
    manager.register_global_hook(PRE, PythonCallableHook("global", says(None)))

    assert run_of(manager) == ["global", "own"]
    assert run_of(manager, agent="a2") == ["global"]
    assert [hook.name for hook in manager.get_hooks_for_agent("a1", PRE)] == ["global", "own"]
    assert [hook.name for hook in manager.get_hooks_for_agent(None, PRE)] == ["global"]


OWN = {"handler": "./own", "type": "command", "name": "own"}


@pytest.mark.req("MG-03.2")
@pytest.mark.parametrize(
    ("form", "left"),
    [
        ({"override": True, "hooks": [OWN]}, ["own"]),
        ([{**OWN, "override": True}], ["own"]),
        ([{"override": True}, OWN], ["own"]),
        ({"override": True, "hooks": []}, []),
        ({"override": True}, []),
        ([{"override": True}], []),
        ({"override": False, "hooks": [OWN]}, ["global", "own"]),
        ([OWN], ["global", "own"]),
        ([], ["global"]),
    ],
    ids=str,
)
def test_an_override_counts_in_every_form(manager: Manager, project: Project, form: Any, left: list[str]) -> None:
    project.script("own", "true\n")
    manager.on(PRE, says(None), name="global")
    manager.on(POST, says(None), name="after")
    manager.config("a1", PreToolUse=form)

    assert run_of(manager) == left
    assert run_of(manager, agent="a2") == ["global"]
    assert names(manager.post()) == ["after"]


@pytest.mark.req("MG-03.2")
def test_an_override_in_code_switches_the_global_hooks_off(manager: Manager) -> None:
    manager.on(PRE, says(HookResult.deny()), name="global")
    manager.register_agent_hook("a1", PRE, PythonCallableHook("own", says(None)), override=True)

    assert (manager.pre().allowed, manager.pre(agent_id="a2").allowed) == (True, False)


# ---- matching


@pytest.mark.req("MG-04.1", "MG-04.2", "MG-04.3")
@pytest.mark.parametrize(
    ("matcher", "tool", "runs"),
    [
        ("*", "anything", True),
        ("Write|Edit", "Edit", True),
        ("Write | Edit", "Write", True),
        ("Write|Edit", "Read", False),
        ("Write", "write", False),
        ("mcp__*", "mcp__files__read", True),
        (None, "anything", True),
    ],
)
def test_a_matcher_is_globs_and_none_is_all(manager: Manager, matcher: str | None, tool: str, runs: bool) -> None:
    manager.config(PreToolUse=[{"handler": "./hook", **({"matcher": matcher} if matcher else {})}])
    [hook] = manager.get_hooks_for_agent(None, PRE)

    result = manager.pre(tool)

    assert (hook.matches(tool), bool(names(result))) == (runs, runs)
    assert result.outcome is not None
    assert [one.why for one in result.outcome.skipped] == ([] if runs else ["matcher"])


def test_a_class_may_match_in_a_way_of_its_own(manager: Manager) -> None:
    class Long(PatternHook):
        def matches(self, tool_name: str) -> bool:
            return len(tool_name) > 4

        async def execute(self, function_name: str, arguments: str, context: Any = None, **kwargs: Any) -> HookResult:
            return HookResult.deny("long")

    manager.register_global_hook(PRE, Long("long"))

    assert [manager.pre(tool).allowed for tool in ("Read", "Write")] == [True, False]


# ---- what hooks may do before a tool


@pytest.mark.req("MG-05.1")
@pytest.mark.parametrize(
    "answer",
    [
        {"decision": "deny", "reason": "no"},
        HookResult.deny("no"),
        HookResult(allowed=False, reason="no"),
        HookResult(allowed=False, metadata={"reason": "no"}),
        {"allowed": False, "reason": "no"},
    ],
    ids=str,
)
def test_a_deny_in_any_form_denies_with_its_reason(manager: Manager, answer: Any) -> None:
    manager.on(PRE, says(answer))

    result = manager.pre()

    assert (result.allowed, result.decision, result.reason) == (False, "deny", "no")


@pytest.mark.req("MG-05.2")
@pytest.mark.parametrize(
    "answer",
    [
        {"updated_input": {"path": "b"}},
        HookResult(updated_input={"path": "b"}),
        HookResult(modified_args='{"path": "b"}'),
        {"modified_args": '{"path": "b"}'},
    ],
    ids=str,
)
def test_a_changed_input_is_there_as_a_mapping_and_as_json(manager: Manager, answer: Any) -> None:
    manager.on(PRE, says(answer))

    result = manager.pre(arguments={"path": "a", "mode": 1})

    assert (result.allowed, result.updated_input, result.modified_args) == (True, {"path": "b"}, '{"path": "b"}')


def test_modified_args_that_are_no_json_have_failed(manager: Manager) -> None:
    manager.on(PRE, says(HookResult(modified_args="{half")), name="odd")

    result = manager.pre()

    assert (result.allowed, result.modified_args, result.has_errors()) == (True, None, True)
    assert "odd failed" in result.hook_errors[0]


@pytest.mark.req("MG-05.3")
@pytest.mark.parametrize("answer", [None, {}, {"decision": "allow"}, HookResult(), HookResult.allow()], ids=str)
def test_an_allow_or_nothing_leaves_the_call_as_it_is(manager: Manager, answer: Any) -> None:
    manager.on(PRE, says(answer))

    result = manager.pre()

    assert (result.allowed, result.decision, result.modified_args, result.hook_errors) == (True, "allow", None, [])


def test_an_ask_is_told_and_outlives_an_allow(manager: Manager) -> None:
    manager.on(PRE, says(HookResult.ask("sure?")), name="one")
    manager.on(PRE, says(HookResult.allow()), name="two")

    result = manager.pre()

    assert (result.allowed, result.decision, result.reason) == (True, "ask", "sure?")
    assert [one["decision"] for one in result.executed_hooks] == ["ask", "allow"]


# ---- what hooks may do after a tool


@pytest.mark.req("MG-06.1", "MG-06.2")
@pytest.mark.parametrize(
    ("inject", "strategy"),
    [
        ({"content": "c", "strategy": "tool_result"}, "tool_result"),
        ({"content": "c", "strategy": "user_message"}, "user_message"),
        ({"content": "c"}, "tool_result"),
    ],
    ids=str,
)
def test_an_injection_has_its_strategy(manager: Manager, inject: Any, strategy: str) -> None:
    manager.on(POST, says(HookResult(inject=inject)), name="one")

    result = manager.post()

    assert result.inject == {"content": "c", "strategy": strategy}
    assert result.injections == [result.inject]
    assert result.executed_hooks[0]["injection_preview"] == result.executed_hooks[0]["injection_content"] == "c"
    assert (result.executed_hooks[0]["hook_type"], result.executed_hooks[0]["decision"]) == ("post", "allow")


# ---- commands


@pytest.mark.req("MG-07.1", "MG-07.3")
def test_a_command_reads_a_hook_event_and_its_environment(manager: Manager, project: Project) -> None:
    names = ("HOOK_TYPE", "TOOL_NAME", "SESSION_ID", "AGENT_ID")
    told = "|".join(f"$MASSGEN_{name}" for name in names)
    project.script("hook", f'cat > event.json\nprintf %s "{told}" > environment\n')
    manager.config(PostToolUse=[{"handler": "./hook", "type": "command"}])

    manager.post(output="done")

    event = HookEvent.from_json(project.read("event.json"))
    assert (event.hook_type, event.session_id, event.agent_id, event.tool_name) == ("PostToolUse", "s1", "a1", "Write")
    assert (event.orchestrator_id, event.tool_input, event.tool_output) == ("o1", {"path": "a"}, "done")
    assert abs((datetime.now(UTC) - event.timestamp).total_seconds()) < 60
    assert project.read("environment") == "PostToolUse|Write|s1|a1"


@pytest.mark.req("MG-07.2")
def test_a_command_writes_a_hook_result(manager: Manager, project: Project) -> None:
    answer = {"decision": "ask", "reason": "r", "updated_input": {"x": 1}}
    manager.register_global_hook(PRE, CommandHook("guard", project.answers("guard", answer)))

    result = manager.pre()

    assert (result.decision, result.reason, result.updated_input) == ("ask", "r", {"x": 1})


# ---- time


@pytest.mark.req("MG-08.1", "MG-08.2")
def test_hooks_have_thirty_seconds_or_what_their_entry_says(manager: Manager) -> None:
    manager.config(PreToolUse=[{"handler": "a.b"}, {"handler": "a.b", "timeout": 60}, {"handler": "./c"}])

    assert [hook.timeout for hook in manager.get_hooks_for_agent(None, PRE)] == [30, 60, 30]
    assert PythonCallableHook("x", says(None)).timeout == 30


async def slow(event: HookEvent) -> None:
    await asyncio.sleep(30)


def busy(event: HookEvent) -> None:
    time.sleep(2)


class Waiting(PatternHook):
    async def execute(self, function_name: str, arguments: str, context: Any = None, **kwargs: Any) -> HookResult:
        await asyncio.sleep(30)
        return HookResult.deny()


@pytest.mark.req("MG-08.3")
@pytest.mark.parametrize(
    "hook",
    [
        PythonCallableHook("h", slow, timeout=0.2),
        PythonCallableHook("h", busy, timeout=0.2),
        Waiting("h", timeout=0.2),
        CommandHook("h", "./sleeps", timeout=0.2),
    ],
    ids=["coroutine", "function", "class", "command"],
)
def test_a_hook_past_its_time_is_ended_and_the_call_goes_on(
    manager: Manager, project: Project, hook: PatternHook, logged: pytest.LogCaptureFixture
) -> None:
    project.script("sleeps", "exec sleep 30\n")
    manager.register_global_hook(PRE, hook)
    began = time.monotonic()

    result = manager.pre()

    assert time.monotonic() - began < 5
    assert (result.allowed, result.executed_hooks[0]["decision"]) == (True, "error")
    assert "h failed" in result.hook_errors[0]
    assert "0.2 s" in result.hook_errors[0]
    assert "0.2 s" in logged.text


# ---- failures


def broken(event: HookEvent) -> None:
    raise ValueError("odd")


@pytest.mark.req("MG-09.1")
@pytest.mark.parametrize(("fail_closed", "allowed"), [(False, True), (True, False)])
def test_an_exception_is_logged_and_lets_the_call_go_on_unless_it_fails_closed(
    manager: Manager, logged: pytest.LogCaptureFixture, fail_closed: bool, allowed: bool
) -> None:
    manager.on(PRE, broken, fail_closed=fail_closed)
    manager.on(PRE, says(None), name="next")

    result = manager.pre()

    assert (result.allowed, names(result)) == (allowed, ["broken", "next"] if allowed else ["broken"])
    assert "ValueError: odd" in result.hook_errors[0]
    assert "ValueError: odd" in logged.text


@pytest.mark.req("MG-09.2")
@pytest.mark.parametrize("printed", ["no json", "[1]", '{"decision": "deny"'])
def test_invalid_json_of_a_command_is_logged_and_the_call_goes_on(
    manager: Manager, project: Project, logged: pytest.LogCaptureFixture, printed: str
) -> None:
    manager.config(PreToolUse=[{"handler": project.answers("hook", printed), "type": "command"}])

    result = manager.pre()

    assert (result.allowed, result.has_errors()) == (True, True)
    assert "failed" in logged.text


@pytest.mark.req("MG-09.3")
@pytest.mark.parametrize("handler", ["no_such_module.check", "json.no_such_function", "nodots"])
def test_a_function_that_cannot_be_imported_is_logged_and_denies(
    manager: Manager, logged: pytest.LogCaptureFixture, handler: str
) -> None:
    manager.config(PreToolUse=[{"handler": handler, "type": "python"}])

    result = manager.pre()

    assert (result.allowed, result.decision) == (False, "deny")
    assert handler in str(result.reason)
    assert "cannot import" in result.hook_errors[0]
    assert "cannot import" in logged.text
    assert result.outcome is not None
    assert [attempt.error for attempt in result.outcome.attempts] == ["import"]


def test_an_import_that_failed_is_tried_again(manager: Manager, project: Project) -> None:
    manager.config(PreToolUse=[{"handler": "late.check", "type": "python"}])
    before = manager.pre()
    project.write("late.py", "def check(event):\n    return None\n")

    assert (before.allowed, manager.pre().allowed) == (False, True)


def test_fail_closed_counts_in_a_config(manager: Manager, logged: pytest.LogCaptureFixture) -> None:
    manager.config(PreToolUse=[{"handler": "./none", "type": "command", "fail_closed": True}])

    assert manager.pre().allowed is False
    assert "unknown key" not in logged.text


# ---- several hooks


@pytest.mark.req("MG-10.1")
@pytest.mark.parametrize("order", [("deny", "allow"), ("allow", "deny"), ("ask", "deny")])
def test_any_deny_denies(manager: Manager, order: tuple[str, str]) -> None:
    for word in order:
        manager.on(PRE, says({"decision": word, "reason": word}), name=word)

    result = manager.pre()

    assert (result.allowed, result.reason) == (False, "deny")
    assert names(result) == list(order[: order.index("deny") + 1])


@pytest.mark.req("MG-10.2")
def test_each_hook_gets_the_input_as_changed_so_far(manager: Manager, project: Project) -> None:
    """A function, a class of one's own and a command, one after another."""
    seen: list[Any] = []

    class Counting(PatternHook):
        async def execute(self, function_name: str, arguments: str, context: Any = None, **kwargs: Any) -> HookResult:
            seen.append(arguments)
            return HookResult(modified_args=json.dumps({"n": json.loads(arguments)["n"] + 1}))

    manager.register_global_hook(PRE, Counting("class"))
    manager.on(PRE, lambda event: {"updated_input": {"n": event.tool_input["n"] + 1}}, name="function")
    manager.register_global_hook(PRE, Counting("class"))
    manager.register_global_hook(PRE, CommandHook("command", project.answers("hook")))

    result = manager.pre(arguments='{ "n":1 }')

    assert seen == ['{ "n":1 }', '{"n": 3}']
    assert project.json("hook.json")["tool_input"] == result.updated_input == {"n": 4}


@pytest.mark.req("MG-10.3")
def test_all_injections_are_there_each_with_its_own_strategy(manager: Manager) -> None:
    for content, strategy in (("one", "user_message"), ("two", "tool_result")):
        manager.on(POST, says({"inject": {"content": content, "strategy": strategy}}), name=content)

    result = manager.post()

    assert result.injections == [
        {"content": "one", "strategy": "user_message"},
        {"content": "two", "strategy": "tool_result"},
    ]
    assert result.inject == {"content": "one\ntwo", "strategy": "tool_result"}


# ---- the API itself


def test_a_class_of_ones_own_gets_the_hosts_context_as_it_is(manager: Manager) -> None:
    thing, seen = object(), []

    class Looking(PatternHook):
        async def execute(self, function_name: str, arguments: str, context: Any = None, **kwargs: Any) -> HookResult:
            seen.append((function_name, context, threading.get_ident()))
            return HookResult(hook_errors=["half of it failed"])

    manager.register_global_hook(POST, Looking("look"))
    result = manager.post("Write", "out", thing=thing)

    [(name, context, thread)] = seen
    assert (name, context["thing"], context["tool_output"]) == ("Write", thing, "out")
    assert context["hook_type"] == "PostToolUse"
    assert thread == threading.get_ident()
    assert (result.allowed, result.hook_errors) == (True, ["half of it failed"])


def test_arguments_that_are_no_json_are_shown_to_hooks(manager: Manager) -> None:
    seen: list[Any] = []
    manager.on(PRE, lambda event: seen.append(event.tool_input))

    for arguments in ("{half", "", "[1]"):
        asyncio.run(manager.execute_hooks(PRE, "Write", arguments, dict(CONTEXT)))

    assert seen == [{"raw": "{half"}, {}, [1]]


@pytest.mark.parametrize("hook_type", ["PreToolUse", "PostToolUse"])
def test_a_hook_may_be_executed_alone(project: Project, hook_type: str) -> None:
    async def check(event: HookEvent) -> HookResult:
        return HookResult.deny(f"{event.hook_type} {event['tool_name']} {event.get('tool_output')}")

    hook = PythonCallableHook("alone", check, matcher="Write")
    context = {"hook_type": hook_type, "tool_output": "out"}

    refused = asyncio.run(hook.execute("Write", "{}", context))
    assert (refused.allowed, refused.reason) == (False, f"{hook_type} Write out")
    assert asyncio.run(hook.execute("Read", "{}", context)).allowed
    assert asyncio.run(hook.execute("Write", "{}")).reason == "PreToolUse Write None"


def test_an_event_is_a_record_a_mapping_and_json() -> None:
    event = HookEvent("PreToolUse", "s", "o", None, datetime(2026, 1, 2, tzinfo=UTC), "Write", {"a": 1})

    assert HookEvent.from_json(event.to_json()) == event == HookEvent.from_dict(event)
    assert json.loads(event.to_json()) == {**event} == event.to_dict()
    assert (event["timestamp"], event.timestamp.year, "nothing" in event) == ("2026-01-02T00:00:00+00:00", 2026, False)
    assert asdict(event)["tool_input"] == {"a": 1}
    with pytest.raises(UsageError, match="needs hook_type"):
        HookEvent.from_dict({"tool_name": "x"})


def test_a_result_keeps_allowed_and_decision_together() -> None:
    assert HookResult(allowed=False) == HookResult(decision="deny") == HookResult.from_dict({"decision": "deny"})
    assert HookResult.from_dict({"allowed": False, "what": 1}).decision == "deny"
    assert (HookResult.ask("r").allowed, HookResult.ask("r").decision) == (True, "ask")
    result = HookResult.allow()
    result.add_error("e")
    result.add_executed_hook("h", "pre", "allow", injection_content="x" * 200)
    assert (result.has_errors(), len(result.executed_hooks[0]["injection_preview"])) == (True, 103)


def test_hooks_may_be_cleared(manager: Manager) -> None:
    manager.on(PRE, says(HookResult.deny()))
    manager.config("a1", PreToolUse={"override": True})
    manager.clear_hooks()
    manager.on(PRE, says(None), name="new")

    assert run_of(manager) == ["new"]


def test_a_function_is_a_hook_for_all_tools_and_arguments_may_be_a_mapping(manager: Manager) -> None:
    manager.register_global_hook(PRE, lambda event: HookResult.deny(event.tool_input["path"]))

    assert asyncio.run(manager.execute_hooks(PRE, "Write", {"path": "a"})).reason == "a"


def test_what_cannot_be_a_hook_is_refused(manager: Manager) -> None:
    class Plain(FunctionHook):
        async def execute(self, function_name: str, arguments: str, context: Any = None, **kwargs: Any) -> HookResult:
            return HookResult.allow()

    for wrong in (
        lambda: manager.register_agent_hook("a", PRE, Plain("plain")),  # type: ignore[arg-type]
        lambda: PythonCallableHook("x", 5),  # type: ignore[arg-type]
        lambda: PythonCallableHook("x", says(None), timeout=0),
        lambda: manager.register_hooks_from_config([]),  # type: ignore[arg-type]
    ):
        with pytest.raises(UsageError):
            wrong()


def test_what_is_wrong_in_a_config_is_logged_and_the_rest_works(
    manager: Manager, logged: pytest.LogCaptureFixture
) -> None:
    manager.config(PreTolUse=[], PreToolUse=[{"type": "python"}, {"handler": "json.loads", "timeot": 3}])

    assert len(manager.get_hooks_for_agent(None, PRE)) == 1
    assert [word for word in ("'PreTolUse'", "needs 'handler'", "'timeot'") if word not in logged.text] == []


def test_calls_at_once_do_not_mix(manager: Manager) -> None:
    async def echo(event: HookEvent) -> Any:
        await asyncio.sleep(0.01)
        return {"updated_input": {"n": event.tool_input["n"] * 2}}

    manager.on(PRE, echo)

    async def calls() -> list[HookResult]:
        return await asyncio.gather(
            *(manager.execute_hooks(PRE, "Write", json.dumps({"n": n}), dict(CONTEXT)) for n in range(1, 30))
        )

    assert [result.updated_input for result in asyncio.run(calls())] == [{"n": n * 2} for n in range(1, 30)]


def test_a_tap_hears_every_outcome(manager: Manager) -> None:
    heard: list[Any] = []
    manager.engine.tap(heard.append)
    manager.on(PRE, says(None), name="one")

    results = [manager.pre(), manager.post()]

    assert heard == [result.outcome for result in results]
    assert [len(outcome.attempts) for outcome in heard] == [1, 0]


@pytest.mark.parametrize(
    "rest",
    [{"modified_args": "{no json"}, {"modified_args": '{"a": "\\ud800"}'}, {"updated_input": 1}, {"metadata": None}],
)
def test_nothing_else_in_a_result_lifts_its_refusal(manager: Manager, rest: dict[str, Any]) -> None:
    manager.on(PRE, lambda event: HookResult(allowed=False, **rest))

    assert not manager.pre().allowed


@pytest.mark.parametrize("arguments", ["[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000])
def test_arguments_too_deep_to_be_read_lift_no_refusal(manager: Manager, arguments: str) -> None:
    manager.on(PRE, lambda event: HookResult.deny("no"))

    assert not manager.pre(arguments=arguments).allowed


@pytest.mark.parametrize(("closed", "allowed"), [(True, False), (False, True)])
def test_a_text_in_place_of_true_or_false_is_a_failure_and_no_yes(closed: bool, allowed: bool) -> None:
    manager = GeneralHookManager()
    hook = PythonCallableHook("guard", lambda event: {"allowed": "false"}, fail_closed=closed)
    manager.register_global_hook(HookType.PRE_TOOL_USE, hook)

    result = asyncio.run(manager.execute_hooks(HookType.PRE_TOOL_USE, "Bash", "{}"))

    assert result.allowed is allowed
    assert ["allowed must be true or false, not 'false'" in error for error in result.hook_errors] == [True]

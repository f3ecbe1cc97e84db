"""What was measured of Gemini CLI 0.61.0, statement by statement: its files, matchers, chains, merges and events."""

import json
import shutil
from functools import partial
from typing import Any

import pytest

from tenterhook.hosts.result import ToolResult
from tenterhook.testing import Did, simulate

from .groups import hook, order, says, section, written

CALL = {"tool_name": "run_shell_command", "tool_input": {"command": "ls", "description": "test"}}
SETTINGS = ".gemini/settings.json"
DENY = "echo no >&2; exit 2"
WHOLE = {"candidates": [{"content": {"role": "model", "parts": ["made up"]}, "finishReason": "STOP"}]}
settings = partial(written, event="BeforeTool")


# ---- files


def everywhere(project: Any) -> dict[str, str]:
    """A hook in a file of each scope, and the variables that say where the system's files lie."""
    places = {
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(project.home("defaults.json", settings("true #defaults"))),
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(project.home("system.json", settings("true #system"))),
    }
    project.home(".gemini/settings.json", settings("true #user"))
    project.write(SETTINGS, settings("true #project"))
    project.home(".gemini/extensions/one/hooks/hooks.json", settings("true #extension"))
    return places


def test_hooks_of_every_scope_add_up_defaults_first_extensions_last(project):
    outcome = project.fire("gemini", "BeforeTool", CALL, environ=everywhere(project))

    scopes = ["defaults", "user", "project", "system", "extension"]
    assert order(outcome) == [f"true #{scope}" for scope in scopes]


@pytest.mark.parametrize(
    ("said", "runs"),
    [
        ({}, True),
        ({"project": False}, False),
        ({"user": False}, False),
        ({"user": False, "project": True}, True),
        ({"user": True, "project": False}, False),
        ({"defaults": False}, False),
        ({"defaults": False, "user": True}, True),
        ({"project": True, "system": False}, False),
        ({"project": False, "system": True}, True),
    ],
)
def test_the_word_of_system_over_project_over_user_over_defaults_switches_hooks_off(project, said, runs):
    def file(scope: str) -> str:
        return json.dumps({"hooksConfig": {"enabled": said[scope]}} if scope in said else {})

    environ = {
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(project.home("defaults.json", file("defaults"))),
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(project.home("system.json", file("system"))),
    }
    project.home(".gemini/settings.json", file("user"))
    project.write(SETTINGS, json.dumps({**json.loads(file("project")), **json.loads(settings("true"))}))
    outcome = project.fire("gemini", "BeforeTool", CALL, environ=environ)

    assert bool(outcome.attempts) == runs
    assert [one.why for one in outcome.skipped] == ([] if runs else ["disabled"])


def test_disabled_hooks_are_named_by_their_name_or_by_their_command(project):
    listed = {"disabled": ["guard", "echo two"]}
    hooks = (hook("echo one", name="guard"), "echo two", hook("echo two", name="other"), "echo three")
    project.write(SETTINGS, settings(*hooks, hooksConfig=listed))
    outcome = project.fire("gemini", "BeforeTool", CALL)

    assert order(outcome) == ["other", "echo three"]
    assert [(one.hook, one.why) for one in outcome.skipped] == [("guard", "disabled"), ("echo two", "disabled")]


def test_an_entry_that_is_wrong_costs_itself_alone(project):
    wrong = [{"command": "true #untyped"}, {"type": "http", "url": "x"}, {"type": "command"}, "text"]
    project.write(SETTINGS, json.dumps({"hooks": {"BeforeTool": [{"matcher": ""}, {"hooks": [*wrong, hook("true")]}]}}))
    engine = project.engine("gemini")

    assert order(engine.fire("BeforeTool", **CALL)) == ["true"]
    assert len(engine.warnings) >= 4


def test_an_extensions_commands_find_its_folder(project):
    command = '. "${extensionPath}/say.sh"'
    project.home(".gemini/extensions/one/hooks/hooks.json", settings(command))
    project.home(".gemini/extensions/one/say.sh", "echo found >&2; exit 2")
    outcome = project.fire("gemini", "BeforeTool", CALL)

    assert (outcome.blocked, outcome.reason) == (True, "found")


def test_time_outs_are_milliseconds_and_a_minute_without_a_word(project):
    project.write(SETTINGS, settings(hook("true", timeout=5), hook("echo", timeout=2500), "echo two"))

    assert [one.timeout for one in project.engine("gemini").hooks()] == [0.005, 2.5, 60.0]


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_commands_run_in_bash(project):
    project.write(SETTINGS, settings('[[ -n "$BASH" ]] && echo bash >&2; exit 2'))

    assert project.fire("gemini", "BeforeTool", CALL).reason == "bash"


def test_hooks_find_project_session_and_folder_in_their_environment(project):
    names = ("GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_SESSION_ID", "CLAUDE_PROJECT_DIR")
    project.write(SETTINGS, settings(hook(f"printenv {' '.join(names)} >&2; exit 2", env={"MINE": "1"})))
    outcome = project.fire("gemini", "BeforeTool", {**CALL, "session_id": "s-1"})

    assert outcome.reason.split("\n") == [str(project.root), str(project.root), "s-1", str(project.root)]


# ---- which hooks run


@pytest.mark.parametrize(
    ("matcher", "fits"),
    [
        (None, True),
        ("", True),
        ("*", True),
        (" run_shell_command ", True),
        ("shell", True),
        ("^run", True),
        ("Run", False),
        ("write_file|run_shell", True),
        ("(", False),
        ("Bash", False),
        ("run_shell_command(", False),
    ],
)
def test_a_tools_matcher_is_searched_for_in_its_name(project, matcher, fits):
    group = {"hooks": [hook(DENY)], **({} if matcher is None else {"matcher": matcher})}
    project.write(SETTINGS, settings(group))

    assert project.fire("gemini", "BeforeTool", CALL).blocked == fits


@pytest.mark.parametrize(("matcher", "fits"), [("startup", True), ("start", False), ("start.*", False), ("*", True)])
def test_other_events_matchers_are_the_name_itself(project, matcher, fits):
    project.write(SETTINGS, settings({"matcher": matcher, "hooks": [hook("true")]}, event="SessionStart"))

    assert bool(project.fire("gemini", "SessionStart", {"source": "startup"}).attempts) == fits


def test_hooks_with_the_same_name_and_command_are_one(project):
    hooks = ["true", "true", hook("true", name="a"), hook("true", name="a"), hook("true", name="b")]
    project.write(SETTINGS, settings(*hooks))

    assert order(project.fire("gemini", "BeforeTool", CALL)) == ["true", "a", "b"]


# ---- chains and merges


def test_a_chain_shows_inputs_laid_over_each_other_and_uses_the_last_hooks_alone(project):
    first = project.answers("first.sh", {"hookSpecificOutput": {"tool_input": {"command": "a", "dir_path": "."}}})
    second = project.answers("second.sh", {"hookSpecificOutput": {"tool_input": {"command": "b"}}})
    project.write(SETTINGS, settings({"sequential": True, "hooks": [hook(first), hook(second)]}))
    outcome = project.fire("gemini", "BeforeTool", CALL)

    assert project.json("second.sh.json")["tool_input"] == {"command": "a", "description": "test", "dir_path": "."}
    assert outcome.changes == {"input": {"command": "b"}}


def test_a_strict_engine_shows_the_guards_of_a_chain_what_will_really_run():
    """The hook that judged the joined input is asked again, about the last hook's object."""
    hooks = [section(tool_input={"command": "a"}), section(tool_input={"description": "b"})]
    outcome = simulate("gemini", "BeforeTool", hooks, data=CALL, sequential=True, mode="strict")

    assert outcome.changes == {"input": {"description": "b"}}
    assert len(outcome.attempts) == 4


def test_no_deny_ends_a_chain():
    outcome = simulate("gemini", "BeforeTool", [says(decision="deny"), Did()], data=CALL, sequential=True)

    assert (len(outcome.attempts), outcome.blocked) == (2, True)


def test_all_reasons_and_all_stop_reasons_are_told():
    hooks = [says(decision="deny", reason="one"), says(reason="two"), says(**{"continue": False, "stopReason": "s"})]
    outcome = simulate("gemini", "BeforeTool", [*hooks, says(**{"continue": False, "stopReason": "t"})], data=CALL)

    assert (outcome.reason, outcome.stop_reason) == ("one\ntwo", "s\nt")


def test_a_made_up_response_counts_with_a_deny_alone():
    given = {"llm_request": {"model": "m", "messages": []}}
    told = {"hookSpecificOutput": {"llm_response": WHOLE}}
    allowed, denied, stopped = (
        simulate("gemini", "BeforeModel", [says(**told, **more)], data=given)
        for more in ({}, {"decision": "deny"}, {"decision": "deny", "continue": False})
    )

    assert (allowed.changes, denied.changes, stopped.changes) == ({}, {"response": WHOLE}, {})
    assert allowed.warnings


def test_of_requests_that_hooks_made_at_once_or_in_a_chain_the_last_is_laid_over_the_models_own():
    given = {"llm_request": {"model": "m", "messages": [], "config": {"temperature": 1}}}
    hooks = [section(llm_request={"model": "x"}), section(llm_request={"config": {"temperature": 0}})]
    for sequential in (False, True):
        outcome = simulate("gemini", "BeforeModel", hooks, data=given, sequential=sequential)

        assert outcome.changes["request"] == {"model": "m", "messages": [], "config": {"temperature": 0}}


def test_an_empty_response_replaces_nothing():
    data = {"llm_response": {"text": "hi", "candidates": []}}

    assert simulate("gemini", "AfterModel", [section(llm_response={"text": "x"})], data=data).changes == {}
    assert simulate("gemini", "AfterModel", [section(llm_response=WHOLE)], data=data).changes == {"response": WHOLE}


@pytest.mark.parametrize("sequential", [False, True])
def test_tools_that_hooks_allow_add_up_in_the_strictest_mode_whatever_the_host_gave(sequential):
    hooks = [section(toolConfig={"allowedFunctionNames": ["b"]}), section(toolConfig={"allowedFunctionNames": ["a"]})]
    data = {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["z"]}}
    outcome = simulate("gemini", "BeforeToolSelection", hooks, data=data, sequential=sequential)

    assert outcome.changes == {"tool_config": {"mode": "AUTO", "allowedFunctionNames": ["a", "b"]}}


def test_a_tail_call_and_a_cleared_context_are_wishes_for_the_host():
    call = {"name": "read_file", "args": {"file_path": "a"}}
    after = simulate("gemini", "AfterTool", [section(tailToolCallRequest=call)], data=CALL)
    ended = simulate("gemini", "AfterAgent", [section(clearContext=True), section(clearContext=False)])

    assert (after.changes, ended.changes) == ({"tail_call": call}, {"clear": True})


# ---- what a host does


def test_a_refused_result_is_told_once_as_the_result(project):
    project.write(SETTINGS, settings("echo hidden >&2; exit 2", event="AfterTool"))
    engine = project.engine("gemini")

    @engine.tool("run_shell_command")
    def shell(command: str) -> str:
        return f"ran {command}"

    result = shell(command="ls")

    assert isinstance(result, ToolResult)
    assert (result.llm_content, result.user_messages) == ("hidden", ())


def test_a_hook_after_a_tool_is_told_content_and_display(project):
    script = project.answers("after.sh")
    project.write(SETTINGS, settings(script, event="AfterTool"))
    engine = project.engine("gemini")

    @engine.tool("run_shell_command")
    def shell(command: str) -> str:
        return f"ran {command}"

    shell(command="ls")

    assert project.json("after.sh.json")["tool_response"] == {"llmContent": "ran ls", "returnDisplay": "ran ls"}


def test_an_agents_end_is_refused_as_often_as_a_hook_refuses_it(project):
    project.write(SETTINGS, settings("echo again >&2; exit 2", event="AfterAgent"))
    with project.engine("gemini").session() as session:
        assert [session.stop().goes_on for _ in range(12)] == [True] * 12

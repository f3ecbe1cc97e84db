"""What Cursor's documents say of hooks, sentence by sentence: nothing of it was measured on the program."""

import json
from typing import Any

import pytest

from conftest import Project
from tenterhook import Outcome, dialects
from tenterhook.testing import Did, simulate

GATES = ("preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile")
REFUSING = (*GATES, "beforeTabFileRead", "subagentStart")
CALLS = {
    "beforeMCPExecution": {"tool_name": "MCP:search", "tool_input": {"q": "x"}},
    "beforeReadFile": {"tool_name": "Read", "tool_input": {"file_path": "/a"}},
}
SHELL = {"tool_name": "Shell", "tool_input": {"command": "git push"}}


def says(**answer: Any) -> Did:
    return Did(stdout=json.dumps(answer))


def fired(event: str, *dids: Did, **data: Any) -> Outcome:
    return simulate("cursor", event, list(dids), data=data or CALLS.get(event, SHELL))


def test_there_are_the_21_events_of_the_documents() -> None:
    assert len(dialects.get("cursor").events) == 21
    assert all("documents" in text for text in dialects.get("cursor").notes[:1])


@pytest.mark.parametrize("event", REFUSING)
@pytest.mark.parametrize(
    ("did", "refused"),
    [
        (says(permission="allow"), False),
        (says(permission="deny"), True),
        (says(permission="maybe"), True),
        (says(permission=7), True),
        (says(other="x"), False),
        (Did(stdout="all is well"), True),
        (Did(stdout='["deny"]'), True),
        (Did(), False),
        (Did(exit_code=2, stderr="no"), True),
        (Did(exit_code=1, stdout='{"permission": "deny"}'), False),
        (Did(exit_code=None, error="timeout"), False),
        (Did(exit_code=None, error="spawn"), False),
    ],
    ids=repr,
)
def test_what_refuses_and_what_lets_pass(event: str, did: Did, refused: bool) -> None:
    assert fired(event, did).blocked is refused


@pytest.mark.parametrize(
    ("event", "comes"),
    [
        ("preToolUse", "allow"),
        ("beforeShellExecution", "ask"),
        ("beforeMCPExecution", "ask"),
        ("subagentStart", "deny"),
    ],
)
def test_an_ask_is_an_ask_on_two_events_only(event: str, comes: str) -> None:
    assert fired(event, says(permission="ask")).decision == comes


def test_a_refusal_tells_the_agent_and_the_user_each_their_own() -> None:
    outcome = fired("preToolUse", says(permission="deny", agent_message="A", user_message="U"))

    assert {(one.to, one.text) for one in outcome.messages} == {("model", "A"), ("user", "U")}


def test_reasons_of_all_that_refuse_are_joined() -> None:
    both = [says(permission="deny", agent_message=text) for text in ("one", "two")]

    assert fired("preToolUse", *both).reason == "one\n\n---\n\ntwo"


def test_an_input_is_replaced_as_a_whole() -> None:
    assert fired("preToolUse", says(updated_input={"command": "ls"})).changes == {"input": {"command": "ls"}}


def test_a_prompt_is_refused_by_continue_false_and_by_exit_2() -> None:
    refused = [
        fired("beforeSubmitPrompt", one, prompt="p")
        for one in (Did(stdout='{"continue": false, "user_message": "no"}'), Did(exit_code=2, stderr="no"))
    ]

    assert [(one.blocked, one.reason, one.stop) for one in refused] == [(True, "no", False)] * 2


@pytest.mark.parametrize("event", ["stop", "subagentStop"])
def test_only_a_follow_up_keeps_an_agent_from_stopping(event: str) -> None:
    outcomes = [
        fired(event, one, status="completed")
        for one in (says(followup_message="go on"), says(followup_message=""), Did(exit_code=2, stderr="no"))
    ]

    assert [one.blocked for one in outcomes] == [True, False, False]
    assert dialects.get("cursor").rules(event)[0].stop.cap == 5


def test_context_and_variables_for_a_session() -> None:
    outcome = fired("sessionStart", says(additional_context="C", env={"A": "1"}), composer_mode="agent")

    assert ([one.text for one in outcome.messages], outcome.changes) == (["C"], {"env": {"A": "1"}})


def config(project: Project, **events: Any) -> None:
    project.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": events}))


def told(name: str, answer: str = "{}") -> dict[str, Any]:
    return {"command": f"echo {name} >> ran; echo '{answer}'"}


def ran(project: Project, event: str, **data: Any) -> list[str]:
    project.fire("cursor", event, data)
    return project.read("ran").split() if project.has("ran") else []


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (SHELL, ["any", "shell"]),
        ({"tool_name": "MCP:search", "tool_input": {}}, ["any", "mcp"]),
        ({"tool_name": "Read", "tool_input": {"file_path": "/a"}}, ["any", "read"]),
        ({"tool_name": "Grep", "tool_input": {"pattern": "x"}}, ["any"]),
    ],
    ids=lambda one: one.get("tool_name") if isinstance(one, dict) else "",
)
def test_one_call_is_the_event_for_any_tool_and_the_one_for_such(
    project: Project, data: dict[str, Any], wanted: list[str]
) -> None:
    config(
        project,
        beforeShellExecution=[told("shell")],
        beforeMCPExecution=[told("mcp")],
        beforeReadFile=[told("read")],
        preToolUse=[told("any")],
    )

    assert ran(project, "tool.before", **data) == wanted


def test_who_is_refused_by_the_first_event_is_not_asked_about_by_the_other(project: Project) -> None:
    config(project, preToolUse=[told("any", '{"permission": "deny"}')], beforeShellExecution=[told("shell")])

    assert ran(project, "tool.before", **SHELL) == ["any"]


def test_a_matcher_of_shell_commands_looks_into_the_command(project: Project) -> None:
    config(
        project, beforeShellExecution=[{**told("push"), "matcher": "git (push|pull)"}, {**told("no"), "matcher": "^rm"}]
    )

    assert ran(project, "tool.before", **SHELL) == ["push"]


@pytest.mark.parametrize(("closed", "blocked"), [(True, True), (False, False)])
@pytest.mark.parametrize("command", ["exit 1", "sleep 9", "true", "./nowhere"])
def test_a_hook_that_fails_closed_refuses_without_an_answer(
    project: Project, command: str, closed: bool, blocked: bool
) -> None:
    config(project, preToolUse=[{"command": command, "timeout": 0.2, "failClosed": closed}])

    assert project.fire("cursor", "tool.before", SHELL).blocked is blocked


@pytest.mark.parametrize(("version", "wanted"), [(1, ["it"]), (2, [])])
def test_a_file_of_another_version_is_not_read(project: Project, version: int, wanted: list[str]) -> None:
    project.write(".cursor/hooks.json", json.dumps({"version": version, "hooks": {"preToolUse": [told("it")]}}))

    assert ran(project, "tool.before", **SHELL) == wanted


def test_what_a_hook_for_shell_commands_is_told(project: Project) -> None:
    config(project, beforeShellExecution=[{"command": "cat > seen; echo '{}'"}])
    project.fire("cursor", "tool.before", SHELL)

    seen = json.loads(project.read("seen"))
    assert (seen["hook_event_name"], seen["command"]) == ("beforeShellExecution", "git push")
    assert seen["workspace_roots"] == [str(project.root)]
    assert "tool_input" not in seen


def test_hooks_are_told_in_variables_what_is_known(project: Project) -> None:
    config(project, stop=[{"command": "env | grep ^CURSOR_ | sort > ran; echo '{}'"}])
    known = {"cursor_version": "2.1", "user_email": "a@b", "transcript_path": "/t.jsonl"}

    assert ran(project, "stop", **known) == [
        *(f"CURSOR_PROJECT_DIR={project.root}".split()),
        "CURSOR_TRANSCRIPT_PATH=/t.jsonl",
        "CURSOR_USER_EMAIL=a@b",
        "CURSOR_VERSION=2.1",
    ]
    assert ran(project, "stop") == f"CURSOR_PROJECT_DIR={project.root}".split()

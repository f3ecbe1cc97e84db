"""What was measured of Qwen Code 0.24.4, statement by statement: its files, matchers, time-outs, chains and events."""

import json
from functools import partial
from typing import Any

import pytest

from tenterhook import dialects
from tenterhook.testing import Did, simulate

from .groups import hook, order, says, section, written

CALL = {"tool_name": "run_shell_command", "tool_input": {"command": "ls", "description": "test"}}
SETTINGS = ".qwen/settings.json"
DENY = "echo no >&2; exit 2"
settings = partial(written, event="PreToolUse")


def told(outcome: Any) -> list[tuple[str, str, str]]:
    return [(one.to, one.kind, one.text) for one in outcome.messages]


# ---- files


def test_hooks_of_every_scope_add_up_the_projects_first_extensions_last(project):
    environ = {
        "QWEN_CODE_SYSTEM_DEFAULTS_PATH": str(project.home("defaults.json", settings("true #defaults"))),
        "QWEN_CODE_SYSTEM_SETTINGS_PATH": str(project.home("system.json", settings("true #system"))),
    }
    project.home(SETTINGS, settings("true #user"))
    project.write(SETTINGS, settings("true #project"))
    project.home(".qwen/extensions/one/qwen-extension.json", settings("true #manifest", name="one", version="1"))
    project.home(".qwen/extensions/one/hooks/hooks.json", settings("true #extension"))
    outcome = project.fire("qwen", "PreToolUse", CALL, environ=environ)

    scopes = ["project", "user", "defaults", "system", "manifest", "extension"]
    assert order(outcome) == [f"true #{scope}" for scope in scopes]


@pytest.mark.parametrize(
    ("user", "own", "runs"), [(None, True, False), (None, False, True), (True, None, False), (True, False, True)]
)
def test_hooks_are_switched_off_by_the_project_over_the_user(project, user, own, runs):
    project.home(SETTINGS, json.dumps({} if user is None else {"disableAllHooks": user}))
    project.write(SETTINGS, settings("true", **({} if own is None else {"disableAllHooks": own})))

    assert bool(project.fire("qwen", "PreToolUse", CALL).attempts) == runs


def test_a_project_that_nobody_approved_switches_nothing_off(project):
    project.home(SETTINGS, settings(DENY))
    project.write(SETTINGS, json.dumps({"disableAllHooks": True}))

    assert project.fire("qwen", "PreToolUse", CALL, trust="ask").blocked


FRONT = """---
name: reviewer
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: {command}
---
Text.
"""


@pytest.mark.parametrize("place", [".qwen/agents/reviewer.md", ".qwen/skills/reviewer/SKILL.md"])
def test_hooks_in_the_frontmatter_of_agents_and_skills_are_for_these(project, place):
    project.write(place, FRONT.replace("{command}", json.dumps(DENY)))

    assert project.fire("qwen", "PreToolUse", CALL, agent="reviewer").blocked
    assert not project.fire("qwen", "PreToolUse", CALL).attempts


def test_an_extensions_commands_find_its_folder(project):
    project.home(".qwen/extensions/one/hooks/hooks.json", settings('. "${CLAUDE_PLUGIN_ROOT}/say.sh"'))
    project.home(".qwen/extensions/one/say.sh", "echo found >&2; exit 2")

    assert project.fire("qwen", "PreToolUse", CALL).reason == "found"


def test_a_commands_time_out_is_seconds_and_milliseconds_from_a_thousand_on(project):
    hooks = [hook("echo", name=str(limit), timeout=limit) for limit in (5, 0.5, 999, 1000, 60000)]
    project.write(SETTINGS, settings(*hooks, hook("echo", name="none")))

    assert [one.timeout for one in project.engine("qwen").hooks()] == [5.0, 0.5, 999.0, 1.0, 60.0, 60.0]


def test_time_outs_of_other_types_are_seconds_and_have_defaults_of_their_own(project):
    url, prompt = {"type": "http", "url": "https://example.org/hook"}, {"type": "prompt", "prompt": "Is this safe?"}
    project.write(SETTINGS, settings(url, prompt, {**url, "timeout": 2000, "name": "two"}))

    assert [one.timeout for one in project.engine("qwen").hooks()] == [600.0, 30.0, 2000.0]


def test_once_counts_for_a_url_alone(project):
    url = {"type": "http", "url": "https://example.org/hook", "once": True}
    project.write(SETTINGS, settings(url, hook("true", once=True)))
    engine = project.engine("qwen")

    assert [one.once for one in engine.hooks()] == [True, False]
    assert any("once has no effect" in text for text in engine.warnings)


def test_hooks_of_a_batch_have_fifteen_seconds_at_most(project):
    project.write(SETTINGS, settings(hook("true", timeout=40), event="PostToolBatch"))

    assert [one.timeout for one in project.engine("qwen").hooks()] == [15.0]


def test_hooks_find_project_and_session_in_their_environment(project):
    names = "QWEN_PROJECT_DIR GEMINI_PROJECT_DIR CLAUDE_PROJECT_DIR QWEN_CODE_SESSION_ID QWEN_CODE_PROMPT_ID"
    project.write(SETTINGS, settings(f"printenv {names} >&2; exit 2"))
    outcome = project.fire("qwen", "PreToolUse", {**CALL, "session_id": "s-1", "prompt_id": "p-1"})

    assert outcome.reason.split("\n") == [*[str(project.root)] * 3, "s-1", "p-1"]


# ---- which hooks run


@pytest.mark.parametrize(
    ("matcher", "fits"),
    [
        *(("", True), ("*", True), (".*", True), ("run_shell_command", True), ("run_shell", True), ("^run", True)),
        *(("Bash", True), ("Shell", True), (" Shell ", True), ("ShellTool", True), ("bash", False), ("Ba", False)),
        *(("Bash|Edit", True), ("Edit | Bash", True), ("Edit, Bash", False), ("Edit|*", True), ("^Bash$", False)),
        *(("S.*l", False), ("(", False), ("(|Bash", False), ("Bash|(", True), ("Edit|Write", False), ("|", False)),
        *(("(run|edit)_shell", True), ("edit|run_(shell|x)", True), ("x|[|]|Bash", True), ("Edit|run_.*", True)),
    ],
)
def test_a_matcher_is_names_exact_and_by_alias_and_a_regex_on_the_name_itself(project, matcher, fits):
    project.write(SETTINGS, settings({"matcher": matcher, "hooks": [hook(DENY)]}))

    assert project.fire("qwen", "PreToolUse", CALL).blocked == fits


@pytest.mark.parametrize(
    ("matcher", "fits"), [("startup", True), ("start", True), ("resume|start", True), ("x", False)]
)
def test_other_events_matchers_are_read_alike(project, matcher, fits):
    project.write(SETTINGS, settings({"matcher": matcher, "hooks": [hook("true")]}, event="SessionStart"))

    assert bool(project.fire("qwen", "SessionStart", {"source": "startup"}).attempts) == fits


@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("write_file", ["Write", "WriteFile", "WriteFileTool"]),
        ("read_file", ["Read", "ReadFile"]),
        ("edit", ["Edit", "replace", "EditTool"]),
        ("agent", ["Task", "Agent", "task"]),
        ("grep_search", ["Grep", "search_file_content"]),
    ],
)
def test_tools_go_by_the_names_of_others_too(tool, names):
    assert set(names) <= set(dialects.get("qwen").planning.aliases[tool])


def test_of_hooks_with_the_same_name_and_command_one_runs_and_of_one_group_one_of_each_name(project):
    hooks = [hook("true #1", name="a"), hook("true #2", name="a"), "true #3", "true #3"]
    project.write(SETTINGS, settings(*hooks))
    project.home(SETTINGS, settings(hook("true #1", name="a"), hook("true #3", name="b")))
    outcome = project.fire("qwen", "PreToolUse", CALL)

    assert order(outcome) == ["a", "true #3", "b"]
    assert [one.why for one in outcome.skipped] == ["duplicate"] * 3


# ---- answers


def test_an_updated_input_is_not_used_and_a_tool_input_is_shown_to_the_next_hook_alone(project):
    first = project.answers("first.sh", {"hookSpecificOutput": {"tool_input": {"command": "a"}, "updatedInput": {}}})
    second = project.answers("second.sh")
    project.write(SETTINGS, settings({"sequential": True, "hooks": [hook(first), hook(second)]}))
    outcome = project.fire("qwen", "PreToolUse", CALL)

    assert project.json("second.sh.json")["tool_input"] == {"command": "a", "description": "test"}
    assert outcome.changes == {}


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "UserPromptSubmit", "PreToolUse", "UserPromptExpansion"])
def test_a_wish_to_stop_refuses_this_one_thing_and_the_agent_goes_on(event):
    outcome = simulate("qwen", event, [says(**{"continue": False, "stopReason": "enough"})], data=CALL)

    assert (outcome.stop, outcome.blocked, outcome.reason) == (False, True, "enough")


def test_after_a_tool_a_wish_to_stop_is_the_result():
    outcome = simulate("qwen", "PostToolUse", [says(**{"continue": False, "stopReason": "enough"})], data=CALL)

    assert (outcome.stop, outcome.changes) == (False, {"output": "enough"})


@pytest.mark.parametrize("answer", [{"decision": "block", "reason": "no"}, {"continue": False, "stopReason": "no"}])
def test_after_a_batch_a_refusal_is_the_last_result(answer):
    outcome = simulate("qwen", "PostToolBatch", [says(**answer)])

    assert (outcome.blocked, outcome.stop, outcome.changes) == (False, False, {"output": "no"})


@pytest.mark.parametrize("event", ["TodoCreated", "TodoCompleted"])
def test_of_all_refusals_only_the_word_block_keeps_a_todo_from_being_written(event):
    denied = [Did(exit_code=2, stderr="no"), says(decision="deny"), says(decision="block", reason="no")]

    assert [simulate("qwen", event, [one]).blocked for one in denied] == [False, False, True]


def test_a_permission_is_given_and_refused_by_the_decision_object_alone():
    given = {"behavior": "allow", "updatedInput": {"command": "pwd"}}
    answers = [
        section(decision=given),
        section(decision={"behavior": "deny", "message": "no", "interrupt": True}),
        says(decision="deny"),
        section(permissionDecision="deny"),
        Did(exit_code=2, stderr="no"),
    ]
    allowed, denied, *others = (simulate("qwen", "PermissionRequest", [one], data=CALL) for one in answers)

    assert (allowed.decision, allowed.changes) == ("allow", {"input": {"command": "pwd"}})
    assert (denied.blocked, denied.reason, denied.changes) == (True, "no", {"interrupt": True})
    assert [one.blocked for one in others] == [False] * 3


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "UserPromptExpansion"])
def test_plain_text_on_stdout_is_context_and_on_stderr_it_is_shown(event):
    out, err = (simulate("qwen", event, [did]) for did in (Did(stdout="text"), Did(stderr="text")))

    assert (told(out), told(err)) == ([("model", "context", "text")], [("user", "system", "text")])


@pytest.mark.parametrize("event", ["MessageDisplay", "SessionDelete", "StopFailure"])
def test_nobody_listens_to_some_hooks(event):
    for did in (says(decision="block", reason="no"), Did(exit_code=2, stderr="no"), Did(stdout="text")):
        outcome = simulate("qwen", event, [did])

        assert not outcome.blocked
        assert {to for to, _, _ in told(outcome)} <= {"log"}


def test_a_stop_is_refused_seven_times_in_a_row_at_most(project):
    project.write(SETTINGS, settings("echo again >&2; exit 2", event="Stop"))
    with project.engine("qwen").session() as session:
        refused = [session.stop().goes_on for _ in range(8)]

    assert refused == [True] * 7 + [False]

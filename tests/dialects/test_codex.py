"""Codex CLI, statement by statement."""

import json
from typing import Any

import pytest

from tenterhook import Engine, Outcome
from tenterhook.pipeline.payload import Given
from tenterhook.testing import Did, simulate

CALL: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
ALONE: dict[str, Any] = {"files": False, "environ": {}, "home": "/", "journal": False, "sandbox": "off"}


def hooks(*groups: dict[str, Any] | None, event: str = "PreToolUse", **others: Any) -> str:
    return json.dumps({"hooks": {event: list(groups), **others}})


def group(*entries: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {**keys, "hooks": [{"type": "command", "command": "true", **entry} for entry in entries]}


def engine(project: Any, text: str = "", **options: Any) -> Engine:
    if text:
        project.write(".codex/hooks.json", text)
    made: Engine = project.engine("codex", **options)
    return made


def said(event: str, answer: dict[str, Any], **data: Any) -> Outcome:
    return simulate("codex", event, [Did(stdout=json.dumps(answer))], data=data)


# ---- matchers

MATCHERS = [
    ("Bash", "Bash", True),
    ("Bash", "BashOutput", False),
    ("^Bash", "BashOutput", True),
    ("Edit|Write", "apply_patch", True),
    ("apply_patch", "apply_patch", True),
    ("Agent", "spawn_agent", True),
    ("Edit, Bash", "Bash", False),
    ("a-b", "xa-by", True),
    ("", "Bash", True),
    ("*", "Bash", True),
]


@pytest.mark.parametrize(("matcher", "tool", "fires"), MATCHERS)
def test_a_matcher_is_the_older_rule_of_names_and_knows_other_names_of_tools(
    matcher: str, tool: str, fires: bool
) -> None:
    one = Engine(dialect="codex", **ALONE)
    one.add("PreToolUse", lambda event: {"decision": "block", "reason": "no"}, match=matcher)

    assert one.fire("PreToolUse", tool_name=tool, tool_input={}).blocked == fires


def test_a_matcher_of_a_file_that_is_not_an_expression_fits_nothing(project: Any) -> None:
    one = engine(project, hooks(group({}, matcher="["), event="PreToolUse"))

    assert not one.fire("PreToolUse", tool_name="Bash", tool_input={}).attempts


@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit", "Interrupt", "SessionEnd"])
def test_some_events_have_nothing_to_match_on(project: Any, event: str) -> None:
    assert len(engine(project, hooks(group({}, matcher="x"), event=event)).fire(event).attempts) == 1


# ---- files


def test_one_http_hook_makes_the_agent_refuse_the_whole_file_and_it_is_said(project: Any) -> None:
    text = hooks(group({}), {"hooks": [{"type": "http", "url": "https://example.com"}]})
    outcome = engine(project, text).fire("PreToolUse", **CALL)

    assert outcome.attempts == ()
    assert any("refuses a file with a hook of type 'http'" in warning for warning in outcome.warnings)
    assert len(engine(project, mode="strict").fire("PreToolUse", **CALL).attempts) == 1


@pytest.mark.parametrize(
    "bad",
    [
        group({"type": "nope"}),
        {"hooks": [{"command": "true"}]},
        {"hooks": [{"type": "command"}]},
        {"hooks": None},
        group({}, matcher=5),
        group({"timeout": "5"}),
        group({"timeout": 1.5}),
        group({"timeout": -1}),
        "text",
        None,
    ],
)
def test_a_bad_entry_makes_the_agent_refuse_the_whole_file(project: Any, bad: Any) -> None:
    outcome = engine(project, hooks(bad, event="Stop", PreToolUse=[group({})])).fire("PreToolUse", **CALL)

    assert outcome.attempts == ()
    assert any("so no hook of this file runs" in warning for warning in outcome.warnings)
    assert len(engine(project, mode="strict").fire("PreToolUse", **CALL).attempts) == 1


@pytest.mark.parametrize(
    "slight",
    [
        {"matcher": "Bash", "command": "true"},
        {},
        group({"timeout": None}, matcher=None),
        group({"command": "", "colour": "red"}, colour="red"),
        {"hooks": [{"type": "prompt"}]},
    ],
)
def test_a_group_without_hooks_nulls_and_unknown_keys_cost_nothing_else(project: Any, slight: Any) -> None:
    outcome = engine(project, hooks(slight, event="Stop", PreToolUse=[group({})])).fire("PreToolUse", **CALL)

    assert len(outcome.attempts) == 1


@pytest.mark.parametrize(("key", "runs"), [("description", True), ("version", False), ("disableAllHooks", False)])
def test_beside_its_hooks_a_file_may_have_a_description_alone(project: Any, key: str, runs: bool) -> None:
    text = json.dumps({**json.loads(hooks(group({}))), key: True})

    assert bool(engine(project, text).fire("PreToolUse", **CALL).attempts) == runs


def test_a_time_out_of_nothing_is_a_second(project: Any) -> None:
    one = engine(project, hooks(group({"timeout": 0}, {"timeout": 7, "command": "echo"})))

    assert [hook.timeout for hook in one.hooks()] == [1.0, 7.0]


@pytest.mark.parametrize("type", ["prompt", "agent"])
def test_hooks_that_ask_a_model_are_read_and_never_run(project: Any, type: str) -> None:
    outcome = engine(project, hooks({"hooks": [{"type": type, "prompt": "?"}]}, group({}))).fire("PreToolUse", **CALL)

    assert len(outcome.attempts) == 1
    assert any("never runs them" in warning for warning in outcome.warnings)


def test_hooks_stand_in_either_file_of_a_layer_and_state_is_no_event(project: Any) -> None:
    entry = '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "echo toml"\n'
    project.write(".codex/config.toml", f"[hooks.state]\nx = 1\n{entry}")
    project.home(".codex/hooks.json", hooks(group({"command": "echo home"})))
    outcome = engine(project, hooks(group({"command": "echo json"}))).fire("PreToolUse", **CALL)

    assert [attempt.hook for attempt in outcome.attempts] == ["echo home", "echo json", "echo toml"]
    assert outcome.warnings == ()


def test_the_same_command_twice_runs_twice(project: Any) -> None:
    assert len(engine(project, hooks(group({}, {}))).fire("PreToolUse", **CALL).attempts) == 2


def test_a_variable_moves_the_users_folder_and_is_given_to_hooks(project: Any) -> None:
    elsewhere = str(project.home_folder / "elsewhere")
    project.home("elsewhere/hooks.json", hooks(group({"command": 'printf %s "$CODEX_HOME" >&2; exit 2'})))
    moved = engine(project, environ={"CODEX_HOME": elsewhere}).fire("PreToolUse", **CALL)
    usual = engine(project, hooks(group({"command": 'printf %s "$CODEX_HOME" >&2; exit 2'}))).fire("PreToolUse", **CALL)

    assert (moved.reason, usual.reason) == (elsewhere, str(project.home_folder / ".codex"))


def test_the_plugins_that_are_on_give_their_hooks(project: Any) -> None:
    for plugin in ("one", "off", "none"):
        project.home(
            f".codex/plugins/cache/shop/{plugin}/1/hooks/hooks.json",
            hooks(group({"command": 'printf "%s" "$PLUGIN_ROOT" >&2; exit 2'})),
        )
    project.home(".codex/config.toml", '[plugins."one@shop"]\nenabled = true\n[plugins."off@shop"]\nenabled = false\n')
    outcome = engine(project).fire("PreToolUse", **CALL)

    assert [attempt.stderr.rpartition("cache/")[2] for attempt in outcome.attempts] == ["shop/one/1"]


def test_an_end_has_one_second_and_never_more_than_three(project: Any) -> None:
    made = engine(project, hooks(group({}, {"timeout": 2}, {"timeout": 60}), event="SessionEnd")).hooks()

    assert [hook.timeout for hook in made] == [1.0, 2.0, 3.0]


def test_commands_are_for_the_users_own_shell(project: Any) -> None:
    project.write("shell", '#!/bin/sh\necho "$2" >&2\nexit 2\n')
    environ = {"SHELL": str(project.root / "shell")}

    assert (
        engine(project, hooks(group({"command": "a | b"})), environ=environ).fire("PreToolUse", **CALL).reason
        == "a | b"
    )


def test_context_is_cut_to_the_limit_of_its_entry(project: Any) -> None:
    entry = {"command": "printf %0100d 0", "additionalContextLimit": 5}
    outcome = engine(project, hooks(group(entry), event="SessionStart")).fire("SessionStart", source="startup")

    assert [message.text for message in outcome.messages] == ["0" * 20]
    assert any("were cut to 20" in warning for warning in outcome.warnings)


# ---- answers


@pytest.mark.parametrize(
    "answer",
    [
        {"decision": "block", "reason": "no", "extra": 1},
        {"decision": "block", "reason": " "},
        {"decision": "block", "reason": 7},
        {"decision": "approve"},
        {"decision": "deny", "reason": "no"},
        {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}},
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}},
        {"reason": "alone"},
        {"continue": False},
        {"stopReason": "enough"},
        {"suppressOutput": True, "decision": "block", "reason": "no"},
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "id"}}},
    ],
    ids=json.dumps,
)
def test_what_is_not_understood_or_not_supported_makes_the_hook_fail_and_the_tool_runs(answer: dict[str, Any]) -> None:
    faithful = said("PreToolUse", answer, **CALL)
    strict = simulate("codex", "PreToolUse", [Did(stdout=json.dumps(answer))], data=CALL, mode="strict")

    assert (faithful.blocked, faithful.stop, faithful.changes, faithful.success) == (False, False, {}, False)
    assert any("its answer does not count" in warning for warning in faithful.warnings)
    assert strict.blocked


def test_what_is_for_the_user_is_shown_though_the_rest_is_not_supported() -> None:
    outcome = said("PreToolUse", {"systemMessage": "look", "continue": False}, **CALL)

    assert [(one.to, one.text) for one in outcome.messages] == [("user", "look")]


@pytest.mark.parametrize("event", ["PreModelRequest", "PostModelRequest"])
@pytest.mark.parametrize(
    "did",
    [
        Did(exit_code=2, stderr="no"),
        Did(stdout='{"continue": false}'),
        Did(stdout='{"decision": "block", "reason": "n"}'),
    ],
)
def test_no_veto_counts_around_the_model(event: str, did: Did) -> None:
    outcome = simulate("codex", event, [did])

    assert not outcome.blocked
    assert not outcome.stop


def test_a_session_that_is_told_not_to_go_on_ends() -> None:
    assert said("SessionStart", {"continue": False, "stopReason": "not now"}, source="startup").stop_reason == "not now"


def test_the_reasons_of_several_replace_the_result_together() -> None:
    both = [Did(exit_code=2, stderr="one"), Did(stdout='{"decision": "block", "reason": "two"}')]
    outcome = simulate("codex", "PostToolUse", both, data={**CALL, "tool_output": "done"})

    assert outcome.changes == {"output": "one\n\ntwo"}


def test_a_stop_outranks_a_block() -> None:
    outcome = said("Stop", {"continue": False, "decision": "block", "reason": "go on"})

    assert (outcome.stop, outcome.blocked) == (True, False)


@pytest.mark.parametrize("key", ["updatedInput", "updatedPermissions", "interrupt"])
def test_what_a_permission_cannot_carry_makes_the_hook_fail(key: str) -> None:
    own = {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "no", key: True}}

    assert not said("PermissionRequest", {"hookSpecificOutput": own}, **CALL).blocked


def test_the_payload_has_no_line_feed_and_a_transcript_that_may_be_null() -> None:
    one = Engine(dialect="codex", **ALONE)
    compiled = one.hookset.event("PreToolUse")
    happened, _, _ = one.plan_event(compiled, CALL)
    text = Given(happened, compiled.shape).stdin()

    assert not text.endswith(b"\n")
    assert json.loads(text)["transcript_path"] is None

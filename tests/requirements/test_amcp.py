"""AMCP (AMCP's document): config files, events, handler types, answers, matchers, and its three examples unchanged."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tenterhook import Engine

WRITE = {
    "tool_name": "write_file",
    "tool_input": {"path": "src/a.py", "content": "x"},
    "tool_use_id": "toolu_01ABC123",
}
WROTE = {**WRITE, "tool_response": "written"}
LOG = Path("/tmp/amcp_tool_calls.log")


def handlers(project, event, *entries, name=".amcp/hooks.json"):
    project.write(name, json.dumps({"hooks": {event: {"handlers": list(entries)}}}))


def command(text, **more):
    return {"type": "command", "command": text, **more}


def specific(**fields):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


def answering(project, answer, event="PreToolUse", data=WRITE, **how):
    """Fire an event whose only handler answers this."""
    handlers(project, event, command(project.answers("hook", answer, **how)))
    return project.fire("amcp", event, data)


# Configuration


def toml(event, text):
    return f"[hooks.{event}]\n[[hooks.{event}.handlers]]\ntype = 'command'\ncommand = '{text}'\n"


def as_json(event, text):
    return json.dumps({"hooks": {event: {"handlers": [{"type": "command", "command": text}]}}})


@pytest.mark.req("AM-CFG-files")
@pytest.mark.parametrize(("name", "form"), [("hooks.toml", toml), ("hooks.json", as_json)])
def test_a_project_has_its_hooks_in_dot_amcp(project, name, form):
    project.write(f".amcp/{name}", form("PreToolUse", "touch ran"))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert project.has("ran")
    assert [attempt.source.rpartition(":")[0] for attempt in outcome.attempts] == [str(project.root / ".amcp" / name)]


@pytest.mark.req("AM-CFG-files")
@pytest.mark.parametrize(("name", "form"), [("hooks.toml", toml), ("hooks.json", as_json)])
def test_a_user_has_hooks_in_the_config_folder_and_they_run_in_the_project(project, name, form):
    project.home(f".config/amcp/{name}", form("PreToolUse", "touch ran"))

    project.fire("amcp", "PreToolUse", WRITE)

    assert project.has("ran")


@pytest.mark.req("AM-CFG-files")
def test_the_config_folder_is_where_the_environment_says(project):
    project.home("elsewhere/amcp/hooks.toml", toml("PreToolUse", "touch ran"))
    project.home(".config/amcp/hooks.toml", toml("PreToolUse", "touch never"))

    project.fire("amcp", "PreToolUse", WRITE, environ={"XDG_CONFIG_HOME": str(project.home_folder / "elsewhere")})

    assert (project.has("ran"), project.has("never")) == (True, False)


@pytest.mark.req("AM-CFG-files")
def test_two_files_of_one_level_add_up_toml_first(project):
    project.write(".amcp/hooks.json", as_json("PreToolUse", "printf json >> order"))
    project.write(".amcp/hooks.toml", toml("PreToolUse", "printf toml >> order"))

    project.fire("amcp", "PreToolUse", WRITE)

    assert project.read("order") == "tomljson"


@pytest.mark.req("AM-CFG-override")
@pytest.mark.parametrize(("mine", "form"), [("hooks.toml", toml), ("hooks.json", as_json)])
def test_an_event_in_a_project_file_replaces_the_users_handlers_of_that_event(project, mine, form):
    project.home(".config/amcp/hooks.toml", toml("PreToolUse", "touch user-ran; exit 2"))
    project.write(f".amcp/{mine}", form("PreToolUse", "touch project-ran"))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (project.has("project-ran"), project.has("user-ran"), outcome.blocked) == (True, False, False)
    assert [one.why for one in outcome.skipped] == ["overridden"]


@pytest.mark.req("AM-CFG-override")
def test_events_that_the_project_does_not_name_keep_the_users_handlers(project):
    project.home(".config/amcp/hooks.toml", toml("PreToolUse", "echo no >&2; exit 2"))
    project.write(".amcp/hooks.toml", toml("PostToolUse", "true"))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (outcome.blocked, outcome.reason, outcome.skipped) == (True, "no", ())


@pytest.mark.req("AM-CFG-override")
def test_an_event_that_the_project_names_without_handlers_is_replaced_by_nothing(project):
    project.home(".config/amcp/hooks.toml", toml("PreToolUse", "touch user-ran"))
    handlers(project, "PreToolUse")

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert not project.has("user-ran")
    assert [one.why for one in outcome.skipped] == ["overridden"]


# The documented example, word for word.
DOCUMENTED = """
[hooks.PreToolUse]
[[hooks.PreToolUse.handlers]]
matcher = "write_file|apply_patch"  # Regex pattern to match tool names
type = "command"                  # "command" or "python"
command = "./scripts/validate-writes.sh"
timeout = 30                      # Timeout in seconds
enabled = true

[[hooks.PreToolUse.handlers]]
matcher = "*"                     # Match all tools
type = "python"
script = "./scripts/log_all_tools.py"
timeout = 5

[hooks.PostToolUse]
[[hooks.PostToolUse.handlers]]
matcher = "write_file"
type = "command"
command = "$AMCP_PROJECT_DIR/scripts/lint-file.sh"
timeout = 60
"""


@pytest.mark.req("AM-CFG-toml", "AM-CFG-timeout", "AM-TYPE-command", "AM-TYPE-python-script", "AM-ENV-vars")
def test_the_documented_toml_works_unchanged(tmp_path, project):
    """In a folder without a blank: the document leaves $AMCP_PROJECT_DIR unquoted."""
    project.root = tmp_path / "plain"
    project.write(".amcp/hooks.toml", DOCUMENTED)
    project.script("scripts/validate-writes.sh", "printf validate, >> order\n")
    project.script("scripts/log_all_tools.py", "open('order', 'a').write('log,')\n")
    project.script("scripts/lint-file.sh", "printf lint, >> order\n")
    engine = project.engine("amcp")

    outcomes = [engine.fire("PreToolUse", **WRITE), engine.fire("PostToolUse", **WROTE)]

    assert project.read("order") == "validate,log,lint,"
    assert [(outcome.success, outcome.warnings) for outcome in outcomes] == [(True, ()), (True, ())]
    assert [hook.timeout for hook in engine.hooks()] == [30.0, 5.0, 60.0]


@pytest.mark.req("AM-CFG-json", "AM-TYPE-command")
def test_the_documented_json_works_unchanged(project):
    project.write(
        ".amcp/hooks.json",
        """{
  "hooks": {
    "PreToolUse": {
      "handlers": [
        {
          "matcher": "write_file|apply_patch",
          "type": "command",
          "command": "./scripts/validate-writes.sh",
          "timeout": 30,
          "enabled": true
        }
      ]
    }
  }
}
""",
    )
    project.answers("scripts/validate-writes.sh", exit_code=2, stderr="no")

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (outcome.blocked, outcome.reason, outcome.warnings) == (True, "no", ())
    assert not project.fire("amcp", "PreToolUse", {**WRITE, "tool_name": "read_file"}).blocked


@pytest.mark.req("AM-CFG-enabled")
def test_a_handler_that_is_not_enabled_does_not_run(project):
    handlers(project, "PreToolUse", command("touch off", enabled=False), command("touch on", enabled=True))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (project.has("off"), project.has("on")) == (False, True)
    assert [(one.hook, one.why) for one in outcome.skipped] == [("touch off", "disabled")]


@pytest.mark.req("AM-CFG-timeout")
def test_a_handler_has_thirty_seconds_unless_it_says_otherwise(project):
    handlers(project, "PreToolUse", command("true"), command("true", timeout=7), command("true", timeout=0.5))

    assert [hook.timeout for hook in project.engine("amcp").hooks()] == [30.0, 7.0, 0.5]


@pytest.mark.req("AM-CFG-timeout", "AM-OUT-other")
def test_a_handler_past_its_time_is_ended_and_the_tool_goes_on(project):
    handlers(project, "PreToolUse", command("sleep 30; touch late; exit 2", timeout=0.3), command("touch next"))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (outcome.blocked, outcome.success, outcome.attempts[0].error) == (False, False, "timeout")
    assert outcome.attempts[0].seconds < 20
    assert [(message.to, message.kind) for message in outcome.messages] == [("log", "error")]
    assert project.has("next")


# Events


@pytest.mark.req("AM-EV-PreToolUse", "AM-IN-fields")
def test_before_a_tool_its_name_input_and_id_are_given(project):
    handlers(project, "PreToolUse", command(project.answers("hook")))

    project.fire("amcp", "PreToolUse", WRITE, session="abc123")

    assert project.json("hook.json") == {
        "session_id": "abc123",
        "hook_event_name": "PreToolUse",
        "cwd": str(project.root),
        **WRITE,
    }


@pytest.mark.req("AM-EV-PreToolUse", "AM-OUT-updatedInput", "AM-OUT-deny")
def test_before_a_tool_a_hook_may_change_its_input_and_another_block_it(project):
    project.answers("change", specific(updatedInput={"path": "b.py"}))
    project.script(
        "check.py",
        "import json, sys\nprint(json.load(sys.stdin)['tool_input']['path'], file=sys.stderr)\nsys.exit(2)\n",
    )
    handlers(project, "PreToolUse", command("./change"), command("./check.py"))

    outcome = project.fire("amcp", "tool.before", WRITE)

    assert (outcome.blocked, outcome.reason) == (True, "b.py")


@pytest.mark.req("AM-EV-PostToolUse", "AM-IN-fields")
@pytest.mark.parametrize("given", ["tool_response", "tool_output"])
def test_after_a_tool_its_response_is_given(project, given):
    handlers(project, "PostToolUse", command(project.answers("hook")))

    project.fire("amcp", "PostToolUse", {**WRITE, given: {"ok": True}})

    seen = project.json("hook.json")
    assert (seen["hook_event_name"], seen["tool_response"]) == ("PostToolUse", {"ok": True})
    assert (seen["tool_name"], seen["tool_input"]) == ("write_file", WRITE["tool_input"])
    assert "tool_output" not in seen


@pytest.mark.req("AM-EV-PostToolUse")
def test_after_a_tool_exit_two_tells_the_model_but_blocks_nothing(project):
    outcome = answering(project, "", "PostToolUse", WROTE, exit_code=2, stderr="tests fail")

    assert (outcome.decision, outcome.blocked) == ("deny", False)
    assert project.told(outcome) == [("model", "feedback", "tests fail")]


@pytest.mark.req("AM-EV-UserPromptSubmit")
def test_a_prompt_is_given_and_a_hook_may_add_to_it(project):
    outcome = answering(project, "the branch is main", "UserPromptSubmit", {"prompt": "do it"})

    assert project.json("hook.json")["prompt"] == "do it"
    assert (outcome.blocked, project.told(outcome)) == (False, [("model", "feedback", "the branch is main")])


@pytest.mark.req("AM-EV-UserPromptSubmit", "AM-OUT-exit2")
def test_exit_two_blocks_a_prompt_and_only_the_user_hears_why(project):
    outcome = answering(project, "", "UserPromptSubmit", {"prompt": "do it"}, exit_code=2, stderr="no secrets")

    assert (outcome.blocked, outcome.reason) == (True, "no secrets")
    assert project.told(outcome) == [("user", "reason", "no secrets")]


@pytest.mark.req("AM-EV-Stop", "AM-OUT-exit2")
def test_a_stop_can_be_overridden_and_the_model_hears_why(project):
    outcome = answering(project, "", "Stop", {}, exit_code=2, stderr="tests are red")

    assert (outcome.blocked, outcome.stop) == (True, False)
    assert project.told(outcome) == [("model", "reason", "tests are red")]


@pytest.mark.req("AM-EV-SessionStart", "AM-EV-SessionEnd", "AM-EV-PreCompact", "AM-EV-Notification", "AM-EV-Stop")
@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ("SessionStart", "session.start"),
        ("SessionEnd", "session.end"),
        ("PreCompact", "compact.before"),
        ("Notification", "notify"),
        ("Stop", "turn.stop"),
    ],
)
def test_each_event_fires_under_its_own_name_and_under_ours(project, event, kind):
    handlers(project, event, command(project.answers("hook", "seen")))

    for name in (event, kind):
        outcome = project.fire("amcp", name, {}, session="s")

        assert project.json("hook.json") == {"session_id": "s", "hook_event_name": event, "cwd": str(project.root)}
        assert (outcome.event, project.told(outcome)) == (event, [("model", "feedback", "seen")])


@pytest.mark.req("AM-EV-SessionStart", "AM-EV-SessionEnd", "AM-EV-PreCompact", "AM-EV-Notification")
@pytest.mark.parametrize("event", ["SessionStart", "SessionEnd", "PreCompact", "Notification"])
def test_exit_two_blocks_nothing_where_nothing_can_be_blocked(project, event):
    outcome = answering(project, "", event, {}, exit_code=2, stderr="no")

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", False, "no")


@pytest.mark.req("AM-EV-Notification", "AM-IN-fields")
def test_a_notification_gives_its_message_and_type(project):
    handlers(project, "Notification", command(project.answers("hook")))

    project.fire("amcp", "Notification", {"message": "waiting", "notification_type": "idle"})

    seen = project.json("hook.json")
    assert (seen["message"], seen["notification_type"]) == ("waiting", "idle")


# Handler types


@pytest.mark.req("AM-TYPE-command")
def test_a_command_is_shell_text_and_reads_the_event_from_stdin(project):
    handlers(project, "PreToolUse", command("cat > 'my input.json' && test -s 'my input.json' || exit 2"))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert not outcome.blocked
    assert project.json("my input.json")["tool_use_id"] == "toolu_01ABC123"


@pytest.mark.req("AM-TYPE-python-script")
@pytest.mark.parametrize("place", ["./scripts/v.py", "scripts/v.py", "$AMCP_PROJECT_DIR/scripts/v.py", "absolute"])
def test_a_script_is_run_by_python_whatever_its_mode(project, place):
    path = project.write(
        "scripts/v.py",
        "import json, sys\nprint(json.load(sys.stdin)['tool_input']['path'], file=sys.stderr)\nsys.exit(2)\n",
    )
    handlers(project, "PreToolUse", {"type": "python", "script": str(path) if place == "absolute" else place})

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (outcome.blocked, outcome.reason, outcome.success) == (True, "src/a.py", True)


@pytest.mark.req("AM-TYPE-python-script")
def test_a_script_that_is_not_there_has_failed_and_the_tool_goes_on(project):
    handlers(project, "PreToolUse", {"type": "python", "script": "./none.py"})

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (outcome.blocked, outcome.success) == (False, False)
    assert ["none.py" in message.text for message in outcome.messages if message.to == "log"] == [True]


@pytest.mark.req("AM-TYPE-python-function")
@pytest.mark.parametrize("word", ["def", "async def"])
def test_a_function_is_imported_from_the_project_and_called_with_the_event(project, word):
    project.write("mypackage/__init__.py", "")
    project.write(
        "mypackage/hooks.py",
        f"{word} validate_tool(event):\n"
        "    return {'hookSpecificOutput': {'permissionDecision': 'deny',"
        " 'permissionDecisionReason': event['tool_input']['path']}}\n",
    )
    handlers(project, "PreToolUse", {"type": "python", "function": "mypackage.hooks.validate_tool"})

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (outcome.blocked, outcome.reason) == (True, "src/a.py")


@pytest.mark.req("AM-TYPE-python-function")
def test_a_function_that_cannot_be_imported_has_failed_and_the_tool_goes_on(project):
    handlers(project, "PreToolUse", {"type": "python", "function": "no.such.function"}, command("touch next"))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (outcome.blocked, outcome.success, outcome.attempts[0].error) == (False, False, "import")
    assert project.has("next")


@pytest.mark.req("AM-ENV-vars")
def test_the_environment_names_project_session_event_and_tool(project):
    handlers(project, "PreToolUse", command("env | grep ^AMCP_ | sort > env"))

    project.fire("amcp", "PreToolUse", WRITE, session="s-1")

    assert project.read("env").splitlines() == [
        "AMCP_HOOK_EVENT=PreToolUse",
        f"AMCP_PROJECT_DIR={project.root}",
        "AMCP_SESSION_ID=s-1",
        "AMCP_TOOL_NAME=write_file",
    ]


@pytest.mark.req("AM-ENV-vars")
def test_only_events_of_tools_name_a_tool(project):
    handlers(project, "Stop", command("env | grep ^AMCP_TOOL > env"))

    project.fire("amcp", "Stop", {})

    assert project.read("env") == ""


@pytest.mark.req("AM-ENV-vars")
def test_a_command_may_use_the_project_folder_even_where_its_name_has_a_blank(project):
    project.answers("scripts/lint.sh", exit_code=2, stderr="ran")
    handlers(project, "PreToolUse", command('"$AMCP_PROJECT_DIR/scripts/lint.sh"'))

    assert " " in project.root.name
    assert project.fire("amcp", "PreToolUse", WRITE).reason == "ran"


# Answers


@pytest.mark.req("AM-OUT-exit0")
def test_text_at_exit_zero_is_feedback_and_decides_nothing(project):
    outcome = answering(project, "  looks fine\n")

    assert (outcome.decision, outcome.blocked, outcome.success) == ("none", False, True)
    assert project.told(outcome) == [("model", "feedback", "looks fine")]


@pytest.mark.req("AM-OUT-exit0")
def test_json_at_exit_zero_is_an_answer_and_no_feedback(project):
    outcome = answering(project, {"systemMessage": "note"})

    assert project.told(outcome) == [("user", "system", "note")]


@pytest.mark.req("AM-OUT-exit0")
def test_nothing_at_exit_zero_says_nothing(project):
    outcome = answering(project, "", stderr="a debug line")

    assert (outcome.decision, outcome.messages, outcome.success) == ("none", (), True)


@pytest.mark.req("AM-OUT-exit2")
def test_exit_two_denies_the_tool_and_stderr_is_the_message(project):
    outcome = answering(project, "not this", exit_code=2, stderr="blocked here\n")

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "blocked here")
    assert project.told(outcome) == [("model", "reason", "blocked here")]


@pytest.mark.req("AM-OUT-exit2", "AM-OUT-deny")
def test_a_deny_ends_the_chain(project):
    project.answers("deny", specific(permissionDecision="deny"))
    handlers(project, "PreToolUse", command("./deny"), command("touch next"))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert not project.has("next")
    assert [(one.hook, one.why) for one in outcome.skipped] == [("touch next", "chain ended")]


@pytest.mark.req("AM-OUT-other")
@pytest.mark.parametrize("code", [1, 3, 127, 255])
def test_any_other_exit_is_logged_as_a_warning_and_the_tool_goes_on(project, code):
    outcome = answering(project, specific(permissionDecision="deny"), exit_code=code, stderr="odd")

    assert (outcome.decision, outcome.blocked, outcome.success) == ("none", False, False)
    assert project.told(outcome) == [("log", "error", "odd")]
    assert any(f"exit code {code}" in warning for warning in outcome.warnings)


@pytest.mark.req("AM-OUT-continue")
def test_continue_false_stops_the_agent_with_its_reason_and_ends_the_chain(project):
    project.answers("stop", {"continue": False, "stopReason": "out of budget"})
    handlers(project, "PostToolUse", command("./stop"), command("touch next"))

    outcome = project.fire("amcp", "PostToolUse", WROTE)

    assert (outcome.stop, outcome.stop_reason, outcome.blocked) == (True, "out of budget", False)
    assert ("user", "reason", "out of budget") in project.told(outcome)
    assert not project.has("next")
    assert [one.why for one in outcome.skipped] == ["chain ended"]


@pytest.mark.req("AM-OUT-continue")
def test_continue_true_goes_on_and_its_stop_reason_is_no_ones(project):
    outcome = answering(project, {"continue": True, "stopReason": "Reason for stopping"})

    assert (outcome.stop, outcome.stop_reason, outcome.messages) == (False, "", ())


@pytest.mark.req("AM-OUT-feedback", "AM-OUT-systemMessage")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"])
def test_feedback_goes_to_the_model_and_a_system_message_to_the_user(project, event):
    outcome = answering(project, {"feedback": "lint", "systemMessage": "note"}, event)

    assert project.told(outcome) == [("model", "feedback", "lint"), ("user", "system", "note")]


@pytest.mark.req("AM-OUT-suppressOutput")
@pytest.mark.parametrize("said", [True, False])
def test_suppress_output_is_passed_on(project, said):
    assert answering(project, {"suppressOutput": said}).suppress is said


@pytest.mark.req("AM-OUT-allow")
def test_allow_lets_the_tool_run_without_a_question(project):
    reason = "Approved by policy"
    outcome = answering(project, specific(permissionDecision="allow", permissionDecisionReason=reason))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("allow", False, reason)
    assert project.told(outcome) == [("user", "reason", reason)]


@pytest.mark.req("AM-OUT-deny")
def test_deny_blocks_and_the_model_hears_the_reason(project):
    outcome = answering(project, specific(permissionDecision="deny", permissionDecisionReason="policy"))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "policy")
    assert project.told(outcome) == [("model", "reason", "policy")]


@pytest.mark.req("AM-OUT-ask")
def test_ask_prompts_the_user_with_the_reason(project):
    outcome = answering(project, specific(permissionDecision="ask", permissionDecisionReason="sure?"))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("ask", False, "sure?")
    assert project.told(outcome) == [("user", "reason", "sure?")]


@pytest.mark.req("AM-OUT-ask", "AM-OUT-allow", "AM-OUT-deny")
@pytest.mark.parametrize(
    ("words", "decision"),
    [(("allow", "ask"), "ask"), (("ask", "allow"), "ask"), (("allow", "deny"), "deny"), (("ask", "deny"), "deny")],
)
def test_the_stricter_of_two_decisions_wins(project, words, decision):
    for word in words:
        project.answers(word, specific(permissionDecision=word, permissionDecisionReason=f"says {word}"))
    handlers(project, "PreToolUse", *(command(f"./{word}") for word in words))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert (outcome.decision, outcome.reason) == (decision, f"says {decision}")


@pytest.mark.req("AM-OUT-updatedInput")
def test_updated_input_is_merged_over_the_input_and_the_next_handler_sees_it(project):
    project.answers("one", specific(updatedInput={"path": "b.py"}))
    project.answers("two", specific(updatedInput={"mode": "w"}))
    handlers(project, "PreToolUse", command("./one"), command("./two"))

    outcome = project.fire("amcp", "PreToolUse", WRITE)

    assert project.json("two.json")["tool_input"] == {"path": "b.py", "content": "x"}
    assert outcome.changes == {"input": {"path": "b.py", "content": "x", "mode": "w"}}


@pytest.mark.req("AM-OUT-updatedResponse")
@pytest.mark.parametrize("value", ["shorter", {"lines": 3}, ["a"]])
def test_updated_response_replaces_the_response_for_the_model(project, value):
    answer = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedResponse": value}}
    outcome = answering(project, answer, "PostToolUse", WROTE)

    assert outcome.changes == {"output": value}


@pytest.mark.req("AM-OUT-deny")
def test_a_section_for_another_event_counts_for_nothing(project):
    answer = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "deny"}}
    outcome = answering(project, answer)

    assert (outcome.decision, outcome.blocked) == ("none", False)
    assert any("PostToolUse" in warning for warning in outcome.warnings)


@pytest.mark.req("AM-OUT-deny")
def test_a_section_without_an_event_counts(project):
    assert answering(project, {"hookSpecificOutput": {"permissionDecision": "deny"}}).blocked


@pytest.mark.req("AM-OUT-deny")
def test_a_decision_at_the_top_level_is_not_part_of_this_dialect(project):
    outcome = answering(project, {"decision": "block", "reason": "no"})

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("none", False, "")
    assert any("decision" in warning for warning in outcome.warnings)


# Matchers


@pytest.mark.req("AM-MATCH-exact", "AM-MATCH-regex", "AM-MATCH-wildcard", "AM-MATCH-all")
@pytest.mark.parametrize(
    ("matcher", "tool", "runs"),
    [
        ("write_file", "write_file", True),
        ("write_file", "write_file_now", False),
        ("write_file", "overwrite_file", False),
        ("write_file", "Write_File", False),
        ("write_file|apply_patch", "write_file", True),
        ("write_file|apply_patch", "apply_patch", True),
        ("write_file|apply_patch", "apply_patches", False),
        ("write_file|apply_patch", "read_file", False),
        ("(read|write)_file", "read_file", True),
        (r"mcp\..*", "mcp.fs.read", True),
        (r"mcp\..*", "mcp_fs", False),
        (r"mcp\..*", "my.mcp.fs", False),
        ("*", "anything", True),
        ("", "anything", True),
        (None, "anything", True),
        ("[write", "[write", True),
        ("[write", "write", False),
    ],
)
def test_a_matcher_is_a_regex_on_the_whole_name(project, matcher, tool, runs):
    """An invalid regex is a literal, compared whole."""
    entry = {} if matcher is None else {"matcher": matcher}
    handlers(project, "PreToolUse", command("touch ran", **entry))

    outcome = project.fire("amcp", "PreToolUse", {**WRITE, "tool_name": tool})

    assert project.has("ran") is runs
    assert [one.why for one in outcome.skipped] == ([] if runs else ["matcher"])


@pytest.mark.req("AM-MATCH-all")
def test_a_matcher_where_nothing_can_be_matched_is_ignored_with_a_warning(project):
    handlers(project, "Stop", command("touch ran", matcher="write_file"))

    outcome = project.fire("amcp", "Stop", {})

    assert project.has("ran")
    assert ["hooks.json:1:" in text and "write_file" in text for text in outcome.warnings] == [True]


# Examples of the document, word for word.

EXAMPLE_1 = """#!/usr/bin/env python3
import json
import sys

BLOCKED_PATTERNS = [".env", ".secrets", "credentials", ".ssh/"]

input_data = json.load(sys.stdin)
tool_name = input_data.get("tool_name", "")
tool_input = input_data.get("tool_input", {})

if tool_name in ("write_file", "apply_patch"):
    file_path = tool_input.get("path", "").lower()
    for pattern in BLOCKED_PATTERNS:
        if pattern in file_path:
            output = {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": f"Writing to '{file_path}' is blocked for security"
                }
            }
            print(json.dumps(output))
            sys.exit(0)

sys.exit(0)  # Allow all other operations
"""

EXAMPLE_2 = """#!/usr/bin/env python3
import json
import sys
from datetime import datetime
from pathlib import Path

input_data = json.load(sys.stdin)
log_entry = {
    "timestamp": datetime.now().isoformat(),
    "session_id": input_data.get("session_id"),
    "tool_name": input_data.get("tool_name"),
    "tool_input": input_data.get("tool_input"),
}

log_file = Path("/tmp/amcp_tool_calls.log")
with open(log_file, "a") as f:
    f.write(json.dumps(log_entry) + "\\n")

sys.exit(0)
"""

EXAMPLE_3 = r"""#!/bin/bash
INPUT=$(cat)
FILE_PATH=$(echo "$INPUT" | python3 -c "import json,sys; d=json.load(sys.stdin); print(d.get('tool_input',{}).get('path',''))")

if [[ "$FILE_PATH" == *.py ]] && command -v ruff &> /dev/null; then
    LINT_OUTPUT=$(ruff check "$FILE_PATH" 2>&1 || true)
    if [ -n "$LINT_OUTPUT" ]; then
        echo "{\"feedback\": \"Lint issues: $LINT_OUTPUT\"}"
    fi
fi

exit 0
"""  # noqa: E501


@pytest.mark.req("AM-EX-1")
@pytest.mark.parametrize(
    ("tool", "path", "blocked"),
    [
        ("write_file", "/home/me/.ENV", True),
        ("apply_patch", ".ssh/config", True),
        ("write_file", "src/a.py", False),
        ("read_file", ".env", False),
    ],
)
@pytest.mark.parametrize("kind", ["command", "python"])
def test_example_one_blocks_writes_to_sensitive_files(project, kind, tool, path, blocked):
    project.write("scripts/block.py", EXAMPLE_1)
    key = "command" if kind == "command" else "script"
    handlers(project, "PreToolUse", {"type": kind, key: "./scripts/block.py"})

    outcome = project.fire("amcp", "PreToolUse", {"tool_name": tool, "tool_input": {"path": path}})

    assert (outcome.blocked, outcome.success) == (blocked, True)
    reason = f"Writing to '{path.lower()}' is blocked for security"
    assert project.told(outcome) == ([("model", "reason", reason)] if blocked else [])


@pytest.fixture
def tool_log():
    """The example's own log in /tmp; whatever else stands in it is put back, for it may be somebody's."""
    existed = LOG.exists()
    yield LOG
    lines = LOG.read_text().splitlines(keepends=True) if LOG.exists() else []
    others = [line for line in lines if "a-test-of-tenterhook" not in line]
    if others or existed:
        LOG.write_text("".join(others))
    else:
        LOG.unlink(missing_ok=True)


@pytest.mark.req("AM-EX-2")
def test_example_two_logs_every_tool_call(project, tool_log):
    session = f"a-test-of-tenterhook-{os.getpid()}"
    project.write("scripts/log_all_tools.py", EXAMPLE_2)
    handlers(project, "PreToolUse", {"matcher": "*", "type": "python", "script": "./scripts/log_all_tools.py"})

    with project.engine("amcp", session=session) as engine:
        outcomes = [engine.fire("PreToolUse", tool_name=name, tool_input={"n": name}) for name in ("one", "two")]

    logged = [json.loads(line) for line in tool_log.read_text().splitlines() if session in line]
    assert [(entry["tool_name"], entry["tool_input"]) for entry in logged] == [
        ("one", {"n": "one"}),
        ("two", {"n": "two"}),
    ]
    assert [(outcome.decision, outcome.success) for outcome in outcomes] == [("none", True), ("none", True)]


@pytest.mark.req("AM-EX-3")
@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("clean.py", "print(1)\n", ["Lint issues: All checks passed!"]),
        ("dirty.py", "import os\n", ["Lint issues: ", "F401", "`os` imported but unused"]),
        ("notes.txt", "import os\n", []),
    ],
)
def test_example_three_lints_python_files_after_they_are_written(project, path, text, words):
    """What ruff says about the dirty file makes the example's JSON invalid; it still reaches the model, as text."""
    folder = Path(sys.executable).parent
    if shutil.which("ruff", path=str(folder)) is None:
        pytest.skip("no ruff beside this Python")
    project.write(path, text)
    project.write("scripts/lint-file.sh", EXAMPLE_3)
    handlers(project, "PostToolUse", command("./scripts/lint-file.sh", matcher="write_file"))

    outcome = project.fire(
        "amcp",
        "PostToolUse",
        {"tool_name": "write_file", "tool_input": {"path": path}, "tool_response": "ok"},
        environ={"PATH": f"{folder}:{os.environ['PATH']}", "RUFF_CACHE_DIR": str(project.home_folder)},
    )

    assert (outcome.success, outcome.blocked) == (True, False)
    assert [(message.to, message.kind) for message in outcome.messages] == ([("model", "feedback")] if words else [])
    assert [word for word in words if word not in outcome.messages[0].text] == []
    assert path != "clean.py" or outcome.messages[0].text == words[0]


@pytest.mark.req("AM-SEC-log")
def test_all_activity_of_hooks_can_be_heard(project):
    """What ran, from where, for how long, what it said, and what did not run."""
    entries = (command("echo fine"), command("exit 3"), command("true", enabled=False))
    handlers(project, "PreToolUse", *entries)
    heard = []

    with project.engine("amcp") as engine:
        engine.tap(heard.append)
        engine.fire("PreToolUse", **WRITE)
        engine.fire("Stop")

    assert [(outcome.event, len(outcome.attempts)) for outcome in heard] == [("PreToolUse", 2), ("Stop", 0)]
    assert [(a.hook, a.type, a.exit_code, a.stdout) for a in heard[0].attempts] == [
        ("echo fine", "command", 0, "fine\n"),
        ("exit 3", "command", 3, ""),
    ]
    assert all(attempt.seconds > 0 and ".amcp/hooks.json:1" in attempt.source for attempt in heard[0].attempts)
    assert [(one.hook, one.why) for one in heard[0].skipped] == [("true", "disabled")]
    assert len({outcome.id for outcome in heard}) == 2


def test_engines_of_this_dialect_are_faithful_unless_told(project):
    assert Engine(project.root, dialect="amcp").mode == "faithful"

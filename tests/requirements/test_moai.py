"""MoAI (MoAI's document): Claude Code's fourteen events, settings, agent frontmatter and command hooks."""

import json
import shlex
import sys
from pathlib import Path

import pytest

TOOL = {"tool_name": "Write", "tool_input": {"file_path": "a.py"}}
AGENT = {"agent_type": "qa", "agent_name": "q1"}
DATA = {
    "UserPromptSubmit": {"prompt": "do it"},
    "SessionStart": {"source": "startup"},
    "PreCompact": {"trigger": "auto"},
    "PreToolUse": TOOL,
    "PostToolUse": {**TOOL, "tool_output": "done"},
    "PostToolUseFailure": {**TOOL, "error": "disk full", "is_interrupt": False},
    "PermissionRequest": TOOL,
    "Notification": {"type": "idle_prompt", "message": "waiting"},
    "SubagentStart": AGENT,
    "SubagentStop": AGENT,
    "Stop": {},
    "TeammateIdle": {**AGENT, "tasks_summary": "2 open"},
    "TaskCompleted": {"task_id": "7", "task_summary": "write it", "agent_name": "q1"},
    "SessionEnd": {"reason": "logout"},
}
BLOCKING = ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "TeammateIdle", "TaskCompleted"]
OTHERS = [event for event in DATA if event not in BLOCKING]
CATALOGUE = [f"CC-EV-{event}" for event in DATA]
HOOK = '"$CLAUDE_PROJECT_DIR/.claude/hooks/hook"'


def settings(project, event, *entries, name=".claude/settings.json"):
    flat = [one if isinstance(one, dict) else {"command": one} for one in entries]
    project.write(name, json.dumps({"hooks": {event: flat}}))


def fire(project, event, answer="", *, exit_code=0, stderr="", data=None, matcher=None, **options):
    """Fire an event whose only hook is a program in .claude/hooks that answers this."""
    project.answers(".claude/hooks/hook", answer, exit_code=exit_code, stderr=stderr)
    settings(project, event, {"command": HOOK} if matcher is None else {"command": HOOK, "matcher": matcher})
    return project.fire("moai", event, DATA[event] if data is None else data, **options)


def seen(project):
    return project.json("claude/hooks/hook.json")


def ran(project):
    return project.has("claude/hooks/hook.json")


# All events


@pytest.mark.req(*CATALOGUE)
@pytest.mark.parametrize("event", DATA)
def test_every_event_fires_and_tells_its_session_name_and_folder_in_both_spellings(project, event):
    outcome = fire(project, event, session="s-1")

    common = {"session_id": "s-1", "cwd": str(project.root), "hook_event_name": event}
    both = {**common, "sessionId": "s-1", "hookEventName": event}
    assert {key: seen(project)[key] for key in both} == both
    assert (outcome.event, outcome.success, outcome.messages) == (event, True, ())


@pytest.mark.req(*[f"CC-EV-{event}" for event in BLOCKING])
@pytest.mark.parametrize("event", BLOCKING)
def test_exit_two_blocks_these_events(project, event):
    outcome = fire(project, event, exit_code=2, stderr="not now\n")

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "not now")
    to = "user" if event == "UserPromptSubmit" else "model"
    assert project.told(outcome) == [(to, "reason", "not now")]


@pytest.mark.req(*[f"CC-EV-{event}" for event in OTHERS])
@pytest.mark.parametrize("event", OTHERS)
def test_exit_two_blocks_none_of_the_others(project, event):
    outcome = fire(project, event, exit_code=2, stderr="not now")

    assert (outcome.decision, outcome.blocked, outcome.stop) == ("deny", False, False)


@pytest.mark.req(
    *("CC-EV-UserPromptSubmit", "CC-EV-SessionStart", "CC-EV-PreCompact", "CC-EV-SubagentStop", "CC-EV-Stop"),
    *("CC-EV-TeammateIdle", "CC-EV-TaskCompleted"),
)
@pytest.mark.parametrize(
    "event",
    ["UserPromptSubmit", "SessionStart", "PreCompact", "SubagentStop", "Stop", "TeammateIdle", "TaskCompleted"],
)
def test_events_without_a_matcher_ignore_one_with_a_warning(project, event):
    outcome = fire(project, event, matcher="Write")

    assert ran(project)
    assert [event in text and "'Write'" in text and "settings.json:1:" in text for text in outcome.warnings] == [True]


@pytest.mark.req(
    *("CC-EV-PreToolUse", "CC-EV-PostToolUse", "CC-EV-PostToolUseFailure", "CC-EV-PermissionRequest"),
    *("CC-EV-Notification", "CC-EV-SubagentStart", "CC-EV-SessionEnd"),
)
@pytest.mark.parametrize(
    ("event", "field", "good", "bad"),
    [
        *((event, "tool_name", "Edit", "NotebookEdit") for event in ("PreToolUse", "PostToolUse")),
        *((event, "tool_name", "Bash", "bash") for event in ("PostToolUseFailure", "PermissionRequest")),
        *(("Notification", "type", kind, "other") for kind in ("permission_prompt", "idle_prompt")),
        *(("Notification", "type", kind, "other") for kind in ("auth_success", "elicitation_dialog")),
        ("SubagentStart", "agent_type", "manager-ddd", "manager-tdd"),
        *(("SessionEnd", "reason", reason, "none") for reason in ("clear", "logout", "prompt_input_exit", "other")),
        ("SessionEnd", "reason", "bypass_permissions_disabled", "bypass"),
    ],
)
def test_a_matcher_is_a_regex_on_the_whole_of_what_the_event_is_about(project, event, field, good, bad):
    fire(project, event, matcher=f"Nothing|{good}", data={**DATA[event], field: bad})
    assert not ran(project)

    fire(project, event, matcher=f"Nothing|{good}", data={**DATA[event], field: good})
    assert ran(project)


# Each event's own fields and answers


@pytest.mark.req("CC-EV-UserPromptSubmit")
def test_a_prompt_is_given_before_it_is_processed(project):
    fire(project, "UserPromptSubmit")

    assert seen(project)["prompt"] == "do it"


@pytest.mark.req("CC-EV-UserPromptSubmit")
def test_additional_context_goes_into_the_prompt(project):
    outcome = fire(project, "UserPromptSubmit", {"additionalContext": "today is friday"})

    assert (outcome.blocked, project.told(outcome)) == (False, [("model", "context", "today is friday")])


@pytest.mark.req("CC-EV-UserPromptSubmit", "CC-EV-SessionStart")
@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart"])
def test_the_text_of_a_prompt_or_session_start_hook_is_context(project, event):
    assert project.told(fire(project, event, "on main\n")) == [("model", "context", "on main")]


@pytest.mark.req(*[f"CC-EV-{event}" for event in BLOCKING])
@pytest.mark.parametrize("event", BLOCKING)
def test_a_reason_in_json_outranks_stderr_at_exit_two(project, event):
    outcome = fire(project, event, {"reason": "tests are missing"}, exit_code=2, stderr="a stack trace")

    assert (outcome.blocked, outcome.reason) == (True, "tests are missing")
    assert [message.text for message in outcome.messages] == ["tests are missing"]


@pytest.mark.req("CC-EV-UserPromptSubmit")
def test_context_for_a_blocked_prompt_does_not_reach_the_model(project):
    outcome = fire(project, "UserPromptSubmit", {"additionalContext": "c", "reason": "no"}, exit_code=2)

    assert [message for message in outcome.messages if message.to == "model"] == []
    assert ("user", "reason", "no") in project.told(outcome)


TOOL_EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"]


@pytest.mark.req(*[f"CC-EV-{event}" for event in TOOL_EVENTS])
@pytest.mark.parametrize("event", TOOL_EVENTS)
@pytest.mark.parametrize("given", [TOOL, {"toolName": "Write", "toolInput": {"file_path": "a.py"}}])
def test_a_tools_name_and_input_stand_in_both_spellings(project, event, given):
    fire(project, event, data=given)

    both = {**TOOL, "toolName": TOOL["tool_name"], "toolInput": TOOL["tool_input"]}
    assert {key: seen(project)[key] for key in both} == both


@pytest.mark.req("CC-EV-PreToolUse")
def test_a_tool_can_be_denied_asked_about_and_changed_as_claude_code_does(project):
    def answer(**fields):
        return fire(project, "PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}})

    denied = answer(permissionDecision="deny", permissionDecisionReason="no")
    assert (denied.blocked, project.told(denied)) == (True, [("model", "reason", "no")])

    asked = answer(permissionDecision="ask", permissionDecisionReason="sure?")
    assert (asked.decision, asked.blocked, project.told(asked)) == ("ask", False, [("user", "reason", "sure?")])

    changed = answer(permissionDecision="allow", updatedInput={"file_path": "b.py"})
    assert (changed.decision, changed.changes) == ("allow", {"input": {"file_path": "b.py"}})


@pytest.mark.req("CC-EV-PostToolUse")
def test_after_a_tool_its_output_is_given_and_a_block_only_informs_the_model(project):
    outcome = fire(project, "PostToolUse", {"decision": "block", "reason": "format it"})

    assert [seen(project)[key] for key in ("tool_response", "tool_output", "toolOutput")] == ["done"] * 3
    assert (outcome.blocked, project.told(outcome)) == (False, [("model", "feedback", "format it")])


@pytest.mark.req("CC-EV-PostToolUseFailure")
@pytest.mark.parametrize("interrupted", [True, False])
def test_after_a_failure_the_error_is_given_and_a_system_message_shown(project, interrupted):
    data = {**TOOL, "error": "disk full", "is_interrupt": interrupted}
    outcome = fire(project, "PostToolUseFailure", {"systemMessage": "try again"}, data=data)

    assert (seen(project)["error"], seen(project)["is_interrupt"]) == ("disk full", interrupted)
    assert project.told(outcome) == [("user", "system", "try again")]


@pytest.mark.req("CC-EV-PermissionRequest")
@pytest.mark.parametrize("answer", ["", {"reason": "a known tool"}, {"systemMessage": "note"}])
def test_exit_zero_allows_a_permission(project, answer):
    outcome = fire(project, "PermissionRequest", answer)

    assert (outcome.decision, outcome.blocked) == ("allow", False)


@pytest.mark.req("CC-EV-PermissionRequest")
def test_a_permission_hook_that_failed_allows_nothing(project):
    outcome = fire(project, "PermissionRequest", exit_code=1, stderr="broken")

    assert (outcome.decision, outcome.blocked, outcome.success) == ("none", False, False)


@pytest.mark.req("CC-EV-PermissionRequest")
def test_a_permission_can_be_denied_by_json_too(project):
    answer = {"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "no"}}}
    outcome = fire(project, "PermissionRequest", answer)

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "no")


@pytest.mark.req("CC-EV-Notification")
@pytest.mark.parametrize("name", ["type", "notification_type"])
def test_a_notification_gives_its_type_and_message(project, name):
    fire(project, "Notification", data={name: "auth_success", "message": "welcome"})

    assert (seen(project)["type"], seen(project)["message"]) == ("auth_success", "welcome")


@pytest.mark.req("CC-EV-SubagentStart")
def test_a_subagent_gets_additional_context_into_its_prompt(project):
    outcome = fire(project, "SubagentStart", {"additionalContext": "use the staging server"})

    assert (seen(project)["agentType"], seen(project)["agentName"]) == ("qa", "q1")
    assert project.told(outcome) == [("model", "context", "use the staging server")]


@pytest.mark.req("CC-EV-Stop", "CC-EV-SubagentStop")
@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
def test_a_block_on_a_stop_is_told_but_stops_nothing(project, event):
    outcome = fire(project, event, {"decision": "block", "reason": "tests are red"})

    assert (outcome.decision, outcome.blocked) == ("deny", False)
    assert project.told(outcome) == [("model", "reason", "tests are red")]


@pytest.mark.req("CC-EV-TeammateIdle")
def test_an_idle_teammate_gets_guidance_for_its_further_work(project):
    outcome = fire(project, "TeammateIdle", {"systemMessage": "take task 3"}, exit_code=2, stderr="2 tasks are open")

    given = {"agentType": "qa", "agentName": "q1", "tasksSummary": "2 open"}
    assert {key: seen(project)[key] for key in given} == given
    assert (outcome.blocked, outcome.reason) == (True, "2 tasks are open")
    assert ("model", "system", "take task 3") in project.told(outcome)


@pytest.mark.req("CC-EV-TaskCompleted")
def test_a_task_gives_its_id_summary_and_agent(project):
    fire(project, "TaskCompleted")

    given = {"taskId": "7", "taskSummary": "write it", "agentName": "q1"}
    assert {key: seen(project)[key] for key in given} == given


@pytest.mark.req("CC-EV-SessionEnd")
@pytest.mark.parametrize("code", [0, 2])
def test_what_a_session_end_hook_prints_is_ignored(project, code):
    answer = {"systemMessage": "bye", "continue": False, "decision": "block", "reason": "stay"}
    outcome = fire(project, "SessionEnd", answer, exit_code=code, session="s-1")

    assert (seen(project)["reason"], seen(project)["sessionId"]) == ("logout", "s-1")
    assert (outcome.blocked, outcome.stop) == (False, False)
    assert not {"bye", "stay"} & {message.text for message in outcome.messages}


# Command hooks


@pytest.mark.req("CC-TYPE-command")
@pytest.mark.parametrize("kind", [{}, {"type": "command"}])
def test_a_hook_is_a_shell_command_by_default(project, kind):
    settings(project, "PreToolUse", {**kind, "command": "cat > in.json && echo $((40 + 2)) >&2; exit 2", "timeout": 5})

    outcome = project.fire("moai", "PreToolUse", TOOL)

    assert (outcome.reason, project.json("in.json")["tool_name"]) == ("42", "Write")
    assert [hook.timeout for hook in project.engine("moai").hooks()] == [5.0]


@pytest.mark.req("CC-TYPE-command")
def test_a_hook_has_sixty_seconds_unless_it_says_otherwise(project):
    settings(project, "PreToolUse", "true")

    assert [hook.timeout for hook in project.engine("moai").hooks()] == [60.0]


@pytest.mark.req("CC-TYPE-command")
def test_exit_zero_with_json_tells_user_and_model(project):
    outcome = fire(project, "UserPromptSubmit", {"systemMessage": "note", "additionalContext": "context"})

    assert project.told(outcome) == [("user", "system", "note"), ("model", "context", "context")]
    assert (outcome.success, outcome.blocked) == (True, False)


@pytest.mark.req("CC-TYPE-command", "CC-ERR-nonzero")
@pytest.mark.parametrize("event", DATA)
@pytest.mark.parametrize("code", [1, 3])
def test_a_failed_hook_is_shown_to_the_user_and_blocks_nothing(project, event, code):
    answer = {"decision": "block", "reason": "does not count"}
    outcome = fire(project, event, answer, exit_code=code, stderr="hook broke")

    assert (outcome.decision, outcome.blocked, outcome.success) == ("none", False, False)
    assert project.told(outcome) == [("user", "error", "hook broke")]


@pytest.mark.req("CC-ERR-nonzero")
def test_a_hook_past_its_time_is_shown_to_the_user(project):
    settings(project, "PreToolUse", {"command": "sleep 30", "timeout": 0.3})

    outcome = project.fire("moai", "PreToolUse", TOOL)

    assert (outcome.blocked, outcome.success) == (False, False)
    assert [(message.to, message.kind) for message in outcome.messages] == [("user", "error")]


def test_hooks_of_an_event_run_at_once(project):
    """Each waits for what the other writes."""
    meet = "touch {0}; for i in $(seq 400); do [ -e {1} ] && exit 0; sleep 0.05; done; exit 2"
    settings(project, "PreToolUse", meet.format("a", "b"), meet.format("b", "a"))

    assert not project.fire("moai", "PreToolUse", TOOL).blocked


def test_continue_false_stops_the_agent(project):
    outcome = fire(project, "PostToolUse", {"continue": False, "stopReason": "enough"})

    assert (outcome.stop, outcome.stop_reason) == (True, "enough")
    assert ("user", "reason", "enough") in project.told(outcome)


# Settings

# The documented settings, word for word.
DOCUMENTED = r"""{
  "hooks": {
    "SessionStart": [{
      "type": "command",
      "command": "\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-session-start.sh\"",
      "timeout": 5
    }],
    "PreCompact": [{
      "command": "\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-compact.sh\"",
      "timeout": 5
    }],
    "PreToolUse": [{
      "matcher": "Write|Edit|Bash",
      "command": "\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-pre-tool.sh\"",
      "timeout": 5
    }],
    "PostToolUse": [{
      "matcher": "Write|Edit",
      "command": "\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-post-tool.sh\"",
      "timeout": 60
    }],
    "Stop": [{
      "command": "\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-stop.sh\"",
      "timeout": 5
    }]
  }
}
"""
WRAPPERS = {
    "SessionStart": "session-start",
    "PreCompact": "compact",
    "PreToolUse": "pre-tool",
    "PostToolUse": "post-tool",
    "Stop": "stop",
}


@pytest.mark.req("CC-CFG-settings", "CC-CFG-env-paths", "CC-LOC-hooks-dir")
def test_the_documented_settings_work_unchanged_in_a_folder_with_a_blank(project):
    project.write(".claude/settings.json", DOCUMENTED)
    for wrapper in WRAPPERS.values():
        project.answers(f".claude/hooks/moai/handle-{wrapper}.sh", {"systemMessage": wrapper})

    with project.engine("moai") as engine:
        for event, wrapper in WRAPPERS.items():
            outcome = engine.fire(event, **DATA[event])

            assert (project.told(outcome), outcome.warnings) == ([("user", "system", wrapper)], ())
        assert [hook.timeout for hook in engine.hooks()] == [5.0, 5.0, 5.0, 60.0, 5.0]


FORMS = {
    "flat": [{"matcher": "Write", "command": "touch ran", "timeout": 5}],
    "flat, typed": [{"type": "command", "matcher": "Write", "command": "touch ran"}],
    "nested": [{"matcher": "Write", "hooks": [{"type": "command", "command": "touch ran", "timeout": 5}]}],
    "nested, untyped": [{"matcher": "Write", "hooks": [{"command": "touch ran"}]}],
    "a single entry": {"matcher": "Write", "command": "touch ran"},
    "a single group": {"matcher": "Write", "hooks": [{"type": "command", "command": "touch ran"}]},
}


@pytest.mark.req("CC-CFG-settings")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_settings_may_be_flat_or_grouped_a_list_or_a_single_mapping(project, form):
    project.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": form}, "model": "opus"}))

    other = project.fire("moai", "PreToolUse", {**TOOL, "tool_name": "Read"})
    assert (project.has("ran"), [one.why for one in other.skipped]) == (False, ["matcher"])

    outcome = project.fire("moai", "PreToolUse", TOOL)
    assert (project.has("ran"), outcome.warnings) == (True, ())


@pytest.mark.req("CC-CFG-settings")
def test_flat_entries_and_groups_may_stand_in_one_list(project):
    project.write(
        ".claude/settings.json",
        json.dumps(
            {"hooks": {"PreToolUse": [*FORMS["flat"], {"hooks": [{"command": "touch a"}, {"command": "touch b"}]}]}}
        ),
    )

    project.fire("moai", "PreToolUse", TOOL)

    assert [project.has(name) for name in ("ran", "a", "b")] == [True, True, True]


@pytest.mark.req("CC-CFG-settings")
def test_the_settings_of_user_project_and_machine_add_up(project):
    project.home(".claude/settings.json", json.dumps({"hooks": {"Stop": [{"command": "touch user"}]}}))
    settings(project, "Stop", "touch project")
    settings(project, "Stop", "touch local", name=".claude/settings.local.json")

    outcome = project.fire("moai", "Stop", {})

    assert [project.has(name) for name in ("user", "project", "local")] == [True, True, True]
    assert [attempt.hook for attempt in outcome.attempts] == ["touch user", "touch project", "touch local"]


@pytest.mark.req("CC-CFG-settings")
def test_an_unknown_event_is_warned_about_and_the_rest_works(project):
    project.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"PreToolUsed": [{"command": "false"}], "Stop": [{"command": "touch ran"}]}}, indent=1),
    )

    outcome = project.fire("moai", "Stop", {})

    assert project.has("ran")
    assert ["settings.json:3:" in text and "'PreToolUse'" in text for text in outcome.warnings] == [True]


@pytest.mark.req("CC-LOC-hooks-dir")
@pytest.mark.parametrize(
    ("name", "runner"),
    [("check.sh", ""), ("check.py", ""), ("check.sh", "sh "), ("check.py", f"{shlex.quote(sys.executable)} ")],
    ids=["check.sh", "check.py", "sh check.sh", "python check.py"],
)
def test_shell_and_python_scripts_live_in_the_hooks_folder(project, name, runner):
    body = {
        "sh": "echo no >&2; exit 2\n",
        "py": "import sys\nsys.exit('no') if 0 else (print('no', file=sys.stderr), sys.exit(2))\n",
    }
    project.script(f".claude/hooks/{name}", body[name[-2:]])
    settings(project, "PreToolUse", f'{runner}"$CLAUDE_PROJECT_DIR"/.claude/hooks/{name}')

    outcome = project.fire("moai", "PreToolUse", TOOL)

    assert (outcome.blocked, outcome.reason) == (True, "no")


@pytest.mark.req("CC-CFG-env-paths")
@pytest.mark.parametrize("command", ['"$CLAUDE_PROJECT_DIR/my hook"', '"${CLAUDE_PROJECT_DIR}/my hook"', "'./my hook'"])
def test_the_project_folder_expands_and_quoted_blanks_work(project, command):
    project.answers("my hook", exit_code=2, stderr="ran")
    settings(project, "PreToolUse", command)

    assert project.fire("moai", "PreToolUse", TOOL).reason == "ran"


@pytest.mark.req("CC-CFG-env-paths")
@pytest.mark.parametrize("command", ["$HOME/hooks/h.sh", '"$HOME/hooks/h.sh"', "~/hooks/h.sh"])
def test_the_home_folder_expands(project, command):
    project.home("hooks/h.sh", "#!/bin/sh\necho ran >&2\nexit 2\n")
    settings(project, "PreToolUse", command)

    assert project.fire("moai", "PreToolUse", TOOL).reason == "ran"


@pytest.mark.req("CC-CFG-env-paths")
@pytest.mark.parametrize(
    "name", ["p $(touch pwned) 'q", 'p"; touch pwned; "', "p`touch pwned`", "p\n$IFS &touch pwned"]
)
def test_the_name_of_a_folder_is_never_executed(project, tmp_path, name):
    project.root = tmp_path / name
    project.answers(".claude/hooks/hook", exit_code=2, stderr="ran")
    settings(project, "PreToolUse", HOOK)

    assert project.fire("moai", "PreToolUse", TOOL).reason == "ran"
    assert not list(tmp_path.rglob("pwned"))


# Agents

# The documented frontmatter, word for word.
MANAGER = r"""---
name: manager-ddd
description: DDD workflow specialist
hooks:
  PreToolUse:
    - matcher: "Write|Edit|MultiEdit"
      hooks:
        - type: command
          command: "\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-agent-hook.sh\" ddd-pre-transformation"
          timeout: 5
  PostToolUse:
    - matcher: "Write|Edit|MultiEdit"
      hooks:
        - type: command
          command: "\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-agent-hook.sh\" ddd-post-transformation"
          timeout: 10
  SubagentStop:
    hooks:
      - type: command
        command: "\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-agent-hook.sh\" ddd-completion"
        timeout: 10
---

You are the manager of a DDD workflow.
"""


def manager(project, place=".claude/agents/moai/manager-ddd.md"):
    project.write(place, MANAGER)
    project.script(".claude/hooks/moai/handle-agent-hook.sh", 'cat > /dev/null\necho "$1" >> actions\n')


@pytest.mark.req("CC-FM-frontmatter")
@pytest.mark.parametrize("place", ["manager-ddd.md", "moai/manager-ddd.md", "a/b/c/file of another name.md"])
def test_the_documented_frontmatter_works_unchanged_in_any_folder_of_agents(project, place):
    manager(project, f".claude/agents/{place}")

    with project.engine("moai", agent="manager-ddd") as engine:
        outcomes = [engine.fire(event, **DATA[event]) for event in ("PreToolUse", "PostToolUse", "SubagentStop")]
        engine.fire("PreToolUse", tool_name="Read", tool_input={})

    assert project.read("actions").split() == ["ddd-pre-transformation", "ddd-post-transformation", "ddd-completion"]
    assert [(outcome.success, outcome.warnings) for outcome in outcomes] == [(True, ())] * 3
    assert [hook.timeout for hook in engine.hooks()] == [5.0, 10.0, 10.0]


@pytest.mark.req("CC-FM-scope")
@pytest.mark.parametrize(
    ("agent", "data", "runs"),
    [
        ("manager-ddd", {}, True),
        ("manager-tdd", {}, False),
        ("", {}, False),
        ("", {"agent_name": "manager-ddd"}, True),
        ("", {"agent_type": "manager-ddd"}, True),
        ("", {"agentName": "manager-ddd"}, True),
        ("", {"agentType": "manager-tdd"}, False),
        ("manager-tdd", {"agent_name": "manager-ddd"}, False),
    ],
)
@pytest.mark.parametrize("event", ["PreToolUse", "SubagentStop"])
def test_hooks_in_frontmatter_run_for_that_agent_only(project, event, agent, data, runs):
    manager(project)

    project.fire("moai", event, {**(TOOL if event == "PreToolUse" else {}), **data}, agent=agent)

    assert project.has("actions") is runs


@pytest.mark.req("CC-FM-scope")
def test_an_agents_hooks_stand_beside_those_of_the_settings(project):
    manager(project)
    settings(project, "PreToolUse", "echo settings >> settings")

    project.fire("moai", "PreToolUse", TOOL, agent="manager-ddd")
    project.fire("moai", "PreToolUse", TOOL)

    assert project.read("actions").split() == ["ddd-pre-transformation"]
    assert project.read("settings").split() == ["settings", "settings"]


@pytest.mark.req("CC-FM-frontmatter")
@pytest.mark.parametrize("text", ["# An agent without frontmatter\n", "---\nname: x\n---\n", "", "---\nhooks:\n---\n"])
def test_agents_without_hooks_are_no_problem(project, text):
    project.write(".claude/agents/x.md", text)

    assert project.fire("moai", "PreToolUse", TOOL, agent="x").warnings == ()


# Rules


@pytest.mark.req("CC-RULE-missing")
@pytest.mark.parametrize(
    "command",
    [
        '"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-pre-tool.sh"',
        "./none.sh --option value",
        "no-such-program-anywhere",
        'bash "$CLAUDE_PROJECT_DIR/none.sh"',
        "python3 .claude/hooks/none.py",
        "$HOME/none.sh",
    ],
)
@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest", "Stop"])
def test_a_missing_hook_is_silent(project, command, event):
    settings(project, event, command)

    outcome = project.fire("moai", event, DATA[event])

    assert (outcome.decision, outcome.blocked, outcome.success) == ("none", False, True)
    assert (outcome.messages, outcome.warnings, outcome.attempts) == ((), (), ())
    assert [(one.hook, one.why) for one in outcome.skipped] == [(command, "missing")]


@pytest.mark.req("CC-RULE-missing")
def test_hooks_beside_a_missing_one_still_decide(project):
    settings(project, "PreToolUse", "./none.sh", "echo no >&2; exit 2")

    outcome = project.fire("moai", "PreToolUse", TOOL)

    assert (outcome.blocked, outcome.reason) == (True, "no")


@pytest.mark.req("CC-RULE-no-recursion")
@pytest.mark.parametrize("event", ["PreToolUse", "Stop"])
def test_a_hook_that_fires_the_event_again_runs_no_hooks(project, event):
    """The outcome of the inner event says why."""
    tenter = shlex.quote(str(Path(sys.executable).with_name("tenter")))
    settings(project, event, f"echo ran >> runs; {tenter} fire {event} --dialect moai --trust > inner.json")

    outcome = project.fire("moai", event, DATA[event])

    inner = project.json("inner.json")
    assert outcome.success
    assert project.read("runs").split() == ["ran"]
    assert (inner["attempts"], [one["why"] for one in inner["skipped"]]) == ([], ["disabled"])
    assert ["hooks do not run inside hooks" in text for text in inner["warnings"]] == [True]

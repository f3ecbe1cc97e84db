"""Wave (Wave's document): exit codes, JSON answers, who is told, and the edge cases that its document asks about."""

import json
import time

import pytest

from tenterhook import Engine
from tenterhook.testing import Did, simulate

WRITE = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x"}}
DATA = {
    "PreToolUse": WRITE,
    "PostToolUse": {**WRITE, "tool_response": {"ok": True}},
    "UserPromptSubmit": {"prompt": "do it"},
    "Stop": {},
}
EVENTS = list(DATA)


def settings(project, event, *commands, matcher=None, name=".wave/settings.json"):
    group = {"hooks": [one if isinstance(one, dict) else {"type": "command", "command": one} for one in commands]}
    if matcher is not None:
        group["matcher"] = matcher
    project.write(name, json.dumps({"hooks": {event: [group]}}))


def fire(project, event, answer="", *, exit_code=0, stderr=""):
    """Fire an event whose only hook is a program that answers this."""
    settings(project, event, project.answers("hook", answer, exit_code=exit_code, stderr=stderr))
    return project.fire("wave", event, DATA[event])


def specific(event, **fields):
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def permission(word, reason="because", **more):
    return specific("PreToolUse", permissionDecision=word, permissionDecisionReason=reason, **more)


# Story 1: exit codes


@pytest.mark.req("WV-US1.1", "WV-FR-001", "WV-FR-015")
def test_exit_zero_goes_on_and_the_stdout_of_a_prompt_hook_is_context(project):
    outcome = fire(project, "UserPromptSubmit", "the branch is main\n")

    assert (outcome.blocked, outcome.decision, outcome.success) == (False, "none", True)
    assert project.told(outcome) == [("model", "context", "the branch is main")]


@pytest.mark.req("WV-US1.1", "WV-FR-001")
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "Stop"])
def test_the_stdout_of_other_hooks_is_nobodys(project, event):
    outcome = fire(project, event, "some text")

    assert (outcome.blocked, outcome.success, outcome.messages) == (False, True, ())


@pytest.mark.req("WV-US1.2", "WV-FR-002", "WV-FR-013")
@pytest.mark.parametrize(
    ("event", "blocked", "told"),
    [
        ("PreToolUse", True, ("model", "reason")),
        ("PostToolUse", False, ("model", "feedback")),
        ("UserPromptSubmit", True, ("user", "reason")),
        ("Stop", True, ("model", "reason")),
    ],
)
def test_exit_two_blocks_where_that_can_be_and_stderr_goes_where_the_event_says(project, event, blocked, told):
    """To the user only for a prompt, to the model elsewhere; stdout at exit 2 goes to nobody."""
    outcome = fire(project, event, "printed", exit_code=2, stderr="not here\n")

    assert (outcome.blocked, outcome.decision, outcome.reason) == (blocked, "deny", "not here")
    assert project.told(outcome) == [(*told, "not here")]


@pytest.mark.req("WV-US1.2", "WV-FR-002")
@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit", "Stop"])
def test_exit_two_without_a_word_blocks_too(project, event):
    outcome = fire(project, event, exit_code=2)

    assert (outcome.blocked, outcome.reason) == (True, "Blocked by hook")


@pytest.mark.req("WV-US1.3", "WV-FR-003")
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("code", [1, 3, 127])
def test_any_other_exit_shows_stderr_to_the_user_and_goes_on(project, event, code):
    outcome = fire(project, event, "text", exit_code=code, stderr="odd")

    assert (outcome.blocked, outcome.decision, outcome.success) == (False, "none", False)
    assert project.told(outcome) == [("user", "error", "odd")]


@pytest.mark.req("WV-FR-003")
def test_hooks_after_one_that_failed_still_run(project):
    settings(project, "PreToolUse", "exit 1", "touch ran")

    project.fire("wave", "PreToolUse", WRITE)

    assert project.has("ran")


# Story 2: JSON


@pytest.mark.req("WV-US2.1", "WV-FR-004")
@pytest.mark.parametrize("event", EVENTS)
def test_continue_false_stops_and_the_user_is_shown_the_stop_reason(project, event):
    outcome = fire(project, event, {"continue": False, "stopReason": "out of budget"})

    assert (outcome.stop, outcome.stop_reason, outcome.blocked) == (True, "out of budget", False)
    assert project.told(outcome) == [("user", "reason", "out of budget")]


@pytest.mark.req("WV-FR-004")
def test_continue_true_goes_on(project):
    outcome = fire(project, "PreToolUse", {"continue": True, "stopReason": "unused"})

    assert (outcome.stop, outcome.stop_reason, outcome.messages) == (False, "", ())


@pytest.mark.req("WV-US2.2", "WV-FR-004")
@pytest.mark.parametrize("event", EVENTS)
def test_a_system_message_is_shown_to_the_user(project, event):
    outcome = fire(project, event, {"systemMessage": "slow down"})

    assert (outcome.blocked, project.told(outcome)) == (False, [("user", "system", "slow down")])


@pytest.mark.req("WV-US2.3", "WV-FR-005", "WV-EDGE.1")
@pytest.mark.parametrize("code", [0, 1, 2, 77])
def test_a_decision_in_json_outranks_any_exit_code(project, code):
    allowed = fire(project, "PreToolUse", permission("allow"), exit_code=code, stderr="ignored")
    assert (allowed.decision, allowed.blocked) == ("allow", False)
    assert project.told(allowed) == [("user", "reason", "because")]

    denied = fire(project, "PreToolUse", permission("deny"), exit_code=code, stderr="ignored")
    assert (denied.decision, denied.blocked, denied.reason) == ("deny", True, "because")
    assert project.told(denied) == [("model", "reason", "because")]


@pytest.mark.req("WV-US2.3", "WV-FR-005", "WV-EDGE.1")
@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit", "Stop"])
@pytest.mark.parametrize("answer", [{"continue": True}, {"continue": False}])
def test_continue_in_json_outranks_exit_two(project, event, answer):
    outcome = fire(project, event, answer, exit_code=2, stderr="ignored")

    assert (outcome.blocked, outcome.decision, outcome.stop) == (False, "none", not answer["continue"])


@pytest.mark.req("WV-FR-005", "WV-EDGE.1")
@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit", "Stop"])
def test_json_that_says_nothing_about_blocking_leaves_that_to_the_exit_code(project, event):
    outcome = fire(project, event, {"systemMessage": "note"}, exit_code=2, stderr="no")

    assert (outcome.blocked, outcome.reason) == (True, "no")
    assert ("user", "system", "note") in project.told(outcome)


@pytest.mark.req("WV-FR-005", "WV-FR-015")
def test_raw_json_is_never_injected_as_context(project):
    outcome = fire(project, "UserPromptSubmit", {"systemMessage": "note", "unknown": 1})

    assert project.told(outcome) == [("user", "system", "note")]
    assert any("unknown" in warning for warning in outcome.warnings)


# Story 3: permissions


@pytest.mark.req("WV-US3.1", "WV-FR-006", "WV-FR-014")
def test_allow_runs_the_tool_and_only_the_user_sees_the_reason(project):
    outcome = fire(project, "PreToolUse", permission("allow", "a trusted folder"))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("allow", False, "a trusted folder")
    assert project.told(outcome) == [("user", "reason", "a trusted folder")]


@pytest.mark.req("WV-US3.2", "WV-FR-006", "WV-FR-014")
def test_deny_blocks_the_tool_and_the_model_sees_the_reason(project):
    outcome = fire(project, "PreToolUse", permission("deny", "against policy"))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "against policy")
    assert project.told(outcome) == [("model", "reason", "against policy")]


@pytest.mark.req("WV-US3.3", "WV-FR-006", "WV-FR-014")
def test_ask_wants_the_user_to_confirm_and_shows_the_reason(project):
    outcome = fire(project, "PreToolUse", permission("ask", "sure?"))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("ask", False, "sure?")
    assert project.told(outcome) == [("user", "reason", "sure?")]


@pytest.mark.req("WV-US3.4", "WV-FR-006")
def test_updated_input_replaces_what_the_tool_receives(project):
    outcome = fire(project, "PreToolUse", permission("allow", updatedInput={"file_path": "b.py"}))

    assert outcome.changes == {"input": {"file_path": "b.py"}}


@pytest.mark.req("WV-US3.4", "WV-FR-006")
def test_the_next_hook_sees_the_input_as_it_was_changed(project):
    settings(
        project,
        "PreToolUse",
        project.answers("one", specific("PreToolUse", updatedInput={"file_path": "b.py"})),
        project.answers("two"),
    )

    outcome = project.fire("wave", "PreToolUse", WRITE)

    assert project.json("two.json")["tool_input"] == {"file_path": "b.py"}
    assert outcome.changes == {"input": {"file_path": "b.py"}}


@pytest.mark.req("WV-FR-006")
def test_a_top_level_block_denies_a_tool_too(project):
    outcome = fire(project, "PreToolUse", {"decision": "block", "reason": "no"})

    assert (outcome.blocked, project.told(outcome)) == (True, [("model", "reason", "no")])


@pytest.mark.req("WV-FR-006")
@pytest.mark.parametrize("word", ["DENY", "block", "yes", 1, None, ["deny"]])
def test_an_unknown_permission_decides_nothing_and_is_said(project, word):
    outcome = fire(project, "PreToolUse", permission(word, "because"))

    assert (outcome.decision, outcome.blocked, outcome.success) == ("none", False, True)
    assert (word is None) is not any("permissionDecision" in warning for warning in outcome.warnings)


# Story 4: after a tool


@pytest.mark.req("WV-US4.1", "WV-FR-007")
def test_a_block_after_a_tool_prompts_the_model_with_the_reason(project):
    outcome = fire(project, "PostToolUse", {"decision": "block", "reason": "format it"})

    assert (outcome.decision, outcome.blocked) == ("deny", False)
    assert project.told(outcome) == [("model", "feedback", "format it")]


@pytest.mark.req("WV-US4.2", "WV-FR-007")
@pytest.mark.parametrize("block", [{}, {"decision": "block", "reason": "format it"}])
def test_additional_context_after_a_tool_reaches_the_model(project, block):
    outcome = fire(project, "PostToolUse", {**block, **specific("PostToolUse", additionalContext="12 tests ran")})

    assert ("model", "context", "12 tests ran") in project.told(outcome)
    assert len(outcome.messages) == 1 + bool(block)


@pytest.mark.req("WV-US4.3", "WV-FR-007")
@pytest.mark.parametrize("answer", [{}, {"reason": "unused"}, {"decision": None, "reason": "unused"}])
def test_without_a_decision_nothing_prompts_the_model(project, answer):
    outcome = fire(project, "PostToolUse", answer)

    assert (outcome.decision, outcome.blocked, outcome.messages) == ("none", False, ())


# Story 5: prompts and stops


@pytest.mark.req("WV-US5.1", "WV-FR-008")
def test_a_blocked_prompt_tells_the_user_only(project):
    outcome = fire(project, "UserPromptSubmit", {"decision": "block", "reason": "no secrets"})

    assert (outcome.blocked, outcome.reason) == (True, "no secrets")
    assert project.told(outcome) == [("user", "reason", "no secrets")]


@pytest.mark.req("WV-US5.1", "WV-US5.2", "WV-FR-008")
def test_context_for_a_prompt_that_was_erased_does_not_reach_the_model(project):
    settings(
        project,
        "UserPromptSubmit",
        project.answers("context", "today is friday"),
        project.answers("more", specific("UserPromptSubmit", additionalContext="and sunny")),
        project.answers("block", {"decision": "block", "reason": "no"}),
    )

    outcome = project.fire("wave", "UserPromptSubmit", {"prompt": "p"})

    assert outcome.blocked
    assert [message for message in outcome.messages if message.to == "model"] == []
    assert ("user", "reason", "no") in project.told(outcome)


@pytest.mark.req("WV-US5.2", "WV-FR-008", "WV-FR-015")
def test_additional_context_of_a_prompt_reaches_the_model(project):
    outcome = fire(project, "UserPromptSubmit", specific("UserPromptSubmit", additionalContext="today is friday"))

    assert (outcome.blocked, project.told(outcome)) == (False, [("model", "context", "today is friday")])


@pytest.mark.req("WV-FR-015")
def test_both_ways_of_adding_context_add_up_in_order(project):
    settings(
        project,
        "UserPromptSubmit",
        project.answers("plain", "by stdout"),
        project.answers("json", specific("UserPromptSubmit", additionalContext="by field")),
    )

    outcome = project.fire("wave", "UserPromptSubmit", {"prompt": "p"})

    assert project.told(outcome) == [("model", "context", "by stdout"), ("model", "context", "by field")]


@pytest.mark.req("WV-US5.3", "WV-FR-009")
def test_a_blocked_stop_keeps_the_agent_going_with_the_reason(project):
    outcome = fire(project, "Stop", {"decision": "block", "reason": "tests are red"})

    assert (outcome.blocked, outcome.stop, outcome.reason) == (True, False, "tests are red")
    assert project.told(outcome) == [("model", "reason", "tests are red")]
    assert outcome.warnings == ()


@pytest.mark.req("WV-FR-009")
@pytest.mark.parametrize("answer", [{"decision": "block"}, {"decision": "block", "reason": ""}])
def test_a_stop_block_without_its_reason_still_blocks_and_is_warned_about(project, answer):
    outcome = fire(project, "Stop", answer)

    assert (outcome.blocked, outcome.reason) == (True, "Blocked by hook")
    assert ["must give a reason" in warning for warning in outcome.warnings] == [True]


@pytest.mark.req("WV-FR-007", "WV-FR-008", "WV-FR-009")
@pytest.mark.parametrize("event", ["PostToolUse", "UserPromptSubmit", "Stop"])
@pytest.mark.parametrize("word", ["approve", "allow", "BLOCK", True])
def test_block_is_the_only_word_that_decides(project, event, word):
    outcome = fire(project, event, {"decision": word, "reason": "r"})

    assert (outcome.decision, outcome.blocked) == ("none", False)
    assert any("decision" in warning for warning in outcome.warnings)


# What is not well-formed, does not fit, or contradicts itself

MALFORMED = {
    "cut off": '{"continue": fal',
    "no quotes": "{decision: block}",
    "single quotes": "{'decision': 'block'}",
    "trailing comma": '{"decision": "block",}',
    "comment": '{"decision": "block"} // no',
    "two objects": '{"decision": "block"}{"decision": "block"}',
    "log line before": 'loading...\n{"decision": "block", "reason": "x"}',
    "log line after": '{"decision": "block", "reason": "x"}\ndone',
    "a list": '[{"decision": "block"}]',
    "a string": '"block"',
    "a number": "2",
    "true": "true",
    "null": "null",
    "not a number": '{"decision": "block", "n": NaN}',
    "a bare brace": "{",
    "a raw line end": '{"decision": "block", "reason": "a\nb"}',
    "a bad escape": '{"decision": "block", "reason": "\\x"}',
    "deep and cut off": "{" + '"a": {' * 5000,
    "a second decision": '{"decision": "block", "decision": "approve"}',
    "only braces": "{}}",
    "control characters": '{"decision": "block"\x01}',
    "not a text": '{"decision": "block", "reason": "\ufffd',
    "quotes around it": '"{\\"decision\\": \\"block\\"}"',
    "markup": '```json\n{"decision": "block"}\n```',
    "empty": "",
    "blank": " \n\t ",
}


@pytest.mark.req("WV-FR-010", "WV-SC-005", "WV-EDGE.2")
@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_malformed_json_falls_back_to_the_exit_code(project, text):
    """At exit 2 it blocks with stderr, at exit 0 it goes on, at exit 1 the user sees stderr; nothing raises."""
    settings(project, "PreToolUse", f"{project.answers('hook', text, stderr='fallback')}; exit $CODE")

    blocked, passed, failed = (
        project.fire("wave", "PreToolUse", WRITE, environ={"CODE": code}) for code in ("2", "0", "1")
    )

    assert (blocked.blocked, project.told(blocked)) == (True, [("model", "reason", "fallback")])
    assert (passed.blocked, passed.decision, passed.stop, passed.messages) == (False, "none", False, ())
    assert (failed.blocked, project.told(failed)) == (False, [("user", "error", "fallback")])


@pytest.mark.req("WV-FR-010", "WV-SC-005", "WV-EDGE.2")
@pytest.mark.parametrize("text", [text for text in MALFORMED.values() if text.strip()][:8])
def test_malformed_json_of_a_prompt_hook_is_text_like_any_other(project, text):
    outcome = fire(project, "UserPromptSubmit", text)

    assert (outcome.blocked, project.told(outcome)) == (False, [("model", "context", text.strip())])


@pytest.mark.req("WV-FR-010", "WV-SC-005")
def test_bytes_that_are_no_text_fall_back_too(project):
    settings(project, "PreToolUse", r"""printf '{"decision": "bl\377ck"}'; echo no >&2; exit 2""")

    outcome = project.fire("wave", "PreToolUse", WRITE)

    assert (outcome.blocked, outcome.reason) == (True, "no")


UNUSUAL = {
    "very deep": '{"decision": "block", "a": ' + "[" * 5000 + "]" * 5000 + "}",
    "a lone surrogate": '{"decision": "block", "reason": "\\ud800"}',
    "a huge exponent": '{"decision": "block", "n": 1e999999}',
    "a number of 5,000 digits": '{"decision": "block", "n": 1' + "0" * 5000 + "}",
    "a byte order mark": '\ufeff{"decision": "block"}',
    "blanks around it": '\n\t {"decision": "block"} \r\n\n',
    "an escaped key": '{"\\u0064ecision": "block"}',
    "a key twice that decides nothing": '{"decision": "block", "a": 1, "a": 2}',
    "an empty key": '{"decision": "block", "": 1}',
}


@pytest.mark.req("WV-FR-005")
@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_but_valid_json_keeps_its_decision(project, text):
    outcome = fire(project, "PreToolUse", text, exit_code=1)

    assert (outcome.decision, outcome.blocked) == ("deny", True)


@pytest.mark.req("WV-FR-010")
def test_a_lost_decision_is_always_said(project):
    outcome = fire(project, "PreToolUse", 'loading...\n{"decision": "block"}')

    assert any("looks like an answer" in warning for warning in outcome.warnings)


@pytest.mark.req("WV-FR-012", "WV-EDGE.3")
@pytest.mark.parametrize(
    ("event", "beside"),
    [
        ("PreToolUse", {"decision": "block", "reason": "r"}),
        ("PreToolUse", permission("deny")),
        ("PreToolUse", permission("allow")),
        ("PostToolUse", {"decision": "block", "reason": "r"}),
        ("UserPromptSubmit", {"decision": "block", "reason": "r"}),
        ("Stop", {"decision": "block", "reason": "r"}),
    ],
)
def test_continue_false_outranks_every_decision(project, event, beside):
    outcome = fire(project, event, {"continue": False, "stopReason": "stop", **beside})

    assert (outcome.stop, outcome.stop_reason, outcome.blocked) == (True, "stop", False)
    assert ("user", "reason", "stop") in project.told(outcome)


@pytest.mark.req("WV-FR-012", "WV-EDGE.3")
@pytest.mark.parametrize("order", [("stop", "block"), ("block", "stop")])
def test_continue_false_of_one_hook_outranks_the_block_of_another(project, order):
    project.answers("stop", {"continue": False, "stopReason": "enough"})
    project.answers("block", {"decision": "block", "reason": "no"})
    settings(project, "Stop", *(f"./{one}" for one in order))

    outcome = project.fire("wave", "Stop", {})

    assert (outcome.stop, outcome.blocked) == (True, False)


@pytest.mark.req("WV-EDGE.3")
@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ({"decision": "block", "reason": "no", **permission("allow", "yes")}, "deny"),
        ({"decision": "block", "reason": "no", **permission("ask", "sure?")}, "deny"),
        (permission("deny", "no", updatedInput={"file_path": "b"}), "deny"),
        ({"continue": True, **permission("deny", "no")}, "deny"),
    ],
)
def test_where_an_answer_contradicts_itself_the_stricter_field_counts(project, answer, decision):
    outcome = fire(project, "PreToolUse", answer)

    assert (outcome.decision, outcome.blocked, outcome.reason) == (decision, True, "no")


@pytest.mark.req("WV-FR-011", "WV-EDGE.4")
@pytest.mark.parametrize(
    ("event", "answer", "field"),
    [
        ("PreToolUse", specific("PostToolUse", permissionDecision="deny"), "PostToolUse"),
        ("PreToolUse", specific("pretooluse", permissionDecision="deny"), "pretooluse"),
        ("Stop", specific("Stop", permissionDecision="deny"), "hookSpecificOutput"),
        ("PostToolUse", specific("PostToolUse", permissionDecision="deny"), "permissionDecision"),
        ("UserPromptSubmit", specific("UserPromptSubmit", permissionDecision="deny"), "permissionDecision"),
        ("PostToolUse", specific("PostToolUse", updatedInput={"a": 1}), "updatedInput"),
        ("PreToolUse", specific("PreToolUse", additionalContext="c"), "additionalContext"),
        ("Stop", specific("Stop", additionalContext="c"), "hookSpecificOutput"),
        ("UserPromptSubmit", specific("PostToolUse", additionalContext="c"), "PostToolUse"),
        ("PreToolUse", specific("PreToolUse", updatedInput="b.py"), "updatedInput"),
        ("PreToolUse", {"hookSpecificOutput": "deny"}, "hookSpecificOutput"),
        ("PreToolUse", {"continue": "false"}, "continue"),
        ("PreToolUse", {"systemMessage": 7}, "systemMessage"),
        ("PreToolUse", {"permissionDecision": "deny"}, "permissionDecision"),
    ],
)
def test_a_field_that_does_not_fit_the_event_or_its_type_is_ignored_with_a_warning(project, event, answer, field):
    outcome = fire(project, event, answer)

    assert (outcome.decision, outcome.blocked, outcome.stop) == ("none", False, False)
    assert (outcome.changes, outcome.messages) == ({}, ())
    assert any(field in warning for warning in outcome.warnings)


@pytest.mark.req("WV-FR-011", "WV-EDGE.4")
def test_a_section_without_an_event_name_counts(project):
    outcome = fire(project, "PreToolUse", {"hookSpecificOutput": {"permissionDecision": "deny"}})

    assert outcome.blocked


@pytest.mark.req("WV-EDGE.5")
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(("code", "decision"), [(0, "none"), (1, "none"), (2, "deny")])
def test_a_hook_that_prints_nothing_is_judged_by_its_exit_code_alone(project, event, code, decision):
    outcome = fire(project, event, exit_code=code)

    assert (outcome.decision, outcome.success) == (decision, code != 1)
    assert outcome.blocked is (decision == "deny" and event != "PostToolUse")
    assert [message.text for message in outcome.messages] == (["Blocked by hook"] if code == 2 else [])


@pytest.mark.req("WV-SC-003")
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(
    "text",
    [
        "x" * (1 << 20),
        json.dumps({"systemMessage": "x" * ((1 << 20) - 100)}),
        '{"decision": "block", "reason": "' + "x" * (1 << 20),
        "{" * (1 << 20),
    ],
    ids=["text", "an object", "cut off", "braces"],
)
def test_reading_a_mebibyte_of_output_takes_less_than_a_tenth_of_a_second(event, text):
    """Without the process: only what the output costs. The best of three, so that a busy machine does not decide."""
    seconds = []
    for _ in range(3):
        engine = Engine(dialect="wave", files=False, environ={}, home="/", journal=False)
        began = time.process_time()
        simulate("wave", event, [Did(stdout=text)], data=DATA[event], engine=engine)
        seconds.append(time.process_time() - began)

    assert min(seconds) < 0.1


# How hooks are configured and what they are given


def test_all_three_files_add_up_the_users_first(project):
    entry = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "printf NAME >> order"}]}]}}
    text = json.dumps(entry)
    project.write(".wave/settings.local.json", text.replace("NAME", "local"))
    project.write(".wave/settings.json", text.replace("NAME", "project-"))
    project.home(".wave/settings.json", text.replace("NAME", "user-"))

    project.fire("wave", "PreToolUse", WRITE)

    assert project.read("order") == "user-project-local"


@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_is_given_the_event_on_stdin_and_in_its_environment(project, event):
    settings(project, event, "cat > seen.json; env | grep -E '^(WAVE_PROJECT_DIR|HOOK_)' | sort > env")

    project.fire("wave", event, {**DATA[event], "transcript_path": "/t.jsonl"}, session="s-1")

    given = {**DATA[event], "user_prompt": "do it"} if event == "UserPromptSubmit" else DATA[event]
    assert project.json("seen.json") == {
        "session_id": "s-1",
        "transcript_path": "/t.jsonl",
        "cwd": str(project.root),
        "hook_event_name": event,
        **given,
    }
    tool = DATA[event].get("tool_name", "")
    assert project.read("env").splitlines() == [
        f"HOOK_EVENT={event}",
        f"HOOK_TOOL_NAME={tool}",
        f"WAVE_PROJECT_DIR={project.root}",
    ]


@pytest.mark.parametrize(
    ("matcher", "tool", "runs"),
    [
        ("Write", "write", True),
        ("Write|Edit", "EDIT", True),
        ("Write | Edit", "Edit", True),
        ("mcp__*", "MCP__fs", True),
        ("Write", "WriteFile", False),
        ("Write*", "WriteFile", True),
        ("*", "x", True),
        ("", "x", True),
        (None, "x", True),
    ],
)
def test_a_matcher_is_globs_that_ignore_case(project, matcher, tool, runs):
    settings(project, "PreToolUse", "touch ran", matcher=matcher)

    project.fire("wave", "PreToolUse", {"tool_name": tool, "tool_input": {}})

    assert project.has("ran") is runs


def test_all_hooks_of_an_event_run_in_order_also_after_a_block(project):
    settings(project, "PreToolUse", "printf 1 >> order; exit 2", "printf 2 >> order", "printf 3 >> order; exit 2")

    outcome = project.fire("wave", "PreToolUse", WRITE)

    assert (outcome.blocked, project.read("order")) == (True, "123")


def test_a_hook_has_sixty_seconds_unless_it_says_otherwise(project):
    settings(project, "PreToolUse", "true", {"type": "command", "command": "true", "timeout": 5})

    assert [hook.timeout for hook in project.engine("wave").hooks()] == [60.0, 5.0]

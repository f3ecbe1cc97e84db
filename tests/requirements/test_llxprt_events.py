"""llxprt: what each event can do, and what its outcome gives the caller to apply."""

import copy
import json

import pytest

from .llxprt import DATA, IN_SCOPE, OUT_OF_SCOPE, REQUEST, RESPONSE, fire, group, says, settings, specific, told

KINDS = [
    ("tool.before", "BeforeTool"),
    ("tool.after", "AfterTool"),
    ("model.before", "BeforeModel"),
    ("model.after", "AfterModel"),
    ("tools.select", "BeforeToolSelection"),
]


@pytest.mark.req("HOOK-014", "HOOK-025", "HOOK-033", "HOOK-043", "HOOK-053")
@pytest.mark.parametrize(("kind", "event"), KINDS)
@pytest.mark.parametrize("own_name", [False, True])
def test_an_event_runs_its_hooks_to_the_end_before_the_caller_goes_on(project, kind, event, own_name):
    """Only this event's hooks, once, and finished when `fire` returns: the caller acts right after."""
    hooks = {name: [group(f"sleep 0.05; echo {name} >> ran")] for name in DATA}
    project.write(".llxprt/settings.json", settings(**hooks))
    outcome = project.fire("llxprt", event if own_name else kind, DATA[event])

    assert project.read("ran") == f"{event}\n"
    assert (outcome.event, outcome.dialect, len(outcome.attempts)) == (event, "llxprt", 1)


# BeforeTool


@pytest.mark.req("HOOK-177", "HOOK-016b", "HOOK-156")
def test_before_tool_can_block(project):
    outcome = fire(project, "BeforeTool", says({"decision": "deny", "reason": "no"}))

    assert (outcome.decision, outcome.blocked, outcome.reason, outcome.stop) == ("deny", True, "no", False)


@pytest.mark.req("HOOK-019", "HOOK-177", "HOOK-156")
def test_before_tool_can_change_the_input(project):
    outcome = fire(project, "BeforeTool", specific(tool_input={"path": "b.txt"}))

    assert outcome.changes == {"input": {"path": "b.txt", "content": "x"}}
    assert (outcome.blocked, outcome.attempts[0].changed) == (False, ("input.path",))


@pytest.mark.req("HOOK-020", "HOOK-028", "HOOK-040", "HOOK-058", "HOOK-097", "HOOK-177", "HOOK-178", "HOOK-179")
@pytest.mark.parametrize("event", ["BeforeTool", "AfterTool", "BeforeModel", "BeforeToolSelection"])
def test_continue_false_stops_the_agent_and_the_user_is_told_why(project, event):
    outcome = fire(project, event, says({"continue": False, "stopReason": "enough for today"}))

    assert (outcome.stop, outcome.stop_reason, outcome.blocked) == (True, "enough for today", False)
    assert told(outcome) == [("user", "reason", "enough for today")]
    assert outcome.changes == {}


@pytest.mark.req("HOOK-020", "HOOK-157")
@pytest.mark.parametrize("event", IN_SCOPE)
def test_continue_true_or_absent_does_not_stop(project, event):
    outcome = fire(project, event, says({"continue": True, "stopReason": "not now"}))

    assert (outcome.stop, outcome.stop_reason, outcome.messages) == (False, "", ())


# AfterTool


@pytest.mark.req("HOOK-027", "HOOK-178", "HOOK-217", "HOOK-156")
def test_after_tool_context_is_for_the_model(project):
    outcome = fire(project, "AfterTool", specific(additionalContext="see the log"))

    assert told(outcome) == [("model", "context", "see the log")]
    assert (outcome.decision, outcome.changes, outcome.suppress) == ("none", {}, False)


@pytest.mark.req("HOOK-029", "HOOK-178", "HOOK-217")
def test_after_tool_suppression_leaves_the_models_content_alone(project):
    outcome = fire(project, "AfterTool", says({"suppressOutput": True}))

    assert (outcome.suppress, outcome.changes, outcome.messages) == (True, {}, ())


@pytest.mark.req("HOOK-030", "HOOK-178", "HOOK-217")
def test_after_tool_system_message_is_for_the_model(project):
    outcome = fire(project, "AfterTool", says({"systemMessage": "be careful"}))

    assert told(outcome) == [("model", "system", "be careful")]


@pytest.mark.req("HOOK-178")
@pytest.mark.parametrize("command", [says({"decision": "block", "reason": "late"}), "echo late >&2; exit 2"])
def test_after_tool_cannot_block(project, command):
    outcome = fire(project, "AfterTool", command)

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", False, "late")
    assert told(outcome) == [("model", "feedback", "late")]


@pytest.mark.req("HOOK-178")
@pytest.mark.parametrize("field", ["tool_response", "tool_output", "tool_input", "llm_response"])
def test_after_tool_cannot_change_the_result(project, field):
    outcome = fire(project, "AfterTool", specific(**{field: {"llmContent": "other"}}))

    assert outcome.changes == {}
    assert [field in warning for warning in outcome.warnings] == [True]


# BeforeModel


@pytest.mark.req("HOOK-036", "HOOK-179")
@pytest.mark.parametrize("word", ["block", "deny"])
def test_before_model_block_with_a_response_gives_the_caller_both(project, word):
    answer = {"decision": word, "reason": "cached", "hookSpecificOutput": {"llm_response": RESPONSE}}
    outcome = fire(project, "BeforeModel", says(answer))

    assert (outcome.decision, outcome.blocked, outcome.reason) == ("deny", True, "cached")
    assert outcome.changes == {"response": RESPONSE}


@pytest.mark.req("HOOK-037", "HOOK-179")
@pytest.mark.parametrize("command", [says({"decision": "block", "reason": "no"}), "echo no >&2; exit 2"])
def test_before_model_block_without_a_response_has_none_to_give(project, command):
    outcome = fire(project, "BeforeModel", command)

    assert (outcome.decision, outcome.blocked, outcome.reason, outcome.changes) == ("deny", True, "no", {})


@pytest.mark.req("HOOK-036")
def test_before_model_response_without_a_block_does_not_stand_in_for_the_model(project):
    outcome = fire(project, "BeforeModel", specific(llm_response=RESPONSE))

    assert (outcome.blocked, outcome.stop, outcome.changes) == (False, False, {})


@pytest.mark.req("HOOK-036", "HOOK-042")
def test_a_response_on_an_exit_other_than_zero_is_not_read(project):
    answer = says({"decision": "block", "hookSpecificOutput": {"llm_response": RESPONSE}})
    denied = fire(project, "BeforeModel", f"{answer}; exit 2")
    failed = fire(project, "BeforeModel", f"{answer}; exit 1")

    assert (denied.blocked, denied.changes) == (True, {})
    assert (failed.blocked, failed.changes) == (False, {})


@pytest.mark.req("HOOK-038", "HOOK-179", "HOOK-156")
def test_before_model_change_is_the_complete_new_request(project):
    outcome = fire(project, "BeforeModel", specific(llm_request={"model": "m-2"}))

    assert outcome.changes == {"request": {**REQUEST, "model": "m-2"}}
    assert (outcome.blocked, outcome.success) == (False, True)


@pytest.mark.req("HOOK-039", "HOOK-179")
def test_before_model_messages_are_added_after_the_existing_ones(project):
    added = {"role": "user", "content": "the build is red"}
    script = project.script(
        "add.py",
        "import json, sys\n"
        "request = json.load(sys.stdin)['llm_request']\n"
        f"messages = request['messages'] + [{added!r}]\n"
        "print(json.dumps({'hookSpecificOutput': {'llm_request': {'messages': messages}}}))\n",
    )
    outcome = fire(project, "BeforeModel", script)

    assert outcome.changes == {"request": {**REQUEST, "messages": [*REQUEST["messages"], added]}}


@pytest.mark.req("HOOK-194")
def test_a_stop_makes_a_response_up_after_the_model_but_not_before_it(project):
    command = says({"continue": False, "stopReason": "over"})
    before, after = fire(project, "BeforeModel", command), fire(project, "AfterModel", command)

    assert "response" not in before.changes
    assert after.changes["response"]["text"] == "over"


# AfterModel


@pytest.mark.req("HOOK-046", "HOOK-180", "HOOK-217")
def test_after_model_can_change_a_part_of_the_response(project):
    changed = {**RESPONSE, "text": "hello"}
    outcome = fire(project, "AfterModel", specific(llm_response=changed))

    assert outcome.changes == {"response": changed}


@pytest.mark.req("HOOK-047", "HOOK-180")
def test_after_model_can_replace_the_response(project):
    new = {"text": "new", "candidates": [{"content": {"role": "model", "parts": ["new"]}, "finishReason": "STOP"}]}
    outcome = fire(project, "AfterModel", specific(llm_response=new))

    assert outcome.changes == {"response": new}


@pytest.mark.req("HOOK-048", "HOOK-180", "HOOK-073")
def test_after_model_stop_gives_a_response_that_holds_the_stop_reason(project):
    outcome = fire(project, "AfterModel", says({"continue": False, "stopReason": "over budget"}))
    response = outcome.changes["response"]

    assert (outcome.stop, outcome.stop_reason, outcome.blocked) == (True, "over budget", False)
    assert response["text"] == "over budget"
    assert [candidate["content"]["parts"] for candidate in response["candidates"]] == [["over budget"]]
    assert response["candidates"][0]["finishReason"] == "STOP"
    assert ("user", "reason", "over budget") in told(outcome)


@pytest.mark.req("HOOK-049", "HOOK-180", "HOOK-217")
def test_after_model_suppression_leaves_the_response_alone(project):
    outcome = fire(project, "AfterModel", says({"suppressOutput": True}))

    assert (outcome.suppress, outcome.changes) == (True, {})


@pytest.mark.req("HOOK-180")
@pytest.mark.parametrize("command", [says({"decision": "deny", "reason": "late"}), "echo late >&2; exit 2"])
def test_after_model_cannot_block(project, command):
    outcome = fire(project, "AfterModel", command)

    assert (outcome.decision, outcome.blocked, outcome.reason, outcome.changes) == ("deny", False, "late", {})
    assert told(outcome) == [("log", "reason", "late")]


# BeforeToolSelection


@pytest.mark.req("HOOK-055", "HOOK-074", "HOOK-168", "HOOK-181")
def test_tool_selection_restricts_by_names_and_leaves_the_request_alone(project):
    outcome = fire(project, "BeforeToolSelection", specific(toolConfig={"allowedFunctionNames": ["read_file"]}))

    assert outcome.changes == {"tool_config": {"allowedFunctionNames": ["read_file"]}}


@pytest.mark.req("HOOK-056", "HOOK-074", "HOOK-181")
@pytest.mark.parametrize("mode", ["AUTO", "ANY"])
def test_tool_selection_can_change_the_mode(project, mode):
    outcome = fire(project, "BeforeToolSelection", specific(toolConfig={"mode": mode}))

    assert outcome.changes == {"tool_config": {"mode": mode}}


@pytest.mark.req("HOOK-056", "HOOK-057", "HOOK-101")
def test_mode_none_allows_no_tool_at_all(project):
    config = {"mode": "NONE", "allowedFunctionNames": ["read_file"]}
    outcome = fire(project, "BeforeToolSelection", specific(toolConfig=config))

    assert outcome.changes == {"tool_config": {"mode": "NONE", "allowedFunctionNames": []}}


@pytest.mark.req("HOOK-074")
@pytest.mark.parametrize("config", [{"mode": "SOME"}, {"allowedFunctionNames": "read_file"}])
def test_a_tool_config_of_another_form_changes_nothing_and_is_reported(project, config):
    outcome = fire(project, "BeforeToolSelection", specific(toolConfig=config))

    assert outcome.changes == {}
    assert len(outcome.warnings) == 1


@pytest.mark.req("HOOK-181")
@pytest.mark.parametrize("command", [says({"decision": "deny", "reason": "no"}), "echo no >&2; exit 2"])
def test_tool_selection_cannot_block(project, command):
    outcome = fire(project, "BeforeToolSelection", command)

    assert (outcome.decision, outcome.blocked, outcome.changes) == ("deny", False, {})
    assert told(outcome) == [("log", "reason", "no")]


@pytest.mark.req("HOOK-181")
@pytest.mark.parametrize("field", ["tool_input", "llm_request", "llm_response"])
def test_tool_selection_cannot_change_input_or_output(project, field):
    outcome = fire(project, "BeforeToolSelection", specific(**{field: {"model": "other"}}))

    assert outcome.changes == {}


# All of them


@pytest.mark.req("HOOK-217")
@pytest.mark.parametrize("event", IN_SCOPE)
def test_the_hook_system_changes_nothing_of_the_callers(project, event):
    """Effects are in the outcome; what the caller gave stays as it was."""
    section = {
        "additionalContext": "c",
        "tool_input": {"path": "other"},
        "llm_request": {"model": "other"},
        "llm_response": {"text": "other"},
        "toolConfig": {"mode": "NONE"},
    }
    given = copy.deepcopy(DATA[event])
    fire(project, event, says({"systemMessage": "m", "continue": False, "hookSpecificOutput": section}), data=given)

    assert given == DATA[event]


@pytest.mark.req("HOOK-081", "HOOK-203")
@pytest.mark.parametrize("event", OUT_OF_SCOPE)
def test_events_without_a_caller_run_and_their_answers_are_not_applied(project, event):
    answer = {"decision": "deny", "reason": "no", "continue": False, "suppressOutput": True, "systemMessage": "m"}
    outcome = fire(project, event, f"cat > seen.json; {says(answer)}")

    assert project.json("seen.json")["hook_event_name"] == event
    assert outcome.attempts[0].stdout == json.dumps(answer)
    assert (outcome.blocked, outcome.stop, outcome.suppress, outcome.changes) == (False, False, False, {})
    assert {message.to for message in outcome.messages} == {"log"}

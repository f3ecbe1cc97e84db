"""The same answer, a different fate: what became of a shell call in the real Copilot CLI, under both of its names."""

import json
from typing import Any

import pytest

from tenterhook import Engine, Outcome
from tenterhook.hosts.session import Session
from tenterhook.testing import Did, simulate

CAMEL, PASCAL = BEFORE = ("preToolUse", "PreToolUse")
CALL = {"tool_name": "bash", "tool_input": {"command": "./mark.sh", "description": "test"}}
NEW = {"command": "./other.sh"}
PROGRESS = '{"type": "progress", "message": "looking"}\n'


def says(answer: Any, exit_code: int = 0, stderr: str = "") -> Did:
    return Did(stdout=json.dumps(answer), exit_code=exit_code, stderr=stderr)


def claude(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


DENY = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
ALLOW = {"permissionDecision": "allow"}
# Row -> what the hook did, and the fate of the call under the camelCase name and under the PascalCase one.
ROWS: dict[str, tuple[Did, str, str]] = {
    "exit 2 + stderr": (Did(exit_code=2, stderr="no"), "denied", "denied"),
    "exit 2, silent": (Did(exit_code=2), "denied", "denied"),
    "exit 1": (Did(exit_code=1), "denied", "denied"),
    "exit 3 + stderr": (Did(exit_code=3, stderr="no"), "denied", "denied"),
    "exit 127": (Did(exit_code=127), "denied", "denied"),
    "killed": (Did(signal="SIGKILL"), "denied", "denied"),
    "not started": (Did(error="spawn"), "denied", "denied"),
    "timeout": (Did(error="timeout"), "ran", "ran"),
    "timeout after a deny": (Did(error="timeout", stdout=json.dumps(DENY)), "ran", "ran"),
    "Claude JSON deny + reason": (says(claude(**DENY)), "ran", "denied"),
    "Claude JSON deny, no reason": (says(claude(permissionDecision="deny")), "ran", "denied"),
    "deny + an unknown key": (says({**claude(**DENY), "colour": "red"}), "ran", "denied"),
    "deny + suppressOutput": (says({**claude(**DENY), "suppressOutput": True}), "ran", "denied"),
    "deny without hookEventName": (says({"hookSpecificOutput": DENY}), "ran", "denied"),
    "deny that names another event": (says({"hookSpecificOutput": {"hookEventName": "Stop", **DENY}}), "ran", "denied"),
    "top-level decision block": (says({"decision": "block", "reason": "no"}), "ran", "ran"),
    "top-level decision deny": (says({"decision": "deny", "reason": "no"}), "ran", "ran"),
    "native deny": (says(DENY), "denied", "denied"),
    "native deny, no reason": (says({"permissionDecision": "deny"}), "denied", "denied"),
    "native deny + an unknown key": (says({**DENY, "colour": "red"}), "denied", "denied"),
    "another word": (says({"permissionDecision": "DENY"}), "ran", "ran"),
    "ask, no user present": (says({"permissionDecision": "ask"}), "denied", "denied"),
    "Claude ask, no user present": (says(claude(permissionDecision="ask")), "ran", "denied"),
    "exit 1 + deny JSON": (says(DENY, 1), "denied", "denied"),
    "exit 1 + allow JSON": (says(ALLOW, 1), "denied", "denied"),
    "exit 2 + allow JSON": (says(ALLOW, 2), "denied", "denied"),
    "continue: false": (says({"continue": False, "stopReason": "enough"}), "ran", "ran"),
    "modifiedArgs + allow": (says({**ALLOW, "modifiedArgs": NEW}), "replaced", "replaced"),
    "modifiedArgs, no decision": (says({"modifiedArgs": NEW}), "replaced", "replaced"),
    "modifiedArgs that are none": (says({"modifiedArgs": "x"}), "denied", "denied"),
    "updatedInput + allow": (says(claude(permissionDecision="allow", updatedInput=NEW)), "ran", "replaced"),
    "updatedInput, no decision": (says(claude(updatedInput=NEW)), "ran", "replaced"),
    "updatedInput, flat": (says({"updatedInput": NEW}), "ran", "ran"),
    "modifiedArgs in the section": (says(claude(modifiedArgs=NEW)), "ran", "ran"),
    "flat allow, deny in the section": (says({**ALLOW, **claude(**DENY)}), "ran", "denied"),
    "flat deny, allow in the section": (says({**DENY, **claude(permissionDecision="allow")}), "denied", "ran"),
    "flat deny, an empty section": (says({**DENY, "hookSpecificOutput": {}}), "denied", "denied"),
    "progress, then a deny": (Did(stdout=PROGRESS + json.dumps(DENY)), "denied", "denied"),
    "a deny, then progress": (Did(stdout=json.dumps(DENY) + "\n" + PROGRESS), "denied", "denied"),
    "progress without a message": (Did(stdout='{"type": "progress"}\n' + json.dumps(DENY)), "ran", "ran"),
    "a deny on several lines": (Did(stdout=json.dumps(DENY, indent=2)), "denied", "denied"),
    "a deny with a byte order mark": (Did(stdout="\ufeff" + json.dumps(DENY)), "denied", "denied"),
    "two denies": (Did(stdout=f"{json.dumps(DENY)}\n{json.dumps(DENY)}"), "ran", "ran"),
    "a deny in a list": (says([DENY]), "ran", "ran"),
    "a deny in a text": (says(json.dumps(DENY)), "ran", "ran"),
    "text, then a deny": (Did(stdout=f"hello\n{json.dumps(DENY)}"), "ran", "ran"),
    "plain text": (Did(stdout="hello"), "ran", "ran"),
}


def alone() -> Engine:
    """Nobody is there to be asked."""
    return Engine(dialect="copilot", files=False, environ={}, home="/", journal=False, sandbox="off", attended=False)


def fired(event: str, *did: Did, **data: Any) -> Outcome:
    return simulate("copilot", event, did, data=data or CALL, engine=alone())


def fate(outcome: Outcome) -> str:
    if outcome.blocked:
        return "denied"
    return "replaced" if outcome.changes.get("input") == NEW else "ran"


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize(("event", "place"), [(CAMEL, 1), (PASCAL, 2)])
def test_a_hooks_answer_has_the_fate_that_it_has_in_the_real_agent(row: str, event: str, place: int) -> None:
    did, wanted = ROWS[row][0], ROWS[row][place]

    assert wanted == fate(fired(event, did))


def to_model(outcome: Outcome) -> list[str]:
    return [message.text for message in outcome.messages if message.to == "model"]


@pytest.mark.parametrize("event", BEFORE)
@pytest.mark.parametrize("code", [1, 2, 3])
def test_what_a_hook_writes_on_stderr_never_reaches_the_model(event: str, code: int) -> None:
    assert not [text for text in to_model(fired(event, Did(exit_code=code, stderr="hush"))) if text == "hush"]


@pytest.mark.parametrize("said", [DENY, {**DENY, "permissionDecision": "allow"}, {"permissionDecisionReason": "no"}])
@pytest.mark.parametrize("event", BEFORE)
def test_at_exit_2_the_flat_reason_is_the_refusals_whatever_it_decides(event: str, said: dict[str, str]) -> None:
    assert fired(event, says(said, 2, "hush")).reason == "no"


def test_at_exit_2_the_section_decides_nothing_and_its_context_is_told() -> None:
    outcome = fired(PASCAL, says(claude(**DENY, additionalContext="ctx"), 2))

    assert (outcome.reason, to_model(outcome)) == ("Blocked by hook", ["ctx", "Blocked by hook"])
    assert "one: its hookSpecificOutput decides nothing at exit code 2" in outcome.warnings


def test_hooks_run_one_after_another_and_a_refusal_or_a_question_ends_the_chain() -> None:
    refused = fired(CAMEL, says(DENY), says(ALLOW))
    asked = fired(CAMEL, says({"permissionDecision": "ask"}), says(DENY))
    late = fired(CAMEL, says(ALLOW), says(DENY))

    assert [len(one.attempts) for one in (refused, asked, late)] == [1, 1, 2]
    assert (refused.blocked, asked.blocked, late.blocked) == (True, True, True)


def test_a_hook_that_rewrites_a_call_keeps_those_after_it_from_running() -> None:
    """So a guard behind it never sees the call: the agent's own hole, kept and shown by the number of attempts."""
    engine = alone()
    told: list[Any] = []
    engine.add(CAMEL, lambda payload: {"modifiedArgs": NEW})
    engine.add(PASCAL, told.append)

    outcome = engine.fire("tool.before", **CALL)

    assert (told, outcome.changes, len(outcome.attempts)) == ([], {"input": NEW}, 1)


@pytest.mark.parametrize("event", ["postToolUse", "PostToolUse"])
def test_after_a_tool_exit_codes_do_nothing_and_a_block_with_a_reason_takes_the_results_place(event: str) -> None:
    data = {**CALL, "tool_output": "out"}
    coded = [fired(event, Did(exit_code=code, stdout="o", stderr="e"), **data) for code in (1, 2)]
    silent = fired(event, says({"decision": "block"}), **data)
    blocked = fired(event, says({"decision": "block", "reason": "no", "additionalContext": "ctx"}), Did(), **data)

    assert [(one.changes, to_model(one)) for one in (*coded, silent)] == [({}, [])] * 3
    assert (blocked.changes, to_model(blocked), len(blocked.attempts)) == ({"output": "no"}, ["no"], 1)


@pytest.mark.parametrize("event", ["postToolUse", "PostToolUse"])
def test_after_a_tool_results_are_changed_one_after_another_and_contexts_add_up(event: str) -> None:
    hooks = [
        says({"modifiedResult": {"resultType": "success", "textResultForLlm": text}, "additionalContext": text})
        for text in ("one", "two")
    ]
    outcome = fired(event, *hooks, **CALL, tool_output="out")

    assert outcome.changes == {"output": "two"}
    assert to_model(outcome) == ["one", "two"]


def test_after_a_tool_claudes_form_is_not_read() -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "ctx"}}

    assert to_model(fired("PostToolUse", says(answer), **CALL, tool_output="out")) == []


@pytest.mark.parametrize("event", ["userPromptSubmitted", "UserPromptSubmit"])
def test_a_prompt_is_refused_by_an_answer_and_by_no_exit_code(event: str) -> None:
    coded = fired(event, Did(exit_code=2, stdout="o", stderr="no"), prompt="hi")
    plain = fired(event, Did(stdout="context?"), prompt="hi")
    blocked = fired(event, says({"decision": "block", "reason": "no"}), prompt="hi")
    taken_back = fired(event, says({"decision": "block", "reason": "no"}), says({"decision": "allow"}), prompt="hi")

    assert (coded.blocked, plain.blocked, blocked.blocked, taken_back.blocked) == (False, False, True, False)
    assert [(one.to, one.text) for one in blocked.messages] == [("user", "no")]
    assert not plain.messages


def test_a_prompt_can_be_changed_and_only_the_last_hooks_context_is_told() -> None:
    hooks = [says({"modifiedPrompt": text, "additionalContext": text}) for text in ("one", "two")]
    outcome = fired("userPromptSubmitted", *hooks, prompt="hi")

    assert (outcome.changes, to_model(outcome)) == ({"prompt": "two"}, ["two"])


def test_what_the_model_is_given_of_a_prompt_can_be_rewritten_and_not_refused() -> None:
    rewritten = fired("userPromptTransformed", says({"modifiedTransformedPrompt": "new"}), prompt="hi")
    refused = fired("userPromptTransformed", says({"decision": "block", "reason": "no"}), prompt="hi")

    assert (rewritten.changes, refused.blocked) == ({"prompt": "new"}, False)


@pytest.mark.parametrize("event", ["permissionRequest", "PermissionRequest"])
@pytest.mark.parametrize(
    ("did", "decision"),
    [
        (says({"behavior": "allow"}), "allow"),
        (says({"behavior": "deny", "message": "no"}), "deny"),
        (says({"behavior": "allow"}, 2), "deny"),
        (says({"behavior": "allow"}, 1), "deny"),
        (Did(stdout="hello"), "deny"),
        (Did(error="timeout"), "none"),
        (says({"hookSpecificOutput": {"decision": {"behavior": "allow"}}}), "none"),
        (says({"permissionDecision": "allow"}), "none"),
    ],
)
def test_permission_is_given_by_one_answer_and_refused_by_every_failure_but_time(
    event: str, did: Did, decision: str
) -> None:
    assert fired(event, did).decision == decision


def test_of_several_that_give_or_refuse_permission_the_last_is_heard_unless_one_failed() -> None:
    allow, deny, failed = says({"behavior": "allow"}), says({"behavior": "deny", "message": "no"}), Did(exit_code=1)
    outcomes = [fired("permissionRequest", *both) for both in ((deny, allow), (allow, deny), (failed, allow))]

    assert [one.decision for one in outcomes] == ["allow", "deny", "deny"]
    assert to_model(outcomes[0]) == []


def stops(event: str) -> int:
    """How often a hook that never lets an agent stop is obeyed."""
    engine = alone()
    engine.add(event, lambda payload: {"decision": "block", "reason": "go on"})
    session: Any = Session(engine)
    asked = session.agent("look", agent_type="explore") if event == "subagentStop" else session
    count = 0
    while count < 20 and asked.stop().goes_on:
        count += 1
    return count


def test_the_agent_is_kept_from_stopping_eight_times_and_a_subagent_for_ever() -> None:
    assert (stops("agentStop"), stops("Stop"), stops("subagentStop")) == (8, 8, 20)


def test_a_stop_is_refused_only_with_a_reason_and_by_no_exit_code() -> None:
    outcomes = [
        fired("agentStop", did, stop_hook_active=False) for did in (says({"decision": "block"}), Did(exit_code=2))
    ]

    assert [one.blocked for one in outcomes] == [False, False]


def test_after_a_failed_tool_stderr_at_exit_2_is_told_to_the_model() -> None:
    outcome = fired("postToolUseFailure", Did(exit_code=2, stdout="o", stderr="try again"), **CALL, error="no")

    assert to_model(outcome) == ["try again"]


def test_a_strict_engine_lets_none_of_these_refusals_pass() -> None:
    """The holes are the agent's own: time, and refusals without a reason or taken back."""
    late = simulate("copilot", CAMEL, [Did(error="timeout")], data=CALL, mode="strict")
    silent = simulate("copilot", "agentStop", [says({"decision": "block"})], mode="strict")
    both = [says({"behavior": "deny", "message": "no"}), says({"behavior": "allow"})]
    taken_back = simulate("copilot", "permissionRequest", both, data=CALL, mode="strict")

    assert late.decision in ("ask", "deny")
    assert (silent.blocked, taken_back.blocked) == (True, True)

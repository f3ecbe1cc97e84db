"""The same answer, a different fate: what became of a shell call in the real Gemini CLI and Qwen Code, row by row."""

import json
from typing import Any

import pytest

from tenterhook import Engine, Outcome
from tenterhook.testing import Did, simulate

BEFORE = {"gemini": "BeforeTool", "qwen": "PreToolUse"}
AFTER = {"gemini": "AfterTool", "qwen": "PostToolUse"}
PROMPT = {"gemini": "BeforeAgent", "qwen": "UserPromptSubmit"}
CALL = {"tool_name": "run_shell_command", "tool_input": {"command": "./mark.sh", "description": "test"}}
NEW = {"command": "./other.sh"}
BOTH = tuple(BEFORE)


def says(answer: Any, exit_code: int = 0, stderr: str = "") -> Did:
    return Did(stdout=json.dumps(answer), exit_code=exit_code, stderr=stderr)


def claude(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


DENY = {"decision": "deny", "reason": "no"}
# Row -> what the hook did, and the fate of the call in Gemini CLI and Qwen Code; None where nobody tried.
ROWS: dict[str, tuple[Did | dict[str, Did], str | None, str | None]] = {
    "exit 2 + stderr": (Did(exit_code=2, stderr="no"), "denied", "denied"),
    "exit 2, silent": (Did(exit_code=2), "ran", "ran"),
    "exit 1": (Did(exit_code=1, stderr="odd"), "ran", "ran"),
    "exit 3 + stderr": (Did(exit_code=3, stderr="no"), "denied", "ran"),
    "Claude JSON deny + reason": (
        says(claude(permissionDecision="deny", permissionDecisionReason="no")),
        "ran",
        "denied",
    ),
    "Claude JSON deny, no reason": (says(claude(permissionDecision="deny")), None, "denied"),
    "deny without hookEventName": (says({"hookSpecificOutput": {"permissionDecision": "deny"}}), None, "denied"),
    "top-level decision block": (says({"decision": "block", "reason": "no"}), "denied", "denied"),
    "top-level decision deny": (says(DENY), "denied", "denied"),
    "native deny, no reason": (
        {"gemini": says({"decision": "deny"}), "qwen": says(claude(permissionDecision="deny"))},
        "denied",
        "denied",
    ),
    "ask, no user present": (
        {"gemini": says({"decision": "ask"}), "qwen": says(claude(permissionDecision="ask"))},
        "ended",
        "denied",
    ),
    "exit 1 + deny JSON": (says(DENY, 1), "denied", "denied"),
    "exit 2 + allow JSON": (says({"decision": "allow"}, 2, "no"), "ran", "denied"),
    "continue: false": (says({"continue": False, "stopReason": "enough"}), "ended", "denied"),
    "changed input + allow": (
        {
            "gemini": says({"decision": "allow", "hookSpecificOutput": {"tool_input": NEW}}),
            "qwen": says(claude(permissionDecision="allow", updatedInput=NEW)),
        },
        "replaced",
        "ran",
    ),
    "changed input, no decision": (says({"hookSpecificOutput": {"tool_input": NEW}}), "replaced", "ran"),
    "timeout": (Did(error="timeout"), "ran", "ran"),
    "JSON on stderr alone": (Did(exit_code=1, stderr=json.dumps(DENY)), "denied", "denied"),
    "exit 2, JSON deny on stdout alone": (says(DENY, 2), "denied", "ran"),
    "exit 2, allow JSON on stderr": (Did(exit_code=2, stderr='{"decision": "allow"}'), "ran", "ran"),
    "exit 2, text on stdout alone": (Did(exit_code=2, stdout="no"), "denied", "ran"),
    "exit 2, a list on stdout": (Did(exit_code=2, stdout="[1]", stderr="no"), "ran", "denied"),
    "killed after a deny": (Did(signal="SIGKILL", stdout=json.dumps(DENY)), "denied", "denied"),
    "killed after a word": (Did(signal="SIGKILL", stderr="no"), "ran", "ran"),
    "broken JSON": (Did(stdout='{"decision": "deny"'), "ran", "ran"),
    "broken JSON at exit 2": (Did(exit_code=2, stdout='{"decision": "allow"', stderr="no"), "denied", "denied"),
    "encoded twice": (says(json.dumps(DENY)), "denied", "denied"),
    "deny, and allow in the section": (
        says({**DENY, **claude(permissionDecision="allow")}),
        "denied",
        "ran",
    ),
    "top-level permissionDecision": (says({"permissionDecision": "deny"}), "ran", "ran"),
}


def alone(dialect: str) -> Engine:
    """Nobody is there to be asked."""
    return Engine(dialect=dialect, files=False, environ={}, home="/", journal=False, sandbox="off", attended=False)


def fate(outcome: Outcome) -> str:
    if outcome.stop:
        return "ended"
    if outcome.blocked:
        return "denied"
    return "replaced" if outcome.changes.get("input") == NEW else "ran"


TRIED = [
    (dialect, row, did[dialect] if isinstance(did, dict) else did, wanted)
    for row, (did, *fates) in ROWS.items()
    for dialect, wanted in zip(BOTH, fates, strict=True)
    if wanted
]


@pytest.mark.parametrize(("dialect", "row", "did", "wanted"), TRIED, ids=[f"{one[0]}: {one[1]}" for one in TRIED])
def test_a_hooks_answer_has_the_fate_that_it_has_in_the_real_agent(
    dialect: str, row: str, did: Did, wanted: str
) -> None:
    assert wanted == fate(simulate(dialect, BEFORE[dialect], [did], data=CALL, engine=alone(dialect)))


def to_model(outcome: Outcome) -> list[str]:
    return [message.text for message in outcome.messages if message.to == "model"]


@pytest.mark.parametrize("did", [says({"decision": "block", "reason": "no"}), Did(exit_code=2, stderr="no")])
def test_after_a_tool_a_block_replaces_the_result_in_one_and_does_nothing_in_the_other(did: Did) -> None:
    data = {**CALL, "tool_response": {"llmContent": "out"}}
    gemini = simulate("gemini", AFTER["gemini"], [did], data=data)
    qwen = simulate("qwen", AFTER["qwen"], [did], data=data)

    assert (gemini.changes["output"], to_model(gemini)) == ("no", ["no"])
    assert (qwen.changes, to_model(qwen), qwen.blocked) == ({}, [], False)


@pytest.mark.parametrize("dialect", BOTH)
def test_after_a_tool_a_context_is_told_to_the_model(dialect: str) -> None:
    did = says({"hookSpecificOutput": {"additionalContext": "seen"}})

    assert to_model(simulate(dialect, AFTER[dialect], [did], data=CALL)) == ["seen"]


@pytest.mark.parametrize("dialect", BOTH)
def test_before_a_tool_a_context_is_told_to_nobody(dialect: str) -> None:
    did = says({"hookSpecificOutput": {"additionalContext": "seen"}})

    assert to_model(simulate(dialect, BEFORE[dialect], [did], data=CALL)) == []


@pytest.mark.parametrize("dialect", BOTH)
def test_exit_2_on_a_prompt_ends_the_turn(dialect: str) -> None:
    outcome = simulate(dialect, PROMPT[dialect], [Did(exit_code=2, stderr="no")], data={"prompt": "hi"})

    assert (outcome.blocked, [(one.to, one.text) for one in outcome.messages]) == (True, [("user", "no")])


def test_plain_text_on_a_prompt_is_context_in_one_and_shown_in_the_other() -> None:
    did = [Did(stdout="Mind the gap.")]
    told = {dialect: simulate(dialect, PROMPT[dialect], did, data={"prompt": "hi"}).messages for dialect in BOTH}

    assert [(one.to, one.kind) for one in told["gemini"]] == [("user", "system")]
    assert [(one.to, one.kind) for one in told["qwen"]] == [("model", "context")]


def test_a_strict_engine_lets_none_of_these_refusals_pass() -> None:
    """Silence at exit 2, and what could not be read, deny: the holes are the agents' own."""
    holes = [Did(exit_code=2), Did(stdout='{"decision": "deny"'), Did(error="timeout")]

    for dialect in BOTH:
        for did in holes:
            outcome = simulate(dialect, BEFORE[dialect], [did], data=CALL, mode="strict")
            assert outcome.decision in ("ask", "deny"), (dialect, did)

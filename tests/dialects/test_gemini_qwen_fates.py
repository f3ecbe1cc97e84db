"""More answers and their fates, measured on the real Gemini CLI and Qwen Code besides those that were tried on all."""

import json
from typing import Any

import pytest

from tenterhook import Outcome
from tenterhook.testing import Did, simulate

BEFORE = {"gemini": "BeforeTool", "qwen": "PreToolUse"}
CALL = {"tool_name": "run_shell_command", "tool_input": {"command": "./mark.sh", "description": "test"}}
BOTH = tuple(BEFORE)


def says(answer: Any, exit_code: int = 0, stderr: str = "") -> Did:
    return Did(stdout=json.dumps(answer), exit_code=exit_code, stderr=stderr)


def claude(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


DENY = {"decision": "deny", "reason": "no"}
# Row -> what the hook did, and the fate of the call in Gemini CLI and in Qwen Code.
ROWS: dict[str, tuple[Did, str, str]] = {
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


TRIED = [
    (dialect, row, did, wanted)
    for row, (did, *fates) in ROWS.items()
    for dialect, wanted in zip(BOTH, fates, strict=True)
]


@pytest.mark.parametrize(("dialect", "row", "did", "wanted"), TRIED, ids=[f"{one[0]}: {one[1]}" for one in TRIED])
def test_a_hooks_answer_has_the_fate_that_it_has_in_the_real_agent(
    dialect: str, row: str, did: Did, wanted: str
) -> None:
    outcome = simulate(dialect, BEFORE[dialect], [did], data=CALL)

    assert not outcome.stop
    assert wanted == ("denied" if outcome.blocked else "ran")


def to_model(outcome: Outcome) -> list[str]:
    return [message.text for message in outcome.messages if message.to == "model"]


@pytest.mark.parametrize("dialect", BOTH)
def test_before_a_tool_a_context_is_told_to_nobody(dialect: str) -> None:
    did = says({"hookSpecificOutput": {"additionalContext": "seen"}})

    assert to_model(simulate(dialect, BEFORE[dialect], [did], data=CALL)) == []


def test_a_strict_engine_lets_none_of_these_refusals_pass() -> None:
    """Silence at exit 2, and what could not be read, deny: the holes are the agents' own."""
    holes = [Did(exit_code=2), Did(stdout='{"decision": "deny"'), Did(error="timeout")]

    for dialect in BOTH:
        for did in holes:
            outcome = simulate(dialect, BEFORE[dialect], [did], data=CALL, mode="strict")
            assert outcome.decision in ("ask", "deny"), (dialect, did)

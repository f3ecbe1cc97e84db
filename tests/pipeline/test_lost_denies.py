"""A refusal that the agent does not read: a strict engine refuses, and `on_failure` sees what is unreadable."""

import json
from typing import Any

import pytest

from tenterhook.testing import Did, simulate
from tenterhook.types import Outcome

EVENTS = {
    "claude": "PreToolUse",
    "codex": "PreToolUse",
    "cursor": "preToolUse",
    "gemini": "BeforeTool",
    "llxprt": "BeforeTool",
    "amcp": "PreToolUse",
    "wave": "PreToolUse",
    "moai": "PreToolUse",
    "tenterhook": "tool.before",
}
SECTION = "hookSpecificOutput"
DENY = json.dumps({"decision": "deny", "permission": "deny", SECTION: {"permissionDecision": "deny"}})
DATA = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def fired(dialect: str, printed: str, mode: str, **on_failure: str) -> Outcome:
    act = Did(stdout=printed)
    return simulate(dialect, EVENTS[dialect], [act], data=DATA, mode=mode, on_failure=on_failure)


@pytest.mark.req("HOOK-016b", "HOOK-212")
@pytest.mark.parametrize("dialect", EVENTS)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize(("mode", "on_failure"), [("strict", {}), ("faithful", {"default": "deny"}), ("faithful", {})])
def test_a_refusal_in_another_encoding_is_seen(
    dialect: str, encoding: str, mode: str, on_failure: dict[str, str]
) -> None:
    printed = DENY.encode(encoding).decode("utf-8", "replace")
    outcome = fired(dialect, printed, mode, **on_failure)

    assert any("looks like an answer" in warning for warning in outcome.warnings)
    if mode == "strict" or on_failure:
        assert (outcome.decision, outcome.success) == ("deny", False)
        assert not any("\0" in message.text for message in outcome.messages if message.to == "model")


@pytest.mark.req("HOOK-212")
@pytest.mark.parametrize("dialect", ["gemini", "llxprt"])
@pytest.mark.parametrize("printed", [f"[{DENY}]", json.dumps(json.dumps(json.dumps(DENY)))])
@pytest.mark.parametrize(("mode", "on_failure"), [("strict", {}), ("faithful", {"output": "deny"})])
def test_a_refusal_in_json_that_is_no_object_is_seen(
    dialect: str, printed: str, mode: str, on_failure: dict[str, str]
) -> None:
    assert fired(dialect, printed, mode, **on_failure).decision == "deny"
    assert fired(dialect, printed, "faithful").decision == "none"
    assert fired(dialect, '["checked", {"files": 3}]', mode, **on_failure).success


@pytest.mark.parametrize("before", ["checking\n", "\ufeff", "\ufffd\ufffd"])
@pytest.mark.parametrize("dialect", ["llxprt", "amcp", "codex"])
def test_what_failed_as_an_answer_is_no_text_for_the_model(dialect: str, before: str) -> None:
    outcome = fired(dialect, f"{before}{DENY[:-1]}", "faithful", default="deny")

    assert outcome.decision == "deny"
    assert not any("permissionDecision" in message.text for message in outcome.messages if message.kind != "reason")


@pytest.mark.parametrize("policy", ["deny", "ask"])
def test_on_failure_sees_an_answer_behind_a_byte_order_mark_that_the_agent_does_not_read(policy: str) -> None:
    assert fired("codex", f"\ufeff{DENY}", "faithful", default=policy).decision == "deny"
    assert fired("codex", f"\ufeff{DENY}", "faithful").decision == "none"


FORMS: list[tuple[str, Any, str]] = [
    *(
        (dialect, {SECTION: {"hookEventName": "PostToolUse", "permissionDecision": "deny"}}, "names the event")
        for dialect in ("amcp", "wave", "moai")
    ),
    *((dialect, {SECTION: "deny"}, "must be an object") for dialect in ("amcp", "wave", "moai", "llxprt")),
    ("moai", {SECTION: {"decision": {"behavior": "deny"}}}, "has no effect on PreToolUse"),
    ("cursor", {"continue": False}, "continue decides nothing on preToolUse"),
    *(
        ("llxprt", answer, "is how other agents' hooks decide")
        for answer in (
            {"allowed": False},
            {"ok": False},
            {"block": True},
            {"denied": True},
            {"action": "deny"},
            {"result": "Block"},
        )
    ),
]


@pytest.mark.req("HOOK-016b")
@pytest.mark.parametrize(("dialect", "answer", "why"), FORMS)
def test_strict_refuses_what_says_no_in_a_way_that_does_not_count(dialect: str, answer: Any, why: str) -> None:
    strict, faithful = (fired(dialect, json.dumps(answer), mode) for mode in ("strict", "faithful"))

    assert (strict.decision, strict.success) == ("deny", False)
    assert why in strict.reason
    assert (faithful.decision, bool(faithful.warnings)) == ("none", True)


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        ("llxprt", {"allowed": True}),
        ("llxprt", {"denied": False}),
        ("llxprt", {"echo": {"action": "deny", "block": True}}),
        ("llxprt", {"mode": "normal"}),
        ("cursor", {"continue": True}),
        ("amcp", {SECTION: {"hookEventName": "PostToolUse", "additionalContext": "x"}}),
        ("moai", {SECTION: {"decision": {"behavior": "allow"}}}),
    ],
)
def test_strict_does_not_mind_what_refuses_nothing(dialect: str, answer: Any) -> None:
    outcome = fired(dialect, json.dumps(answer), "strict")

    assert (outcome.blocked, outcome.success) == (False, True)

"""moai (MoAI's document): Claude Code's fourteen events; hooks of an event run in parallel."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, ANY, BLOCKED, Act, Expected, Row, Said, filled

PROMPT, PRE, ASKED = "UserPromptSubmit", "PreToolUse", "PermissionRequest"
EVENTS = (
    PROMPT,
    "SessionStart",
    "PreCompact",
    PRE,
    "PostToolUse",
    "PostToolUseFailure",
    ASKED,
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "TeammateIdle",
    "TaskCompleted",
    "SessionEnd",
)
CAN_BLOCK = {PROMPT, PRE, ASKED, "TeammateIdle", "TaskCompleted"}
TO_USER = {PROMPT, "SessionStart", "PreCompact", "Notification", "SubagentStart", "SessionEnd"}
AFTER_TOOL = {"PostToolUse", "PostToolUseFailure"}
# Silent: MoAI's document does not list the words. Claude Code itself knows approve and block at the top level, allow,
# deny and ask as a permissionDecision; here all five are read in both, a lost deny being the worse error.
DECISIONS = {"approve": "allow", "allow": "allow", "block": "deny", "deny": "deny", "ask": "ask"}
INPUT = {"path": "a", "n": 1}
MORE: dict[str, dict[str, Any]] = {
    PROMPT: {"prompt": "hi"},
    "PostToolUse": {"tool_output": "done"},
    "PostToolUseFailure": {"error": "broke", "is_interrupt": False},
    "Notification": {"type": "idle_prompt", "message": "m"},
    "SubagentStart": {"agent_type": "qa", "agent_name": "q1"},
    "TeammateIdle": {"agent_type": "qa", "agent_name": "q1", "tasks_summary": "2 open"},
    "TaskCompleted": {"task_id": "7", "task_summary": "s", "agent_name": "q1"},
    "SessionEnd": {"reason": "clear"},
}


def data(event: str) -> dict[str, Any]:
    tool = {"tool_name": "Write", "tool_input": dict(INPUT)} if event in {PRE, ASKED, *AFTER_TOOL} else {}
    return tool | MORE.get(event, {})


def denied(event: str) -> tuple[str, str]:
    if event in TO_USER:
        return "user", "reason"
    return "model", "feedback" if event in AFTER_TOOL else "reason"


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    saids = [said(event, act) for act in acts]
    outcome = table.merge(saids, denied=denied(event), can_block=event in CAN_BLOCK, prompt=event == PROMPT)
    inputs = [one.gives["input"] for one in saids if "input" in one.gives]
    outcome.changes = table.changed("input", inputs[-1] if inputs else INPUT, INPUT)
    if len(inputs) > 1 and inputs[0] != inputs[1]:
        outcome.changes = ANY  # Silent: which of two parallel hooks' updatedInput counts.
    return outcome


def said(event: str, act: Act) -> Said:
    """0 = success, 1 (and any other) = error shown to the user, 2 = block; SessionEnd's stdout is ignored."""
    if act.error or act.exit not in (0, 2):
        return table.failure(act, "user")
    out = "" if event == "SessionEnd" else act.out
    answer = table.one_object(out)
    if answer is None:
        # Text is context on two events and dropped elsewhere; half an answer is not text, but a failure.
        half = out.startswith("{") and garbled(out, {})
        context = [out] if out and not half and act.exit == 0 and event in (PROMPT, "SessionStart") else []
        return ended(Said(context=context, failed=half), event, act, {}, "")
    return answered(event, act, answer)


def answered(event: str, act: Act, answer: Mapping[str, Any]) -> Said:
    """The documented top-level fields, and Claude Code's own decision, continue and hookSpecificOutput."""
    own = table.section(answer, event)
    asked = own if event == PRE else {}
    decision = table.word(answer.get("decision"), DECISIONS)
    reason = table.text_of(answer.get("reason"))
    if decision == "none" and event == PRE:
        decision = table.word(asked.get("permissionDecision"), DECISIONS)
        reason = table.text_of(asked.get("permissionDecisionReason")) or reason
    system = table.text_of(answer.get("systemMessage"))
    contexts = (table.text_of(place.get("additionalContext")) for place in (answer, own))
    found = Said(decision, reason, suppress=answer.get("suppressOutput") is True)
    found.notes = [("model" if event == "TeammateIdle" else "user", "system", system)] if system else []
    found.context = [text for text in contexts if text]
    if isinstance(asked.get("updatedInput"), Mapping):
        found.gives["input"] = asked["updatedInput"]
    return ended(found, event, act, answer, reason)


def ended(found: Said, event: str, act: Act, answer: Mapping[str, Any], reason: str) -> Said:
    """Exit 2: the JSON's reason, else stderr. A permission request: exit 0 without another word is allow."""
    if act.exit == 2:
        reason = reason or act.err
        found.decision = "deny"
    elif event == ASKED and found.decision == "none" and not garbled(act.out, answer):
        found.decision = "allow"
    found.reason = reason or BLOCKED if found.decision == "deny" else reason
    return table.stopped(found, answer, reason)


def garbled(out: str, answer: Mapping[str, Any]) -> bool:
    """A word that may have been a refusal, and cannot be read as any: that is another word than none."""
    if not answer:
        return any(f'"{key}"' in out.replace("\\", "") for key in ("decision", "continue", "hookSpecificOutput"))
    word, on = answer.get("decision"), answer.get("continue")
    unknown = word is not None and table.word(word, DECISIONS) == "none"
    return unknown or (on is not None and not isinstance(on, bool))


# ---- rows

EXTRAS: tuple[dict[str, Any], ...] = (
    {},
    {"systemMessage": "sys", "additionalContext": "ctx", "suppressOutput": True},
)


def answers() -> Iterator[dict[str, Any]]:
    for decision, reason, on, extra in product(table.WORDS, table.REASONS[:2], table.GOES_ON, EXTRAS):
        yield filled(decision=decision, reason=reason) | on | extra
    for on in table.ODD_GOES_ON:
        yield {"decision": "block", "reason": "why"} | on
    yield from ({"decision": "block", "reason": ""}, {"systemMessage": "", "additionalContext": ""})


def sections(event: str) -> Iterator[dict[str, Any]]:
    """hookSpecificOutput with the right name; the law does not say what another name means here."""
    for decision, reason, new, on in product(
        table.WORDS, table.REASONS, (ABSENT, {"path": "b", "n": 1}, dict(INPUT), "b"), table.GOES_ON[:4:3]
    ):
        own = filled(
            hookEventName=event, permissionDecision=decision, permissionDecisionReason=reason, updatedInput=new
        )
        yield {"hookSpecificOutput": own} | on
    yield {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "own ctx"}, "systemMessage": "sys"}


def unclear(act: Act) -> bool:
    """Exit 2 beside an allow's own permissionDecisionReason: the law does not say whose reason that is."""
    own = table.section(table.one_object(act.out) or {}, PRE)
    return act.exit == 2 and bool(own.get("permissionDecisionReason")) and own.get("permissionDecision") != "deny"


def few() -> list[str]:
    return table.dumped(
        [
            {},
            {"decision": "block", "reason": "why"},
            {"decision": "approve", "reason": "fine"},
            {"reason": "alone"},
            {"systemMessage": "sys", "additionalContext": "ctx"},
            {"continue": False, "stopReason": "enough"},
            {"decision": "sideways", "suppressOutput": True},
        ]
    )


def some() -> list[Act]:
    outs = [*few(), "", "plain text"]
    found = [Act(stdout=out) for out in outs] + [Act(exit=2, stdout=out, stderr="no") for out in outs[:6]]
    found += [Act(exit=2), Act(exit=1, stderr="odd"), Act(exit=3), Act(exit=None, signal="SIGTERM", stderr="killed")]
    return [*found, Act(**table.TIMED_OUT)]


def permissions() -> list[Act]:
    """More for pairs on PreToolUse."""
    owns: list[dict[str, Any]] = [
        {"permissionDecision": decision, "permissionDecisionReason": f"because {decision}"}
        for decision in ("allow", "deny", "ask")
    ]
    owns += [{"permissionDecision": "deny"}, {"permissionDecision": "allow"}, {"updatedInput": {"path": "b", "n": 1}}]
    return [Act(stdout=json.dumps({"hookSpecificOutput": {"hookEventName": PRE, **own}})) for own in owns]


def rows() -> Iterator[Row]:
    small = [*table.TEXTS, *few()]
    yield from table.singles(
        EVENTS, table.acts([{}], table.odd({"decision": "block", "reason": "why"}), table.STDERRS[:1])
    )
    yield from table.singles(EVENTS, table.acts(table.ENDS, small))
    yield from table.singles(EVENTS, table.endings(small))
    yield from table.singles(EVENTS, table.acts([{}], table.dumped(answers()), table.STDERRS[:1]))
    yield from table.singles(EVENTS, table.acts([{"exit": 2}], table.dumped(answers()), table.STDERRS[1:]))
    own = [act for act in table.acts(table.ENDS[:3], table.dumped(sections(PRE))) if not unclear(act)]
    yield from table.singles([PRE], own)
    for event in (one for one in EVENTS if one not in (PRE, ASKED)):
        yield from table.singles([event], table.acts([{}], table.dumped(sections(event)), table.STDERRS[:1]))
    yield from table.pairs(EVENTS, some())
    yield from table.pairs([PRE], [*some(), *permissions()])

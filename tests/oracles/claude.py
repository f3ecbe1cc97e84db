"""claude: Claude Code as it was measured and documented; all hooks of an event run in parallel."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, ANY, BLOCKED, Act, Expected, Row, Said, filled

PRE, ASKED, POST, FAILED = "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"
PROMPT, SWITCH, MADE, REMOVED = "UserPromptSubmit", "PreModelSwitch", "WorktreeCreate", "WorktreeRemove"
ELICITED = ("Elicitation", "ElicitationResult")
STOPS = ("Stop", "SubagentStop")
# Exit 2 blocks, and so does a decision.
CAN_BLOCK = {
    *(PROMPT, "UserPromptExpansion", PRE, "PostToolBatch", *STOPS, "TeammateIdle", "TaskCreated", "TaskCompleted"),
    *("PreCompact", SWITCH, *ELICITED, "ConfigChange"),
}
# Exit 2 is an error whose text the user is shown, or one that nobody hears of.
SHOWN = {
    *("SessionStart", "Setup", "SubagentStart", "PostCompact", "PostModelSwitch", "CwdChanged", "FileChanged"),
    "SessionEnd",
}
UNHEARD = {
    *(ASKED, "PermissionDenied", "MessageDisplay", "Notification", "StopFailure", "InstructionsLoaded"),
    "DirectoryAdded",
}
AFTER = {POST, FAILED}
EVENTS = (*sorted(CAN_BLOCK | SHOWN | UNHEARD | AFTER), MADE, REMOVED)
# Whose stdout is dropped.
DEAF = {"SessionEnd", REMOVED}
PLAIN_CONTEXT = {"SessionStart", PROMPT, "UserPromptExpansion", "PostModelSwitch", "PreCompact"}
CONTEXT = {
    *("SessionStart", "Setup", PROMPT, "UserPromptExpansion", PRE, POST, FAILED, "PostToolBatch", "SubagentStart"),
    *("PostModelSwitch", "Notification"),
}
# Where continue: false ends the agent; before a tool it does so when that has run.
STOPPABLE = {PROMPT, "UserPromptExpansion", POST, FAILED, "PostToolBatch", *STOPS, "TeammateIdle"} | {
    *("PermissionDenied", "PreCompact")
}
THEN_STOPS = {PRE, ASKED}
TO_MODEL = {PRE, ASKED, "PostToolBatch", *STOPS, "TeammateIdle", "TaskCreated", "TaskCompleted"}
TO_LOG = {
    *("PermissionDenied", "MessageDisplay", "Notification", "StopFailure", "InstructionsLoaded", "DirectoryAdded"),
    "ConfigChange",
}
INPUT = {"command": "ls", "description": "d"}
PERMISSIONS = {
    PRE: {"allow": "allow", "deny": "deny", "ask": "ask", "defer": "defer"},
    SWITCH: {"allow": "allow", "deny": "deny", "ask": "ask"},
}
TEXTS = ("stopReason", "systemMessage", "reason", "terminalSequence")


def data(event: str) -> dict[str, Any]:
    if event not in {PRE, ASKED, POST, FAILED, "PermissionDenied"}:
        return {}
    call = {"tool_name": "Bash", "tool_input": dict(INPUT)}
    return {**call, "tool_output": "done"} if event == POST else call


def denied(event: str) -> tuple[str, str]:
    if event in AFTER:
        return "model", "feedback"
    return ("model" if event in TO_MODEL else "log" if event in TO_LOG else "user"), "reason"


def blocks(event: str) -> bool:
    return event in CAN_BLOCK or event in (ASKED, MADE, REMOVED)


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    saids = [said(event, act) for act in acts]
    outcome = table.merge(saids, denied=denied(event), can_block=blocks(event), prompt=event == PROMPT)
    if any(one.decision == "defer" for one in saids) and outcome.decision != "deny":
        outcome.decision = "defer"
        outcome.reason = table.first(one.reason for one in saids if one.decision == "defer")
    if event == PRE:  # of several refusals that of the hook which finished last is told; here they finish in order
        if outcome.decision == "deny":
            outcome.reason = [one.reason for one in saids if one.decision == "deny"][-1]
        table.counting(outcome, denied(event))
    inputs = [one.gives["input"] for one in saids if "input" in one.gives]
    outcome.changes = table.changed("input", inputs[-1] if inputs else INPUT, INPUT)
    wishes = [one.gives["path"] for one in saids if "path" in one.gives]
    if wishes:
        outcome.changes["path"] = wishes[-1]
    outcome.stop_after = any(one.stop_after for one in saids) and not outcome.stop
    if not outcome.stop and outcome.stop_after:
        outcome.stop, outcome.stop_reason = True, table.first(one.stop_reason for one in saids if one.stop_after)
    return outcome


def said(event: str, act: Act) -> Said:
    if act.error or act.signal:
        return unended(event, act)
    out = "" if event in DEAF else act.out
    answer = table.one_object(out) if out.startswith("{") and out.endswith("}") else None
    if answer is None:
        return spoken(event, act, out)
    if wrong(event, answer):
        return invalid(event, act)
    found = answered(event, answer)
    return exited(found, event, act) if act.exit == 2 or event in (MADE, REMOVED) else ended(found)


def unended(event: str, act: Act) -> Said:
    """No answer in time, or none at all: an error, but a model is not switched, and no worktree made or removed."""
    found = table.failure(act, "user")
    if event in (MADE, REMOVED) or (event == SWITCH and act.error == "timeout"):
        found.decision, found.reason = "deny", ANY
    return found


def spoken(event: str, act: Act, out: str) -> Said:
    """Text, or nothing."""
    if event in (MADE, REMOVED) and act.exit:
        return Said("deny", act.err or BLOCKED, failed=True)
    if act.exit == 0:
        if out.startswith("{") and out.endswith("}") and event != MADE:  # meant as an answer, and none
            return Said(failed=True, notes=[("user", "error", out)])
        if event == MADE and out:
            return Said(gives={"path": out.splitlines()[-1].strip()})
        return Said(context=[out] if out and event in PLAIN_CONTEXT else [])
    if act.exit == 2 and event in UNHEARD:
        return Said(failed=True)
    if act.exit == 2 and event not in SHOWN:
        return Said("deny", act.err or BLOCKED)
    return table.failure(act, "user")


def wrong(event: str, answer: Mapping[str, Any]) -> bool:
    """Whether the answer fails the schema: more keys are fine, wrong values are not, null is one of them."""
    for key in TEXTS:
        if key in answer and not isinstance(answer[key], str):
            return True
    for key in ("continue", "suppressOutput"):
        if key in answer and not isinstance(answer[key], bool):
            return True
    if "decision" in answer and event not in (ASKED, *ELICITED) and answer["decision"] not in ("approve", "block"):
        return True
    if "decision" in answer and not isinstance(answer["decision"], str):
        return True
    if "hookSpecificOutput" not in answer:
        return False
    own = answer["hookSpecificOutput"]
    return not isinstance(own, dict) or own.get("hookEventName") != event or wrong_section(event, own)


def wrong_section(event: str, own: Mapping[str, Any]) -> bool:
    if event in CONTEXT | set(STOPS) and not isinstance(own.get("additionalContext", ""), str):
        return True
    if event in PERMISSIONS:
        bad = "permissionDecision" in own and own["permissionDecision"] not in PERMISSIONS[event]
        bad = bad or not isinstance(own.get("permissionDecisionReason", ""), str)
        return bad or (event == PRE and not isinstance(own.get("updatedInput", {}), dict))
    return False


def invalid(event: str, act: Act) -> Said:
    """An error that blocks nothing, except on exit 2."""
    if event == MADE and act.exit:
        return Said("deny", act.err or BLOCKED, failed=True)
    if act.exit == 2 and event not in SHOWN and event not in UNHEARD:
        return Said("deny", act.err or BLOCKED, failed=True)
    return Said(failed=True)


def answered(event: str, answer: Mapping[str, Any]) -> Said:
    own = table.mapping_of(answer.get("hookSpecificOutput"))
    found = Said()
    if event not in (ASKED, *ELICITED):
        found.decision = table.word(answer.get("decision"), {"approve": "allow", "block": "deny"})
        found.reason = table.text_of(answer.get("reason"))
    if event in PERMISSIONS:
        mine = table.word(own.get("permissionDecision"), PERMISSIONS[event])
        reason = table.text_of(own.get("permissionDecisionReason"))
        weaker = mine != "none" and rank(mine) < rank(found.decision)
        found.reason = found.reason if found.reason and (weaker or not reason) else reason
        found.decision = max(found.decision, mine, key=rank)
    if event == PRE and "updatedInput" in own:
        found.gives["input"] = own["updatedInput"]
    if event in CONTEXT and own.get("additionalContext"):
        found.context = [own["additionalContext"]]
    if event in STOPS and own.get("additionalContext"):
        found.decision, found.reason = "deny", found.reason or own["additionalContext"]
    if answer.get("systemMessage"):
        found.notes = [("user", "system", answer["systemMessage"])]
    return halted(found, event, answer)


def rank(decision: str) -> int:
    return ("none", "allow", "ask", "defer", "deny").index(decision)


def halted(found: Said, event: str, answer: Mapping[str, Any]) -> Said:
    """continue: false is no veto before a tool, and on some events nothing at all; a deferral ends the run."""
    reason = table.text_of(answer.get("stopReason")) or found.reason
    if answer.get("continue") is False and event in STOPPABLE:
        found.stop, found.stop_reason = True, reason
    elif answer.get("continue") is False and event in THEN_STOPS:
        found.stop_after, found.stop_reason = True, reason
    elif answer.get("continue") is False and answer.get("stopReason"):
        found.notes.append(("log", "reason", answer["stopReason"]))
    return found


def exited(found: Said, event: str, act: Act) -> Said:
    """Exit 2 blocks whatever the JSON says: with its reason to block, else stderr, else a stock phrase."""
    if event == REMOVED or (event == MADE and act.exit):
        return Said("deny", act.err or BLOCKED, failed=True)
    if event in SHOWN or event in UNHEARD or event == MADE:
        return ended(found)
    reason = found.reason if found.decision == "deny" else ""
    found.decision, found.reason = "deny", reason or act.err or BLOCKED
    if (found.stop or found.stop_after) and not found.stop_reason:
        found.stop_reason = ANY  # Silent: whether stderr is a reason to stop, too, and who is told it.
        found.maybe.append(("user", "reason", ANY))
    return found


def ended(found: Said) -> Said:
    if found.decision == "deny":
        found.reason = found.reason or BLOCKED
    if found.decision == "defer":
        found.stop, found.stop_after, found.stop_reason = True, False, ANY
        found.maybe.append(("user", "reason", ANY))
    return found


# ---- rows

SENTENCES: tuple[dict[str, Any], ...] = (
    {},
    {"decision": "block", "reason": "why"},
    {"decision": "block"},
    {"decision": "approve", "reason": "fine"},
    {"decision": "deny", "reason": "why"},
    {"reason": "alone"},
    {"systemMessage": "sys", "suppressOutput": True, "extra": 1},
    {"continue": False, "stopReason": "enough"},
    {"continue": False},
    {"continue": False, "decision": "block", "reason": "why"},
    {"continue": True, "stopReason": "enough"},
    {"additionalContext": "at the top it is an extra key"},
)
WRONG: tuple[dict[str, Any], ...] = (
    {"continue": "false"},
    {"continue": None},
    {"suppressOutput": 1, "decision": "block"},
    {"systemMessage": 7},
    {"decision": "block", "reason": ["why"]},
    {"decision": None},
    {"decision": "block", "hookSpecificOutput": {}},
    {"decision": "block", "hookSpecificOutput": "no object"},
    {"decision": "block", "hookSpecificOutput": {"hookEventName": "Elsewhere"}},
)


def sections() -> Iterator[dict[str, Any]]:
    """hookSpecificOutput before a tool, with the right name and without."""
    words = (ABSENT, "allow", "deny", "ask", "defer", "sideways", None, 7)
    for decision, reason, new in product(words, (ABSENT, "why", ""), (ABSENT, {"command": "pwd"}, dict(INPUT), "b")):
        own = filled(permissionDecision=decision, permissionDecisionReason=reason, updatedInput=new)
        yield {"hookSpecificOutput": {"hookEventName": PRE, **own}}
    for word in words[1:4]:
        yield {"hookSpecificOutput": {"permissionDecision": word}}
        yield {"hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": word}, "continue": False}
        yield {"hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": word}, "decision": "block"}


def some(event: str) -> list[Act]:
    """For pairs."""
    context = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "ctx"}}
    outs = table.dumped([*SENTENCES[:2], SENTENCES[3], SENTENCES[4], SENTENCES[6], SENTENCES[7], context])
    found = [Act(stdout=out) for out in [*outs, "plain text"]]
    return [
        *found,
        Act(exit=2, stderr="no"),
        Act(exit=2, stdout=outs[1]),
        Act(exit=1, stderr="odd"),
        Act(**table.TIMED_OUT),
    ]


def permissions() -> list[Act]:
    owns: list[dict[str, Any]] = [{"permissionDecision": word} for word in ("allow", "deny", "ask", "defer")]
    owns += [{"updatedInput": {"command": "pwd"}}, {"permissionDecision": "allow", "updatedInput": {"command": "id"}}]
    return [Act(stdout=json.dumps({"hookSpecificOutput": {"hookEventName": PRE, **own}})) for own in owns]


def rows() -> Iterator[Row]:
    texts = [*table.TEXTS[:7], *table.dumped(SENTENCES)]
    yield from table.singles(EVENTS, table.acts(table.ENDS, texts))
    yield from table.singles(EVENTS, table.endings(texts[:4]))
    yield from table.singles(EVENTS, table.acts([{}, {"exit": 1}, {"exit": 2}], table.dumped(WRONG), table.STDERRS[1:]))
    yield from table.singles([PRE], table.acts(table.ENDS[:4], table.dumped(sections())))
    for event in EVENTS:
        own = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "own ctx"}, "systemMessage": "sys"}
        yield from table.singles([event], table.acts([{}, {"exit": 1}, {"exit": 2}], table.dumped([own])))
        yield from table.pairs([event], some(event))
    yield from table.pairs([PRE], [*some(PRE), *permissions()])

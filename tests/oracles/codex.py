"""codex: Codex CLI as it was measured, and its public source; all hooks of an event run in parallel."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, Act, Expected, Row, Said, filled

PRE, ASKED, POST, PROMPT = "PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit"
STOPS = ("Stop", "SubagentStop")
STARTS = ("SessionStart", "SubagentStart")
MODEL = ("PreModelRequest", "PostModelRequest")
COMPACT = ("PreCompact", "PostCompact")
EVENTS = (PRE, ASKED, POST, PROMPT, *STOPS, *STARTS, *MODEL, *COMPACT, "Interrupt", "SessionEnd")
# Exit 2 refuses with what stands on stderr; elsewhere it is an error like any other.
REFUSES = {PRE, ASKED, POST, PROMPT, *STOPS}
CAN_BLOCK = REFUSES - {POST}
# Only JSON may stand on stdout.
JSON_ONLY = {*STOPS, *MODEL, *COMPACT, "Interrupt"}
PLAIN_CONTEXT = {PROMPT, *STARTS}
STOPPABLE = {PROMPT, *STOPS, *STARTS, "PreCompact"}
TO_MODEL = {PRE, ASKED, *STOPS}
UNIVERSAL = {"continue", "stopReason", "suppressOutput", "systemMessage"}
BLOCK = {"decision", "reason"}
SECTION = {
    PRE: {"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
    ASKED: {"decision"},
    POST: {"additionalContext", "updatedMCPToolOutput"},
    **{event: {"additionalContext"} for event in (PROMPT, *STARTS)},
}
KNOWN = {
    **dict.fromkeys(EVENTS, UNIVERSAL),
    "Interrupt": {"systemMessage"},
    PRE: UNIVERSAL | BLOCK,
    POST: UNIVERSAL | BLOCK,
    PROMPT: UNIVERSAL | BLOCK,
    **dict.fromkeys(STOPS, UNIVERSAL | BLOCK),
}
INPUT = {"command": "ls"}


def data(event: str) -> dict[str, Any]:
    call = {"tool_name": "Bash", "tool_input": dict(INPUT)} if event in {PRE, ASKED, POST} else {}
    return {**call, "tool_output": "done"} if event == POST else call


def denied(event: str) -> tuple[str, str]:
    if event == POST:
        return "model", "feedback"
    return ("model" if event in TO_MODEL else "log" if event in (*MODEL, "Interrupt") else "user"), "reason"


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    saids = [said(event, act) for act in acts]
    outcome = table.merge(saids, denied=denied(event), can_block=event in CAN_BLOCK)
    reasons = [one.reason for one in saids if one.decision == "deny"]
    if event in (*STOPS, POST) and outcome.decision == "deny":
        outcome.reason = "\n\n".join(reasons)
    if event == PRE:
        table.counting(outcome, denied(event))
    if outcome.stop:  # a stop outranks every refusal
        outcome.blocked = False
    inputs = [one.gives["input"] for one in saids if "input" in one.gives]
    outcome.changes = table.changed("input", inputs[-1] if inputs else INPUT, INPUT)
    outputs = [one.gives["output"] for one in saids if "output" in one.gives]
    if outputs:
        outcome.changes["output"] = outputs[-1]
    if event == POST and outcome.decision == "deny":
        outcome.changes["output"] = outcome.reason
    return outcome


def said(event: str, act: Act) -> Said:
    """0 is read, 2 refuses with a text on stderr, everything else is an error."""
    if act.error or act.signal or act.exit not in (0, 2):
        return table.failure(act, "log")
    if act.exit == 2:
        if event in REFUSES:
            return Said("deny", act.err) if act.err else Said(failed=True)
        return table.failure(act, "log")
    out = "" if event == "SessionEnd" else act.out
    answer = table.one_object(out)
    if answer is not None:
        return answered(event, answer)
    if not out:
        return Said()
    if event in JSON_ONLY or out.startswith(("{", "[")):
        return Said(failed=True, notes=[("log", "error", out)])
    return Said(context=[out] if event in PLAIN_CONTEXT else [])


def answered(event: str, answer: Mapping[str, Any]) -> Said:
    """What cannot be read counts for nothing; what is not supported either, but for the text to the user."""
    if unreadable(event, answer):
        return Said(failed=True)
    notes = [("user", "system", answer["systemMessage"])] if answer.get("systemMessage") else []
    own = table.mapping_of(answer.get("hookSpecificOutput"))
    found = decided(event, answer, own)
    if unsupported(event, answer, own) or (found.decision == "deny" and not found.reason.strip() and event != ASKED):
        return Said(failed=True, notes=list(notes))
    if found.decision == "deny":
        found.reason = found.reason or table.BLOCKED
    found.notes = list(notes)
    found.suppress = answer.get("suppressOutput") is True
    found.context = [own["additionalContext"]] if own.get("additionalContext") else []
    if isinstance(own.get("updatedInput"), dict):
        found.gives["input"] = own["updatedInput"]
    if answer.get("continue") is False and event == POST:  # the model is told in the result's place, and goes on
        said = answer.get("stopReason") or found.reason or "Stopped by hook"
        found.gives["output"] = said
        if (found.decision, found.reason) != ("deny", said):  # else it is told already
            found.notes.append(("model", "feedback", said))
    elif answer.get("continue") is False and event in STOPPABLE:
        found.stop, found.stop_reason = True, answer.get("stopReason") or found.reason
    elif answer.get("continue") is False and answer.get("stopReason"):
        found.notes.append(("log", "reason", answer["stopReason"]))
    return found


def unreadable(event: str, answer: Mapping[str, Any]) -> bool:
    """Keys that the event does not have, wrong types, a section without a name. Null is nothing, but for a flag."""
    known = KNOWN[event] | ({"hookSpecificOutput"} if event in SECTION else set())
    flags = any(key in answer and not isinstance(answer[key], bool) for key in ("continue", "suppressOutput"))
    texts = any(not isinstance(answer.get(key), str | None) for key in ("stopReason", "systemMessage", "reason"))
    words = ("approve", "block", None) if event == PRE else ("block", None)
    if set(answer) - known or flags or texts or answer.get("decision") not in words:
        return True
    own = answer.get("hookSpecificOutput")
    if own is None:
        return False
    if not isinstance(own, dict) or own.get("hookEventName") not in EVENTS:
        return True
    return bool(set(own) - SECTION[event] - {"hookEventName"}) or unreadable_section(event, own)


def unreadable_section(event: str, own: Mapping[str, Any]) -> bool:
    texts = ("permissionDecisionReason", "additionalContext")
    if any(not isinstance(own.get(key), str | None) for key in texts):
        return True
    if own.get("permissionDecision") not in ("allow", "deny", "ask", None):
        return True
    return event == PRE and not isinstance(own.get("updatedInput"), dict | None)


def decided(event: str, answer: Mapping[str, Any], own: Mapping[str, Any]) -> Said:
    if alone(event, own):
        answer = {}
    decision = "deny" if answer.get("decision") == "block" else "none"
    reason = answer.get("reason") or ""
    if own.get("permissionDecision") in ("allow", "deny"):
        mine = own["permissionDecision"]
        decision = mine if decision != "deny" else "deny"
        if mine == "deny" or decision != "deny":
            reason = own.get("permissionDecisionReason") or reason
    return Said(decision, reason)


def alone(event: str, own: Mapping[str, Any]) -> bool:
    """Whether a section decides, so that what stands outside of it does not."""
    keys = ("permissionDecision", "permissionDecisionReason", "updatedInput")
    return event == PRE and any(own.get(key) is not None for key in keys)


def unsupported(event: str, answer: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    if event in (PRE, ASKED) and (answer.get("continue") is False or answer.get("stopReason") is not None):
        return True
    if event in (PRE, ASKED, POST) and answer.get("suppressOutput"):
        return True
    if alone(event, own):
        answer = {name: value for name, value in answer.items() if name not in ("decision", "reason")}
        if own.get("permissionDecision") == "allow" and own.get("updatedInput") is None:
            return True
    if answer.get("decision") == "approve" or own.get("permissionDecision") == "ask":
        return True
    decides = answer.get("decision") or own.get("permissionDecision") or answer.get("continue") is False
    if event in (PRE, POST) and answer.get("reason") is not None and not decides:
        return True
    if own.get("permissionDecisionReason") is not None and not decides:
        return True
    return own.get("updatedInput") is not None and own.get("permissionDecision") != "allow"


# ---- rows

SENTENCES: tuple[dict[str, Any], ...] = (
    {},
    {"decision": "block", "reason": "why"},
    {"decision": "block"},
    {"decision": "block", "reason": " "},
    {"decision": "approve"},
    {"decision": "deny", "reason": "why"},
    {"reason": "alone"},
    {"reason": None},
    {"systemMessage": "sys"},
    {"systemMessage": "sys", "suppressOutput": True},
    {"suppressOutput": None},
    {"decision": "block", "reason": "why", "extra": 1},
    {"continue": False, "stopReason": "enough"},
    {"continue": False},
    {"continue": False, "decision": "block", "reason": "why"},
    {"continue": True},
    {"continue": True, "stopReason": "enough"},
    {"continue": "no"},
    {"systemMessage": 7},
    {"hookSpecificOutput": None},
    {"hookSpecificOutput": "text"},
    {"hookSpecificOutput": {}},
    {"hookSpecificOutput": {"hookEventName": "Elsewhere"}},
)


def sections() -> Iterator[dict[str, Any]]:
    words = (ABSENT, "allow", "deny", "ask", "sideways", None)
    for decision, reason, new in product(words, (ABSENT, "why", " "), (ABSENT, {"command": "pwd"}, dict(INPUT))):
        own = filled(permissionDecision=decision, permissionDecisionReason=reason, updatedInput=new)
        yield {"hookSpecificOutput": {"hookEventName": PRE, **own}}
        yield {"hookSpecificOutput": {"hookEventName": PRE, **own}, "systemMessage": "sys"}
    for name in (ABSENT, POST, 7):
        own = filled(hookEventName=name, permissionDecision="deny", permissionDecisionReason="why")
        yield {"hookSpecificOutput": own}


def some(event: str) -> list[Act]:
    """For pairs."""
    context = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "ctx"}}
    few = [*SENTENCES[:3], SENTENCES[5], SENTENCES[8], SENTENCES[9], SENTENCES[12], SENTENCES[14], context]
    found = [Act(stdout=out) for out in [*table.dumped(few), "plain text"]]
    found += [Act(exit=2, stderr="no"), Act(exit=2, stderr="never"), Act(exit=2), Act(exit=1, stderr="odd")]
    return [*found, Act(**table.TIMED_OUT)]


def permissions() -> list[Act]:
    owns: list[dict[str, Any]] = [
        {"permissionDecision": word, "permissionDecisionReason": f"because {word}"} for word in ("allow", "deny", "ask")
    ]
    owns += [{"permissionDecision": "allow", "updatedInput": {"command": "pwd"}}, {"updatedInput": {"command": "id"}}]
    return [Act(stdout=json.dumps({"hookSpecificOutput": {"hookEventName": PRE, **own}})) for own in owns]


def rows() -> Iterator[Row]:
    texts = [*table.TEXTS[:7], *table.dumped(SENTENCES)]
    yield from table.singles(EVENTS, table.acts(table.ENDS, texts))
    yield from table.singles(EVENTS, table.endings(texts[:4]))
    yield from table.singles([PRE], table.acts(table.ENDS[:3], table.dumped(sections())))
    for event in EVENTS:
        own = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "own ctx"}, "systemMessage": "sys"}
        yield from table.singles([event], table.acts(table.ENDS[:3], table.dumped([own])))
        yield from table.pairs([event], some(event))
    yield from table.pairs([PRE], [*some(PRE), *permissions()])

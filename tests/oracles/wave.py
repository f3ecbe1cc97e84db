"""wave (Wave's document): one JSON object outranks the exit code; continue: false outranks every decision."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, BLOCKED, Act, Expected, Row, Said, filled

PRE, POST, PROMPT, STOP = EVENTS = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop")
CAN_BLOCK = {PRE, PROMPT, STOP}
DENIED = {PRE: ("model", "reason"), POST: ("model", "feedback"), PROMPT: ("user", "reason"), STOP: ("model", "reason")}
DECISIONS = {"block": "deny"}  # FR-007 to FR-009: "block" or undefined
PERMISSIONS = {"allow": "allow", "deny": "deny", "ask": "ask"}  # FR-006
INPUT = {"path": "a", "n": 1}
MORE: dict[str, dict[str, Any]] = {
    PRE: {"tool_name": "Write", "tool_input": dict(INPUT)},
    POST: {"tool_name": "Write", "tool_input": dict(INPUT), "tool_response": {"ok": True}},
    PROMPT: {"prompt": "hi"},
}


def data(event: str) -> dict[str, Any]:
    return MORE.get(event, {})


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    """Hooks of an event run in order, all of them; updatedInput replaces the input."""
    saids = [said(event, act) for act in acts]
    stop = any(one.stop for one in saids)  # "stop is true and blocked false"
    outcome = table.merge(
        saids, denied=DENIED[event], can_block=event in CAN_BLOCK and not stop, prompt=event == PROMPT
    )
    inputs = [one.gives["input"] for one in saids if "input" in one.gives]
    outcome.changes = table.changed("input", inputs[-1] if inputs else INPUT, INPUT)
    return outcome


def said(event: str, act: Act) -> Said:
    if act.error:
        return table.failure(act, "user")
    answer = table.one_object(act.out)
    if answer is None:
        found = by_exit(act)
        if act.exit == 0 and act.out and event == PROMPT:  # FR-001: added to context for UserPromptSubmit only
            found.context = [act.out]
        return found
    return answered(event, act, answer)


def by_exit(act: Act, reason: str = "") -> Said:
    """0 goes on, 2 blocks with stderr, any other has failed and shows the user its stderr.

    Where stderr is empty, a reason that stands in the object is better than the default one.
    """
    if act.exit == 2:
        return Said("deny", act.err or reason or BLOCKED)
    return Said() if act.exit == 0 else table.failure(act, "user")


def answered(event: str, act: Act, answer: Mapping[str, Any]) -> Said:
    """An object that holds no decision, permissionDecision or continue leaves blocking to the exit code."""
    own = table.section(answer, event)
    decision, reason = decided(event, answer, own)
    if decision != "none" or isinstance(answer.get("continue"), bool):
        found = Said(decision, reason or BLOCKED if decision == "deny" else reason)
    else:
        found = by_exit(act, reason)
    if system := table.text_of(answer.get("systemMessage")):
        found.notes.append(("user", "system", system))
    if event in (POST, PROMPT) and (context := table.text_of(own.get("additionalContext"))):
        found.context.append(context)
    if event == PRE and isinstance(own.get("updatedInput"), Mapping):
        found.gives["input"] = own["updatedInput"]
    return table.stopped(found, answer, reason)


def decided(event: str, answer: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[str, str]:
    """The stronger of the top-level decision and the permissionDecision, with its own reason."""
    reason = table.text_of(answer.get("reason"))
    permission = table.word(own.get("permissionDecision"), PERMISSIONS) if event == PRE else "none"
    if table.word(answer.get("decision"), DECISIONS) == "deny":
        return "deny", reason
    if event == PRE:
        reason = table.text_of(own.get("permissionDecisionReason")) or reason
    return permission, reason


# ---- rows

NAMES = ("its own", "SomethingElse", ABSENT)
EXTRAS: tuple[dict[str, Any], ...] = ({}, {"systemMessage": "sys", "suppressOutput": True, "additionalContext": "no"})
INPUTS = (ABSENT, {"path": "b"}, dict(INPUT), "b")


def answers() -> Iterator[dict[str, Any]]:
    for decision, reason, on, extra in product(table.WORDS, table.REASONS, table.GOES_ON, EXTRAS):
        yield filled(decision=decision, reason=reason) | on | extra
    for decision, on in product(("block", ABSENT), table.ODD_GOES_ON):
        yield filled(decision=decision) | on


def sections(event: str) -> Iterator[dict[str, Any]]:
    for name, decision, reason, new in product(NAMES, table.WORDS, table.REASONS[:2], INPUTS):
        yield {
            "hookSpecificOutput": filled(
                hookEventName=event if name == "its own" else name,
                permissionDecision=decision,
                permissionDecisionReason=reason,
                updatedInput=new,
            )
        }


def contexts(event: str) -> Iterator[dict[str, Any]]:
    for name, decision, on in product(NAMES, ("block", ABSENT), table.GOES_ON):
        own = filled(hookEventName=event if name == "its own" else name, additionalContext="ctx")
        yield filled(decision=decision, hookSpecificOutput=own) | on
    yield {"hookSpecificOutput": "ctx"}
    # Both places at once: the deny is not erased by the allow beside it.
    yield {"decision": "block", "reason": "why", "hookSpecificOutput": {"permissionDecision": "allow"}}


def few(event: str) -> list[str]:
    owns: list[dict[str, Any]] = [
        {"permissionDecision": "deny", "permissionDecisionReason": "policy"},
        {"permissionDecision": "allow"},
        {"permissionDecision": "ask", "permissionDecisionReason": "sure?"},
        {"updatedInput": {"path": "b"}},
        {"permissionDecision": "allow", "permissionDecisionReason": "fine", "updatedInput": {"n": 2}},
        {"additionalContext": "ctx"},
    ]
    answers: list[dict[str, Any]] = [{"hookSpecificOutput": {"hookEventName": event, **own}} for own in owns]
    answers += [
        {},
        {"decision": "block", "reason": "why"},
        {"decision": "block"},
        {"systemMessage": "sys"},
        {"continue": False, "stopReason": "enough"},
        {"continue": True},
        {"continue": False},
        {"decision": "sideways", "reason": "alone"},
    ]
    return table.dumped(answers)


def some(event: str) -> list[Act]:
    outs = [*few(event), "", "plain text"]
    found = [Act(stdout=out) for out in outs] + [Act(exit=2, stdout=out, stderr="no") for out in outs[::2]]
    found += [Act(exit=1, stdout=out, stderr="odd") for out in outs[1::3]]
    found += [Act(exit=2), Act(exit=3), Act(exit=None, signal="SIGKILL", stderr="killed"), Act(**table.TIMED_OUT)]
    return found


def rows() -> Iterator[Row]:
    for event in EVENTS:
        small = [*table.TEXTS, *few(event)]
        yield from table.singles([event], table.acts(table.ENDS[:3], table.odd({"decision": "block", "reason": "why"})))
        yield from table.singles([event], table.acts(table.ENDS, small))
        yield from table.singles([event], table.endings(small))
        full = table.dumped([*answers(), *contexts(event)])
        yield from table.singles([event], table.acts(table.ENDS[:3], full, table.STDERRS[1:]))
        owns = sections(event) if event == PRE else list(sections(event))[::5]
        yield from table.singles([event], table.acts(table.ENDS[:3], table.dumped(owns), table.STDERRS[1:]))
        yield from table.pairs([event], some(event))

"""amcp (AMCP's document): a chain that ends on a deny or continue: false; feedback to the model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, BLOCKED, Act, Expected, Row, Said, filled

PRE, POST, PROMPT, STOP = "PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"
EVENTS = (PRE, POST, PROMPT, "SessionStart", "SessionEnd", STOP, "PreCompact", "Notification")
CAN_BLOCK = {PRE, PROMPT, STOP}  # "Exit 2 blocks PreToolUse, UserPromptSubmit and Stop."
PERMISSIONS = {"allow": "allow", "deny": "deny", "ask": "ask"}
INPUT = {"path": "a", "n": 1}
OUTPUT = "done"
MORE: dict[str, dict[str, Any]] = {
    PRE: {"tool_name": "write_file", "tool_input": dict(INPUT)},
    POST: {"tool_name": "write_file", "tool_input": dict(INPUT), "tool_response": OUTPUT},
    PROMPT: {"prompt": "hi"},
    "Notification": {"message": "m", "notification_type": "idle"},
}


def data(event: str) -> dict[str, Any]:
    return MORE.get(event, {})


def denied(event: str) -> tuple[str, str]:
    if event == POST:
        return "model", "feedback"
    return ("model" if event in (PRE, STOP) else "user"), "reason"


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    """Handlers run in order; updatedInput is merged over the input, updatedResponse replaces the response."""
    saids: list[Said] = []
    for act in acts:
        saids.append(said(event, act))
        if saids[-1].decision == "deny" or saids[-1].stop:
            break
    outcome = table.merge(saids, denied=denied(event), can_block=event in CAN_BLOCK, prompt=event == PROMPT)
    new = dict(INPUT)
    for one in saids:
        new |= one.gives.get("input", {})
    outputs = [one.gives["output"] for one in saids if "output" in one.gives]
    outcome.changes = table.changed("input", new, INPUT)
    outcome.changes |= table.changed("output", outputs[-1] if outputs else OUTPUT, OUTPUT)
    return outcome


def said(event: str, act: Act) -> Said:
    """Exit 0: stdout is processed. Exit 2: stderr is the message. Other: logged, goes on."""
    if act.answer is not None:
        return answered(event, json.loads(act.answer))
    if act.exit == 2:
        return Said("deny", act.err or BLOCKED)
    if act.error or act.exit != 0:
        return table.failure(act, "log")
    answer = table.one_object(act.out)
    if answer is None:
        return Said(notes=[("model", "feedback", act.out)] if act.out else [])
    return answered(event, answer)


def answered(event: str, answer: Mapping[str, Any]) -> Said:
    """permissionDecision counts on PreToolUse only; a top-level decision is not part of this dialect."""
    own = table.section(answer, event)
    asked = own if event == PRE else {}
    decision = table.word(asked.get("permissionDecision"), PERMISSIONS)
    reason = table.text_of(asked.get("permissionDecisionReason"))
    found = Said(decision, reason or BLOCKED if decision == "deny" else reason)
    found.suppress = answer.get("suppressOutput") is True
    for name, to, kind in (("feedback", "model", "feedback"), ("systemMessage", "user", "system")):
        found.notes += [(to, kind, text)] if (text := table.text_of(answer.get(name))) else []
    if event == PRE and isinstance(own.get("updatedInput"), Mapping):
        found.gives["input"] = own["updatedInput"]
    if event == POST and "updatedResponse" in own:
        found.gives["output"] = own["updatedResponse"]
    return table.stopped(found, answer, reason)


# ---- rows

NAMES = ("its own", "SomethingElse", ABSENT)
EXTRAS: tuple[dict[str, Any], ...] = (
    {},
    {"feedback": "lint", "systemMessage": "sys", "suppressOutput": True},
    {"feedback": "", "suppressOutput": False},
)
INPUTS = (ABSENT, {"path": "b"}, {"extra": [1]}, dict(INPUT), "b")
RESPONSES = (ABSENT, "redacted", {"ok": True}, OUTPUT)


def permissions(event: str) -> Iterator[dict[str, Any]]:
    """The section, under its own name, another one and none."""
    for name, decision, reason, new in product(NAMES, table.WORDS, table.REASONS, INPUTS):
        yield filled(
            hookEventName=event if name == "its own" else name,
            permissionDecision=decision,
            permissionDecisionReason=reason,
            updatedInput=new,
        )


def stops(event: str) -> Iterator[dict[str, Any]]:
    for decision, reason, on, extra in product(table.WORDS, table.REASONS[:2], table.GOES_ON, EXTRAS):
        own = filled(hookEventName=event, permissionDecision=decision, permissionDecisionReason=reason)
        yield {"hookSpecificOutput": own} | on | extra


def responses(event: str) -> Iterator[dict[str, Any]]:
    for name, new, extra, on in product(NAMES, RESPONSES, EXTRAS, table.GOES_ON):
        own = filled(hookEventName=event if name == "its own" else name, updatedResponse=new)
        yield {"hookSpecificOutput": own} | extra | on


def foreign() -> Iterator[dict[str, Any]]:
    """A top-level decision and its reason are no part of the dialect, nor is a section that is no mapping."""
    for decision, reason, on in product(table.WORDS, table.REASONS[:2], table.GOES_ON[::3]):
        yield filled(decision=decision, reason=reason) | on
    yield from ({"hookSpecificOutput": "deny"}, {"permissionDecision": "deny"}, {"updatedInput": {"path": "b"}}, {})
    yield from ({"feedback": "odd"} | on for on in table.ODD_GOES_ON)


def few(event: str = PRE) -> list[str]:
    owns: list[dict[str, Any]] = [
        {"permissionDecision": "deny", "permissionDecisionReason": "why"},
        {"permissionDecision": "allow"},
        {"permissionDecision": "ask", "permissionDecisionReason": "sure?"},
        {"updatedInput": {"path": "b"}},
        {"updatedResponse": "redacted", "updatedInput": {"n": 2}},
        {"permissionDecision": "deny"},
    ]
    answers: list[dict[str, Any]] = [{"hookSpecificOutput": {"hookEventName": event, **own}} for own in owns]
    answers += [
        {"feedback": "lint", "systemMessage": "sys"},
        {"continue": False, "stopReason": "enough"},
        {"continue": False},
        {"suppressOutput": True},
    ]
    return table.dumped(answers)


def some(event: str) -> list[Act]:
    outs = [*few(event), "", "plain text"]
    found = [Act(stdout=out) for out in outs] + [Act(exit=1, stdout=out, stderr="odd") for out in outs[::4]]
    found += [Act(exit=2), Act(exit=2, stdout=outs[1], stderr="no"), Act(exit=3), Act(exit=127, stderr="gone")]
    found += [Act(exit=None, signal="SIGKILL", stderr="killed"), Act(**table.TIMED_OUT)]
    return [*found, Act(stdout=table.dumped([{"hookSpecificOutput": {"updatedInput": {"path": "a", "z": 0}}}])[0])]


def functions() -> Iterator[Act]:
    for out in few():
        yield Act(answer=out)
    for error in ("import", "exception"):  # "one that cannot be imported has failed and is open"
        yield Act(exit=None, error=error)


def rows() -> Iterator[Row]:
    quiet = table.STDERRS[:1]
    for event in EVENTS:
        small = [*table.TEXTS, *few(event)]
        yield from table.singles([event], table.acts([{}], table.odd(json.loads(few(event)[0])), quiet))
        yield from table.singles([event], table.acts(table.ENDS, small))
        yield from table.singles([event], table.endings(small))
        owns = [{"hookSpecificOutput": own} for own in permissions(event)][:: 1 if event == PRE else 7]
        yield from table.singles([event], table.acts([{}], table.dumped(owns), quiet))
        yield from table.singles([event], table.acts([{}], table.dumped(foreign()), quiet))
        yield from table.pairs([event], some(event))
    yield from table.singles([PRE, PROMPT, STOP], table.acts([{}], table.dumped(stops(PRE)), quiet))
    yield from table.singles([POST], table.acts([{}], table.dumped(responses(POST)), quiet))
    yield from table.singles([PRE, POST], functions())

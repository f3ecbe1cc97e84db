"""massgen (MassGen's document): a chain before and after a tool; deny, rewrite, inject."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, ANY, BLOCKED, Act, Expected, Row, Said, filled

BEFORE, AFTER = EVENTS = ("PreToolUse", "PostToolUse")
INPUT = {"path": "a", "n": 1}
# "returns decision: deny", "decision: allow or empty result". The document has no other words; the program it comes
# from also knows ask, and a hook that asks must not be taken for one that has no opinion.
DECISIONS = {"allow": "allow", "deny": "deny", "ask": "ask"}
STRATEGIES = {"tool_result": "result", "user_message": "user_message"}
DENIED = {BEFORE: ("model", "reason"), AFTER: ("model", "feedback")}


def data(event: str) -> dict[str, Any]:
    return {"tool_name": "Write", "tool_input": dict(INPUT)} | ({"tool_output": "done"} if event == AFTER else {})


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    """Hooks run one after another; a deny ends the chain; updated_input replaces the input as a whole."""
    saids: list[Said] = []
    for act in acts:
        saids.append(said(event, act))
        if saids[-1].decision == "deny":
            break
    outcome = table.merge(saids, denied=DENIED[event], can_block=event == BEFORE)
    inputs = [one.gives["input"] for one in saids if "input" in one.gives]
    outcome.changes = table.changed("input", inputs[-1] if inputs else INPUT, INPUT)
    return outcome


def said(event: str, act: Act) -> Said:
    """Exit 0 with a JSON object or nothing is a result, exit 2 a deny, anything else has failed and is open."""
    if act.error == "import":  # "an error SHALL be logged AND the tool call SHALL be denied (fail closed)"
        return Said("deny", ANY, failed=True, notes=[("log", "error", ANY)])
    if act.error:
        return table.failure(act, "log")
    if act.answer is not None:
        return answered(event, json.loads(act.answer))
    if act.exit == 2:
        return Said("deny", act.err or BLOCKED)
    if act.exit != 0:
        return table.failure(act, "log")
    return printed(event, act)


def printed(event: str, act: Act) -> Said:
    answer = table.one_object(act.out) if act.out else {}
    if answer is None:  # "returns invalid JSON: the error SHALL be logged AND execution SHALL continue"
        return Said(failed=True, notes=[("log", "error", ANY)])
    return answered(event, answer)


def answered(event: str, answer: Mapping[str, Any]) -> Said:
    """decision, reason, updated_input before, inject after; the document knows no other field."""
    decision = table.word(answer.get("decision"), DECISIONS)
    reason = table.text_of(answer.get("reason"))
    found = Said(decision, reason or BLOCKED if decision == "deny" else reason)
    if event == BEFORE and isinstance(answer.get("updated_input"), Mapping):
        found.gives["input"] = answer["updated_input"]
    if event == AFTER and isinstance(answer.get("inject"), Mapping):
        inject = answer["inject"]
        found.notes.append(("model", STRATEGIES[inject.get("strategy", "tool_result")], inject["content"]))
    return found


# ---- rows

INJECTS = (
    ABSENT,
    {"content": "more"},
    {"content": "more", "strategy": "tool_result"},
    {"content": "hey", "strategy": "user_message"},
    7,
)
INPUTS: tuple[Any, ...] = (ABSENT, {"path": "b"}, {"path": "b", "n": 2}, dict(INPUT), {}, "b")
FOREIGN: dict[str, Any] = {
    "continue": False,
    "stopReason": "enough",
    "systemMessage": "sys",
    "suppressOutput": True,
    "hookSpecificOutput": {"permissionDecision": "deny", "additionalContext": "ctx"},
}


def answers() -> Iterator[dict[str, Any]]:
    for decision, reason, new, inject in product(table.WORDS, table.REASONS, INPUTS, INJECTS):
        yield filled(decision=decision, reason=reason, updated_input=new, inject=inject)
    for decision, reason in product(table.WORDS, table.REASONS):
        yield filled(decision=decision, reason=reason) | FOREIGN


def few() -> Iterator[dict[str, Any]]:
    for decision, new in product((ABSENT, "allow", "deny"), (ABSENT, {"path": "b"})):
        yield filled(decision=decision, reason="why", updated_input=new)
    yield {"decision": "allow", "inject": {"content": "more"}}


def some() -> list[Act]:
    """One hook of each sort, for pairs."""
    stdouts = [*table.dumped(few()), "", "plain text"]
    stdouts += table.dumped(
        [
            {"decision": "deny"},
            {"decision": "allow"},
            {"decision": "sideways", "reason": "why"},
            {"updated_input": dict(INPUT)},
            {"updated_input": {"n": 2}, "decision": "allow"},
            {"inject": {"content": "hey", "strategy": "user_message"}, "decision": "deny"},
        ]
    )
    found = [Act(stdout=out) for out in stdouts] + [Act(stdout=out, exit=1, stderr="odd") for out in stdouts[:3]]
    found += [Act(exit=2), Act(exit=2, stderr="no"), Act(exit=3), Act(exit=None, signal="SIGKILL", stderr="killed")]
    found += [Act(exit=2, stdout=stdouts[2], stderr="no"), Act(**table.TIMED_OUT), *functions()]
    return found


def functions() -> Iterator[Act]:
    """Python hooks: what a function returned, or how it failed."""
    for answer in (
        {},
        {"decision": "deny", "reason": "python says no"},
        {"updated_input": {"path": "p"}},
        {"decision": "allow", "reason": "fine"},
        {"inject": {"content": "hey", "strategy": "user_message"}},
    ):
        yield Act(answer=json.dumps(answer))
    for error in ("import", "exception"):
        yield Act(exit=None, error=error)


def rows() -> Iterator[Row]:
    small = [*table.TEXTS, *table.dumped(few())]
    yield from table.singles(
        EVENTS, table.acts([{}], table.odd({"decision": "deny", "reason": "why"}), table.STDERRS[:1])
    )
    yield from table.singles(EVENTS, table.acts(table.ENDS, small))
    yield from table.singles(EVENTS, table.endings(small))
    yield from table.singles(EVENTS, table.acts([{}], table.dumped(answers())))
    yield from table.singles(EVENTS, functions())
    yield from table.pairs(EVENTS, some())

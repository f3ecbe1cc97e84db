"""llxprt (LLxprt's document): the exit table of section 35, the three merges of HOOK-190, five events with a caller."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, ANY, BLOCKED, Act, Expected, Row, Said, filled

TOOL, TOOLED, MODEL, MODELED, SELECT = "BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection"
CALLED = (TOOL, TOOLED, MODEL, MODELED, SELECT)
UNCALLED = ("BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd", "PreCompress", "Notification")
EVENTS = (*CALLED, *UNCALLED)
CAN_BLOCK = {TOOL, MODEL}
DENIED = {TOOL: ("model", "reason"), TOOLED: ("model", "feedback"), MODEL: ("model", "reason")}
# HOOK-093 for tool events; HOOK-190 merges three of the uncalled events the same way.
JOINED = {TOOL, TOOLED, "BeforeAgent", "AfterAgent", "SessionStart"}
DECISIONS = {"allow": "allow", "approve": "allow", "ask": "allow", "deny": "deny", "block": "deny"}  # HOOK-182
BLOCKS = {"deny": "deny", "block": "deny"}  # HOOK-199: of permissionDecision the document reads only these
MODES = ("NONE", "ANY", "AUTO")  # most restrictive first
INPUT = {"path": "a", "n": 1}
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "config": {"temperature": 0}}
RESPONSE = {"text": "hello", "candidates": []}
MORE: dict[str, dict[str, Any]] = {
    TOOL: {"tool_name": "write_file", "tool_input": dict(INPUT)},
    TOOLED: {"tool_name": "write_file", "tool_input": dict(INPUT), "tool_response": {"llmContent": "ok"}},
    MODEL: {"llm_request": REQUEST},
    MODELED: {"llm_request": REQUEST, "llm_response": RESPONSE},
    SELECT: {"llm_request": REQUEST},
    "BeforeAgent": {"prompt": "hi"},
}


class Holding:
    """A response of any shape that holds the text: HOOK-048 does not draw its synthetic stop response."""

    def __init__(self, text: Any) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and (self.text is ANY or self.text in json.dumps(other))

    def __repr__(self) -> str:
        return f"Holding({self.text!r})"


def data(event: str) -> dict[str, Any]:
    return MORE.get(event, {})


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    """A sequential plan ends at a block (HOOK-107), not at a stop; a parallel one never does."""
    saids: list[Said] = []
    for act in acts:
        saids.append(said(event, act))
        if sequential and saids[-1].decision == "deny":
            break
    outcome = table.merge(saids, denied=DENIED.get(event, ("log", "reason")), can_block=event in CAN_BLOCK)
    if event in JOINED:  # "all reason strings from all hooks": also one without a decision, though it is no message
        outcome.reason = "\n".join(one.reason for one in saids if one.reason)
    outcome.changes = changes(event, saids, outcome, sequential)
    return logged(saids, outcome) if event in UNCALLED else outcome


def logged(saids: Sequence[Said], outcome: Expected) -> Expected:
    """The six events without a caller: their texts go to the log; stop and suppress do not count."""
    stops = [table.stop_note(one, ("log", "reason"))[0] for one in saids]
    told = [note for note in outcome.messages if [note] not in stops]
    # Silent: a stop reason is told where the event's stop counts, and every text here goes to the log.
    maybe = outcome.maybe + [note for notes in stops for note in notes]
    outcome.messages = [("log", kind, text) for _, kind, text in told]
    outcome.maybe = [("log", kind, text) for _, kind, text in maybe]
    outcome.stop, outcome.stop_reason, outcome.suppress = False, "", False
    return outcome


def said(event: str, act: Act) -> Said:
    """Section 35: stdout counts on exit 0 only, stderr on every other."""
    if act.error:
        return table.failure(act, "log")
    if act.exit == 0:
        return printed(event, act.out)
    if act.exit == 2:
        return Said("deny", act.err or BLOCKED, failed=True)
    if not act.err:
        return Said(failed=True)
    return Said("allow", failed=True, notes=[("model", "system", f"Warning: {act.err}")])  # HOOK-209, 196


def printed(event: str, out: str) -> Said:
    """JSON first, a string decoded once more (HOOK-212); what is no JSON is a system message and an allow.

    Of JSON that is not an object the document says nothing but that it is not text.
    """
    if not out:
        return Said()
    answer = table.one_object(out)
    if answer is None:
        answer = table.one_object(inner(out))
    if answer is None:
        return Said() if is_json(out) else Said("allow", notes=[("model", "system", out)])
    return answered(event, answer)


def is_json(out: str) -> bool:
    try:
        found = json.loads(out)
        if isinstance(found, str):
            json.loads(found)
    except ValueError:
        return False
    return True


def inner(out: str) -> str:
    try:
        return table.text_of(json.loads(out))
    except ValueError:
        return ""


def answered(event: str, answer: Mapping[str, Any]) -> Said:
    own = table.mapping_of(answer.get("hookSpecificOutput"))
    asked = own if event == TOOL else {}
    decision = table.word(answer.get("decision"), DECISIONS)
    if table.word(asked.get("permissionDecision"), BLOCKS) == "deny":
        decision = "deny"
    reason = table.text_of(asked.get("permissionDecisionReason")) or table.text_of(answer.get("reason"))  # HOOK-199
    found = Said(decision, reason or BLOCKED if decision == "deny" else reason)
    found.suppress = answer.get("suppressOutput") is True
    system, context = table.text_of(answer.get("systemMessage")), table.text_of(own.get("additionalContext"))
    found.notes += [("model", "system", system)] if system else []
    found.context += [context] if context else []
    found.gives = {name: own[name] for name in USED.get(event, ()) if isinstance(own.get(name), Mapping)}
    return table.stopped(found, answer, reason)


USED = {
    TOOL: ("tool_input",),
    MODEL: ("llm_request", "llm_response"),
    MODELED: ("llm_response",),
    SELECT: ("toolConfig",),
}


def changes(event: str, saids: Sequence[Said], outcome: Expected, sequential: bool) -> dict[str, Any]:
    def given(name: str) -> list[dict[str, Any]]:
        return [one.gives[name] for one in saids if name in one.gives]

    if event == TOOL:
        return table.changed("input", over(INPUT, given("tool_input")), INPUT)
    if event == MODEL:
        counts = outcome.decision == "deny" or outcome.stop
        laid = given("llm_request") if sequential else given("llm_request")[-1:]
        return table.changed("request", over(REQUEST, laid), REQUEST) | last("response", given("llm_response"), counts)
    if event == MODELED:
        return responded(given("llm_response"), outcome)
    return tool_config(given("toolConfig"))


def over(base: Mapping[str, Any], laid: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Each laid over by top-level key (HOOK-105, 106, 216)."""
    whole = dict(base)
    for one in laid:
        whole |= one
    return whole


def last(name: str, given: Sequence[Any], counts: bool) -> dict[str, Any]:
    return {name: given[-1]} if given and counts else {}


def responded(given: Sequence[Any], outcome: Expected) -> dict[str, Any]:
    """AfterModel: a later response replaces an earlier one; a stop makes a response of its own (HOOK-048)."""
    if outcome.stop and given:
        return {"response": ANY}  # Silent: whether the hook's llm_response or the stop response stands.
    if outcome.stop:
        return {"response": Holding(outcome.stop_reason)}
    return table.changed("response", given[-1] if given else RESPONSE, RESPONSE)


def tool_config(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """HOOK-099 to 102: names united and sorted, the most restrictive mode, none at all with NONE."""
    modes = [one["mode"] for one in given if "mode" in one]
    names = {name for one in given for name in one.get("allowedFunctionNames", ())}
    mode = next((mode for mode in MODES if mode in modes), ABSENT)
    if mode == "NONE":
        return {"tool_config": {"mode": "NONE", "allowedFunctionNames": []}}
    named = any("allowedFunctionNames" in one for one in given)
    config = filled(mode=mode, allowedFunctionNames=sorted(names) if named else ABSENT)
    return {"tool_config": config} if config else {}


# ---- rows

EXTRAS: tuple[dict[str, Any], ...] = ({}, {"systemMessage": "sys", "suppressOutput": True})
CONFIGS: tuple[Any, ...] = (
    {"mode": "AUTO", "allowedFunctionNames": ["z", "b", "z"]},
    {"mode": "ANY", "allowedFunctionNames": ["a", "b"]},
    {"mode": "NONE", "allowedFunctionNames": ["a"]},
    {"mode": "NONE"},
    {"mode": "ANY"},
    {"allowedFunctionNames": ["c"]},
    {"mode": "AUTO", "allowedFunctionNames": []},
    {},
    "NONE",
)
OWNS: dict[str, list[dict[str, Any]]] = {
    TOOL: [
        *(
            filled(permissionDecision=decision, permissionDecisionReason=reason)
            for decision, reason in product(("deny", "block", "sideways", 7, None), (ABSENT, "own why"))
        ),
        {"tool_input": {"path": "b"}},
        {"tool_input": {"n": 2, "z": {"deep": 1}}},
        {"tool_input": dict(INPUT)},
        {"tool_input": "b"},
        {"additionalContext": "ctx"},
        {"llm_request": {"model": "x"}},
    ],
    TOOLED: [{"additionalContext": "ctx"}, {"tool_input": {"path": "b"}}, {"permissionDecision": "deny"}],
    MODEL: [
        {"llm_request": {"model": "x"}},
        {"llm_request": {"config": {"topK": 1}}},
        {"llm_request": dict(REQUEST)},
        {"llm_response": {"text": "made up"}},
        {"llm_request": "x"},
        {"tool_input": {"path": "b"}},
        {"llm_response": {"text": "other"}, "llm_request": {"model": "y"}},
        {"permissionDecision": "deny"},
    ],
    MODELED: [
        {"llm_response": {"text": "new", "candidates": []}},
        {"llm_response": dict(RESPONSE)},
        {"llm_response": {"text": "newer", "candidates": [1]}},
        {"llm_response": "x"},
        {"llm_request": {"model": "x"}},
    ],
    SELECT: [{"toolConfig": config} for config in CONFIGS] + [{"llm_request": {"model": "x"}}],
}
OTHERS: list[dict[str, Any]] = [{"additionalContext": "ctx"}, {"tool_input": {"path": "b"}}]


def answers() -> Iterator[dict[str, Any]]:
    for decision, reason, on, extra in product(table.WORDS, table.REASONS[:2], table.GOES_ON, EXTRAS):
        yield filled(decision=decision, reason=reason) | on | extra
    yield from ({"decision": "deny", "reason": "why"} | on for on in table.ODD_GOES_ON)
    yield from ({"decision": "deny", "reason": ""}, {"systemMessage": ""}, {"hookSpecificOutput": "deny"})


def sections(event: str) -> Iterator[dict[str, Any]]:
    for own, decision, reason, on in product(
        OWNS.get(event, OTHERS), (ABSENT, "allow", "deny"), table.REASONS[:2], table.GOES_ON[::2] + table.GOES_ON[3:4]
    ):
        yield filled(decision=decision, reason=reason, hookSpecificOutput=own) | on


def few() -> list[dict[str, Any]]:
    return [
        {},
        {"decision": "block", "reason": "why"},
        {"decision": "deny"},
        {"decision": "ask", "reason": "sure?"},
        {"decision": "allow", "reason": "fine"},
        {"reason": "alone"},
        {"systemMessage": "sys", "suppressOutput": True},
        {"continue": False, "stopReason": "enough"},
        {"continue": False},
        {"decision": "approve"},
    ]


def some(event: str) -> list[Act]:
    """One hook of each sort, for pairs; on an event with a caller also one of each section."""
    outs = [*table.dumped(few()), "", "plain text", json.dumps(json.dumps({"decision": "deny", "reason": "twice"}))]
    owns = [{"hookSpecificOutput": own} for own in OWNS.get(event, OTHERS)]
    found = [Act(stdout=out) for out in [*outs, *table.dumped(owns)]]
    if owns and event in CALLED:
        found += [Act(stdout=json.dumps({"decision": "deny", "reason": "own", "hookSpecificOutput": OWNS[event][-2]}))]
    found += [Act(exit=2), Act(exit=2, stdout=outs[4], stderr="no"), Act(exit=1, stdout=outs[1], stderr="odd")]
    found += [Act(exit=3), Act(exit=None, signal="SIGTERM", stderr="killed"), Act(**table.TIMED_OUT)]
    return found


def rows() -> Iterator[Row]:
    quiet = table.STDERRS[:1]
    yield from table.singles(
        EVENTS, table.acts([{}], table.odd({"decision": "deny", "reason": "why"}), table.STDERRS[:1])
    )
    for event in EVENTS:
        small = [*table.TEXTS, *table.dumped(few())]
        yield from table.singles([event], table.acts(table.ENDS, small))
        yield from table.singles([event], table.endings(small))
        full = table.dumped([*answers(), *sections(event)])
        yield from table.singles([event], table.acts([{}], full, quiet))
        both = some(event) if event in CALLED else some(event)[::2]
        yield from table.pairs([event], both)
        yield from table.pairs([event], both, sequential=True)

"""gemini (Gemini CLI 0.61.0 as measured): JSON decides at any exit code, else text does, wherever it was printed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, ANY, BLOCKED, Act, Expected, Row, Said, filled

TOOL, TOOLED, PROMPT, DONE = "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent"
MODEL, MODELED, SELECT, START = "BeforeModel", "AfterModel", "BeforeToolSelection", "SessionStart"
EVENTS = (TOOL, TOOLED, PROMPT, DONE, MODEL, MODELED, SELECT, START, "SessionEnd", "PreCompress", "Notification")
STOPPABLE = {TOOL, TOOLED, PROMPT, DONE, MODEL, MODELED}
CAN_BLOCK = {TOOL, PROMPT, DONE, MODEL}
# Who is told why: the model of a call, of a result and of a turn that goes on; the user of what ends a turn.
DENIED = {
    TOOL: ("model", "reason"),
    TOOLED: ("model", "feedback"),
    DONE: ("model", "reason"),
    PROMPT: ("user", "reason"),
    MODEL: ("user", "reason"),
    MODELED: ("user", "reason"),
}
# The events whose answers become one by "or": reasons of all hooks, one a line, stop reasons too.
JOINED = {TOOL, TOOLED, PROMPT, DONE, START}
# Where the model is told a context at all.
HEARD = {TOOLED, PROMPT, START}
DECISIONS = {"allow": "allow", "approve": "allow", "ask": "ask", "deny": "deny", "block": "deny"}
INPUT = {"path": "a", "n": 1}
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "config": {"temperature": 0}}
RESPONSE: dict[str, Any] = {"text": "hello", "candidates": []}
RESULT = {"llmContent": "ok", "returnDisplay": "ok"}
MORE: dict[str, dict[str, Any]] = {
    TOOL: {"tool_name": "write_file", "tool_input": dict(INPUT)},
    TOOLED: {"tool_name": "write_file", "tool_input": dict(INPUT), "tool_response": dict(RESULT)},
    MODEL: {"llm_request": REQUEST},
    MODELED: {"llm_request": REQUEST, "llm_response": RESPONSE},
    SELECT: {"llm_request": REQUEST},
    PROMPT: {"prompt": "hi"},
}


def data(event: str) -> dict[str, Any]:
    return MORE.get(event, {})


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    """All hooks run, in a chain too: nothing ends it."""
    saids = [said(event, act) for act in acts]
    outcome = table.merge(saids, denied=DENIED.get(event, ("log", "reason")), can_block=event in CAN_BLOCK)
    if event in JOINED:
        outcome.reason = "\n".join(one.reason for one in saids if one.reason)
        stops = [one.stop_reason for one in saids if one.stop and one.stop_reason]
        outcome.stop_reason = ANY if any(one is ANY for one in stops) else "\n".join(stops)
    refused = outcome.decision == "deny" and event in (TOOLED, PROMPT)  # what was refused takes its context along
    heard = "model" if event in HEARD and not refused else "log"
    outcome.messages = [
        (heard, kind, text) if kind == "context" else (to, kind, text) for to, kind, text in outcome.messages
    ]
    outcome.changes = changes(event, saids, outcome)
    return outcome


def said(event: str, act: Act) -> Said:
    """stdout, else stderr, is read at every exit code, and after a death by signal as at exit 0."""
    if act.error:
        return table.failure(act, "log")
    text = act.out or act.err
    if not text:
        silent = Said(failed=bool(act.exit) or act.signal is not None)
        silent.maybe = [("log", "error", ANY)] if act.signal else []
        return silent
    value = meant(text)
    if isinstance(value, dict):
        return answered(event, value, failed=bool(act.exit) or act.signal is not None)
    if not isinstance(value, str):  # a list or a number says nothing at all
        return Said(failed=bool(act.exit) or act.signal is not None)
    return worded(act, text)


def meant(text: str) -> Any:
    """The JSON value, a string decoded once more; the text itself where that is none."""
    try:
        value = json.loads(text)
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return text


def worded(act: Act, text: str) -> Said:
    if not act.exit:
        return Said("allow", failed=act.signal is not None, notes=[("user", "system", text)])
    if act.exit == 1:
        return Said("allow", failed=True, notes=[("user", "system", f"Warning: {text}")])
    return Said("deny", text, failed=True)


def answered(event: str, answer: Mapping[str, Any], *, failed: bool) -> Said:
    own = table.mapping_of(answer.get("hookSpecificOutput"))
    decision, reason = table.word(answer.get("decision"), DECISIONS), table.text_of(answer.get("reason"))
    found = Said(decision, reason or BLOCKED if decision == "deny" else reason, failed=failed)
    found.suppress = answer.get("suppressOutput") is True
    system, context = table.text_of(answer.get("systemMessage")), table.text_of(own.get("additionalContext"))
    found.notes += [("user", "system", system)] if system else []
    found.context += [context] if context else []
    found.gives = {name: own[name] for name in USED.get(event, ()) if fits(event, name, own.get(name))}
    return table.stopped(found, answer, reason) if event in STOPPABLE else unstoppable(found, answer)


def unstoppable(found: Said, answer: Mapping[str, Any]) -> Said:
    """Nothing stops here; what was given as the reason to stop may be kept in the log."""
    if answer.get("continue") is False:
        found.maybe.append(("log", "reason", table.text_of(answer.get("stopReason"))))
    return found


USED = {
    TOOL: ("tool_input",),
    TOOLED: ("tailToolCallRequest",),
    DONE: ("clearContext",),
    MODEL: ("llm_request", "llm_response"),
    MODELED: ("llm_response",),
    SELECT: ("toolConfig",),
}


def fits(event: str, name: str, value: Any) -> bool:
    """An object; of a model's response that is to be replaced, one that has something in it."""
    if name == "clearContext":
        return isinstance(value, bool)
    if event == MODELED:
        return bool(parts(value))
    return isinstance(value, Mapping)


def parts(response: Any) -> Any:
    try:
        return response["candidates"][0]["content"]["parts"]
    except (TypeError, LookupError):
        return None


def changes(event: str, saids: Sequence[Said], outcome: Expected) -> dict[str, Any]:
    """Of several hooks the last one's word counts, laid over nothing but what was there before all of them."""

    def last(name: str, otherwise: Any = ABSENT) -> Any:
        return next((one.gives[name] for one in reversed(saids) if name in one.gives), otherwise)

    if event == TOOL:
        return table.changed("input", last("tool_input", INPUT), INPUT)
    if event == TOOLED:
        refused = outcome.reason if outcome.decision == "deny" else ABSENT
        return filled(output=refused, tail_call=last("tailToolCallRequest"))
    if event == DONE:
        said = [one.gives["clearContext"] for one in saids if "clearContext" in one.gives]
        return {"clear": any(said)} if said else {}
    if event == MODEL:
        answer = last("llm_response") if outcome.decision == "deny" and not outcome.stop else ABSENT
        request = {**REQUEST, **last("llm_request", {})}
        return table.changed("request", request, REQUEST) | filled(response=answer)
    if event == MODELED:
        return table.changed("response", last("llm_response", RESPONSE), RESPONSE)
    return tool_config([one.gives["toolConfig"] for one in saids if "toolConfig" in one.gives])


def tool_config(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The names of all, sorted; NONE over ANY over AUTO, which is what nobody's word means."""
    said = [one for one in given if one.get("mode") in ("NONE", "ANY", "AUTO") or "allowedFunctionNames" in one]
    if not said:
        return {}
    modes = {one.get("mode") for one in said}
    mode = "NONE" if "NONE" in modes else "ANY" if "ANY" in modes else "AUTO"
    names = set() if mode == "NONE" else {name for one in said for name in one.get("allowedFunctionNames", ())}
    return {"tool_config": {"mode": mode, "allowedFunctionNames": sorted(names)}}


# ---- rows

EXTRAS: tuple[dict[str, Any], ...] = ({}, {"systemMessage": "sys", "suppressOutput": True})
CONFIGS: tuple[Any, ...] = (
    {"mode": "AUTO", "allowedFunctionNames": ["z", "b", "z"]},
    {"mode": "ANY", "allowedFunctionNames": ["a", "b"]},
    {"mode": "NONE", "allowedFunctionNames": ["a"]},
    {"mode": "ANY"},
    {"allowedFunctionNames": ["c"]},
    {},
    "NONE",
)
WHOLE = {"candidates": [{"content": {"role": "model", "parts": ["new"]}, "finishReason": "STOP"}]}
OWNS: dict[str, list[dict[str, Any]]] = {
    TOOL: [
        {"permissionDecision": "deny", "permissionDecisionReason": "own why"},  # Claude's words mean nothing here
        {"tool_input": {"path": "b"}},
        {"tool_input": {"n": 2, "z": {"deep": 1}}},
        {"tool_input": dict(INPUT)},
        {"tool_input": "b"},
        {"updatedInput": {"path": "b"}},
        {"additionalContext": "ctx"},
    ],
    TOOLED: [
        {"additionalContext": "ctx"},
        {"tailToolCallRequest": {"name": "glob", "args": {}}},
        {"tailToolCallRequest": "glob"},
        {"tool_input": {"path": "b"}},
    ],
    DONE: [{"clearContext": True}, {"clearContext": False}, {"clearContext": "yes"}, {"additionalContext": "ctx"}],
    MODEL: [
        {"llm_request": {"model": "x"}},
        {"llm_request": {"config": {"topK": 1}}},
        {"llm_request": dict(REQUEST)},
        {"llm_response": WHOLE},
        {"llm_request": "x"},
        {"llm_response": WHOLE, "llm_request": {"model": "y"}},
    ],
    MODELED: [
        {"llm_response": WHOLE},
        {"llm_response": {"text": "no candidates"}},
        {"llm_response": {"candidates": [{"content": {"parts": []}}]}},
        {"llm_response": "x"},
        {"llm_request": {"model": "x"}},
    ],
    SELECT: [{"toolConfig": config} for config in CONFIGS],
}
OTHERS: list[dict[str, Any]] = [{"additionalContext": "ctx"}, {"tool_input": {"path": "b"}}]


def answers() -> Iterator[dict[str, Any]]:
    for decision, reason, on, extra in product(table.WORDS, table.REASONS[:2], table.GOES_ON, EXTRAS):
        yield filled(decision=decision, reason=reason) | on | extra
    yield from ({"decision": "deny", "reason": "why"} | on for on in table.ODD_GOES_ON)
    yield from ({"decision": "deny", "reason": ""}, {"systemMessage": ""}, {"hookSpecificOutput": "deny"})


def sections(event: str) -> Iterator[dict[str, Any]]:
    goes_on = table.GOES_ON[::2] + table.GOES_ON[3:4]
    for own, decision, on in product(OWNS.get(event, OTHERS), (ABSENT, "allow", "deny"), goes_on):
        yield filled(decision=decision, reason="why", hookSpecificOutput=own) | on


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
    ]


def some(event: str) -> list[Act]:
    """One hook of each sort, for pairs."""
    outs = [*table.dumped(few()), "", "plain text", "[1]"]
    owns = table.dumped({"hookSpecificOutput": own} for own in OWNS.get(event, OTHERS))
    found = [Act(stdout=out) for out in [*outs, *owns]]
    found += [Act(stdout=json.dumps({"decision": "deny", "hookSpecificOutput": OWNS.get(event, OTHERS)[0]}))]
    found += [Act(exit=2), Act(exit=2, stdout=outs[4]), Act(exit=2, stderr="no"), Act(exit=1, stderr="odd")]
    found += [Act(exit=3, stdout="out", stderr="err"), Act(exit=None, signal="SIGTERM", stderr="killed")]
    return [*found, Act(**table.TIMED_OUT)]


def rows() -> Iterator[Row]:
    quiet = table.STDERRS[:1]
    yield from table.singles(
        EVENTS, table.acts([{}, {"exit": 2}], table.odd({"decision": "deny", "reason": "w"}), quiet)
    )
    for event in EVENTS:
        small = [*table.TEXTS, *table.dumped(few())]
        yield from table.singles([event], table.acts(table.ENDS, small))
        yield from table.singles([event], table.endings(small))
        on_stderr = table.acts(table.ENDS, [""], [*table.dumped(few()), "[1]", "42", "text"])
        yield from table.singles([event], on_stderr)
        yield from table.singles([event], table.acts([{}], table.dumped([*answers(), *sections(event)]), quiet))
        both = some(event) if event in STOPPABLE else some(event)[::3]
        yield from table.pairs([event], both)
        yield from table.pairs([event], both[::2], sequential=True)

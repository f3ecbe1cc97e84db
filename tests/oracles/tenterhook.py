"""tenterhook, our own dialect: our kinds as names, strict, parallel, and a second look at a rewritten input."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from . import table
from .llxprt import Holding, over, tool_config
from .table import ABSENT, ANY, BLOCKED, Act, Expected, Row, Said, filled

PROMPT, CALL, ASKED, CALLED = "prompt.submit", "tool.before", "permission.ask", "tool.after"
MODEL, MODELED, SELECT = "model.before", "model.after", "tools.select"
CAN_BLOCK = (PROMPT, "turn.stop", CALL, ASKED, MODEL, "agent.stop", "teammate.idle", "task.created", "task.done")
CAN_ASK = (CALL, ASKED)
CONTEXT = (PROMPT, "session.start", "agent.start", "compact.before", "compact.after")  # what plain text is
FEEDBACK = (CALLED, "tool.failed")
FED_BACK = (*FEEDBACK, "permission.denied", MODELED)  # how a deny's reason is told
ELSEWHERE = ("session.end", "turn.failed", "notify")
EVENTS = (*CAN_BLOCK, *CONTEXT[1:], *FED_BACK, SELECT, *ELSEWHERE)
DECISIONS = {word: word for word in ("allow", "deny", "ask")}
DECIDING = ("decision", "stop")
# How other agents' hooks decide: strict, because such a hook meant to decide, and nothing of it is read here.
FOREIGN = ("permissionDecision", "permission", "behavior", "continue", "hookSpecificOutput")
KEYS = (
    *DECIDING,
    *("reason", "stop_reason", "suppress", "context", "feedback", "message", "result"),
    *("input", "output", "request", "response", "tool_config"),
)
# An unknown exit status may hide an exit 2 (design.md), an unreadable answer a deny: neither is worth a mere question.
DENYING = ("output", "status")
INPUT = {"path": "a", "n": 1}
OUTPUT: Any = {"ok": True}
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "config": {"temperature": 0}}
RESPONSE = {"text": "hello", "candidates": []}
TOOL: dict[str, Any] = {"tool_name": "Write", "tool_input": dict(INPUT)}
MORE: dict[str, dict[str, Any]] = {
    PROMPT: {"prompt": "hi"},
    CALL: TOOL,
    ASKED: TOOL,
    CALLED: TOOL | {"tool_output": OUTPUT},
    "tool.failed": TOOL | {"error": "boom"},
    MODEL: {"llm_request": REQUEST},
    MODELED: {"llm_request": REQUEST, "llm_response": RESPONSE},
    SELECT: {"llm_request": REQUEST},
    "notify": {"message": "m", "type": "idle"},
}
# What a hook may rewrite and is shown again, and what it was at first.
REWRITES: dict[str, tuple[str, dict[str, Any]]] = {
    CALL: ("input", INPUT),
    ASKED: ("input", INPUT),
    MODEL: ("request", REQUEST),
}


@dataclass(slots=True)
class Twice(Expected):
    """`again`: how many of the attempts were second looks."""

    again: int = 0


def data(event: str) -> dict[str, Any]:
    return MORE.get(event, {})


def denied(event: str) -> tuple[str, str]:
    if event in FED_BACK:
        return "model", "feedback"
    if event == SELECT:
        return "log", "reason"
    return ("model" if event in CAN_BLOCK and event != PROMPT else "user"), "reason"


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Twice:
    """At once, or a chain that a deny or a stop ends; then whoever saw another input looks again."""
    what, original = REWRITES.get(event, ("", {}))
    saids: list[Said] = []
    saw: list[dict[str, Any]] = []
    for act in acts:
        saw.append(over(original, [one.gives[what] for one in saids if what in one.gives]) if sequential else original)
        saids.append(said(event, act))
        if sequential and (saids[-1].decision == "deny" or saids[-1].stop):
            break
    final = over(original, [one.gives[what] for one in saids if what in one.gives])
    again = [one for one, seen in zip(saids, saw, strict=True) if seen != final]
    counted = [one for one in again if one.failed or one.decision in ("deny", "ask")]
    merged = table.merge([*saids, *counted], denied=denied(event), can_block=event in CAN_BLOCK, prompt=event == PROMPT)
    outcome = Twice(*(getattr(merged, name) for name in Expected.__slots__), again=len(again))
    outcome.attempts = len(saids) + len(again)
    outcome.changes = changes(event, saids, outcome)
    return outcome


def said(event: str, act: Act) -> Said:
    found, unread = heard(event, act)
    found.failed = found.failed or unread
    if found.failed:
        closed(event, found, "deny" if unread else "ask")
    if found.decision == "ask" and event in CAN_BLOCK and event not in CAN_ASK:  # nobody can be asked
        found.decision, found.reason = "deny", found.reason or BLOCKED
    return found


def heard(event: str, act: Act) -> tuple[Said, bool]:
    """Exit 0 and 2 read the answer, every other end has failed. And whether an answer could not be read."""
    if act.answer is not None:
        return answered(event, json.loads(act.answer), act)
    if act.error or act.exit not in (0, 2):
        return table.failure(act, "user"), act.error in DENYING
    answer, unread = read(act.stdout)
    if answer is not None:
        return answered(event, answer, act)
    if act.exit == 2:
        return Said("deny", act.err or (ANY if unread else BLOCKED)), unread
    if not unread:
        return plain(event, act.out), False
    # Silent: whether the text of an answer that could not be read is told as plain text too.
    return Said(maybe=[(to, kind, ANY) for kind in ("context", "feedback") for to in ("model", "log")]), True


def read(stdout: str) -> tuple[dict[str, Any] | None, bool]:
    """The object, also one inside a JSON string; else whether it was meant as an answer.

    It was if an object with a deciding key stands in it, or if it starts as an object and has any key of an answer;
    also with the quotes of other languages, or encoded once too often.
    """
    text = stdout.strip().removeprefix("\ufeff").strip()
    for _ in range(2):
        try:
            flat = re.sub(r"\[{257,}\]{257,}", "[]", text)  # how deep json itself reads depends on the Python
            value = json.loads(flat, object_pairs_hook=distinct, parse_constant=refused)
        except (ValueError, RecursionError):
            break
        if isinstance(value, dict):
            return value, False
        if not isinstance(value, str):
            break
        text = value
    text = re.sub(r"\\+u00(..)", lambda found: chr(int(found[1], 16)), text).replace("\\", "")
    keys = "|".join(KEYS if text.startswith("{") else DECIDING)
    return None, "{" in text and re.search(rf"""[{{,"'\s]({keys})["']?\s*:""", text) is not None


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A deciding key with two different values can be read in two ways, so it cannot be read."""
    found = dict(pairs)
    if any(found[key] != value for key, value in pairs if key in DECIDING):
        raise ValueError
    return found


def refused(word: str) -> Any:
    raise ValueError(word)


def plain(event: str, out: str) -> Said:
    found = Said()
    if out and event in CONTEXT:
        found.context.append(out)
    if out and event in FEEDBACK:
        found.notes.append(("model", "feedback", out))
    return found


def answered(event: str, answer: Mapping[str, Any], act: Act) -> tuple[Said, bool]:
    word, stop, suppress = answer.get("decision"), answer.get("stop"), answer.get("suppress")
    unread = not (word is None or (isinstance(word, str) and word in DECISIONS))
    unread = unread or not all(flag is None or isinstance(flag, bool) for flag in (stop, suppress))
    unread = unread or any(answer.get(key) is not None for key in FOREIGN)
    given = {name: answer.get(name) for name in GIVEN.get(event, ())}
    unread = unread or any(value is not None and not usable(name, value) for name, value in given.items())
    reason = table.text_of(answer.get("reason"))
    found = Said(table.word(word, DECISIONS), reason, suppress=suppress is True)
    if act.exit == 2 and act.answer is None:
        found.decision, found.reason = "deny", reason or act.err
    if found.decision == "deny" and not found.reason:
        found.reason = ANY if unread else BLOCKED
    found.notes = [
        (to, kind, text)
        for name, to, kind in (("feedback", "model", "feedback"), ("message", "user", "system"))
        if (text := table.text_of(answer.get(name)))
    ]
    if event == CALLED and (text := table.text_of(answer.get("result"))):
        found.notes.append(("model", "result", text))
    if text := table.text_of(answer.get("context")):
        found.context.append(text)
    found.gives = {name: value for name, value in given.items() if usable(name, value)}
    if stop is True:
        halt(found, table.text_of(answer.get("stop_reason")) or reason or table.text_of(found.reason), unread)
    return found, unread


def halt(found: Said, stop_reason: str, unread: bool) -> None:
    """The stop reason, else the reason; silent on whether a default or a failure's words are a reason in this sense."""
    found.stop, found.stop_reason = True, stop_reason
    if stop_reason == BLOCKED or (unread and not stop_reason) or found.reason is ANY:
        found.stop_reason = ANY if stop_reason in ("", BLOCKED) else stop_reason
        found.maybe.append(("user", "reason", found.stop_reason))


GIVEN = {
    CALL: ("input",),
    ASKED: ("input",),
    CALLED: ("output",),
    MODEL: ("request", "response"),
    MODELED: ("response",),
    SELECT: ("tool_config",),
}


def usable(name: str, value: object) -> bool:
    return isinstance(value, Mapping) or (name == "output" and value is not None)


def closed(event: str, found: Said, policy: str) -> None:
    """Strict: a failure asks, or denies where nobody can be asked but the event can be blocked, or says nothing."""
    if policy == "ask" and event not in CAN_ASK:
        policy = "deny" if event in CAN_BLOCK else "none"
    if policy != "none":
        found.decision = "deny" if "deny" in (found.decision, policy) else policy
        found.reason = found.reason or ANY


def changes(event: str, saids: Sequence[Said], outcome: Expected) -> dict[str, Any]:
    def given(name: str) -> list[Any]:
        return [one.gives[name] for one in saids if name in one.gives]

    if event in (CALL, ASKED):
        return table.changed("input", over(INPUT, given("input")), INPUT)
    if event == CALLED:
        return table.changed("output", [OUTPUT, *given("output")][-1], OUTPUT)
    if event == MODEL:
        counts = outcome.decision == "deny" or outcome.stop
        response = given("response")[-1:] if counts else []
        return table.changed("request", over(REQUEST, given("request")), REQUEST) | dict.fromkeys(
            ["response"] if response else [], response[-1] if response else None
        )
    if event == MODELED:
        if outcome.stop:
            return {"response": Holding(outcome.stop_reason)}
        return table.changed("response", [RESPONSE, *given("response")][-1], RESPONSE)
    return tool_config(given("tool_config")) if event == SELECT else {}


# ---- rows

STOPS: tuple[dict[str, Any], ...] = (
    {},
    {"stop": False},
    {"stop": True},
    {"stop": True, "stop_reason": "enough"},
    {"stop": None, "stop_reason": "enough"},
    {"stop": "true"},
)
EXTRAS: tuple[dict[str, Any], ...] = (
    {},
    {"message": "sys", "context": "ctx", "feedback": "lint", "result": "appended", "suppress": True},
)
ODD: tuple[dict[str, Any], ...] = (
    {"suppress": "yes"},
    {"suppress": None, "decision": None},
    {"suppress": 1, "stop": 0},
    {"reason": 7, "context": ["x"], "feedback": {}, "message": None, "stop_reason": 3},
    {"decision": "deny", "suppress": 7},
    {"decision": "DENY", "reason": "shouted"},
    {"decision": ["deny"]},
    {"decision": {"deny": True}, "reason": "nested"},
    {"permissionDecision": "deny", "continue": False, "hookSpecificOutput": {"permissionDecision": "deny"}},
    {"answer": {"decision": "deny"}},
)
CHANGES: dict[str, list[dict[str, Any]]] = {
    CALL: [{"input": {"path": "b"}}, {"input": {"n": 2, "z": [1]}}, {"input": dict(INPUT)}, {"input": "b"}],
    CALLED: [{"output": "redacted"}, {"output": {"ok": False}}, {"output": dict(OUTPUT)}, {"output": None}],
    MODEL: [
        {"request": {"model": "x"}},
        {"request": {"config": {"topK": 1}}, "response": {"text": "made up"}},
        {"request": dict(REQUEST)},
        {"response": {"text": "other"}},
        {"request": "x", "response": 7},
    ],
    MODELED: [
        {"response": {"text": "new", "candidates": []}},
        {"response": {"text": "newer"}},
        {"response": dict(RESPONSE)},
        {"response": "x"},
    ],
    SELECT: [
        {"tool_config": {"mode": "AUTO", "allowedFunctionNames": ["z", "b", "z"]}},
        {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["a", "b"]}},
        {"tool_config": {"mode": "NONE", "allowedFunctionNames": ["a"]}},
        {"tool_config": {"mode": "ANY"}},
        {"tool_config": {"allowedFunctionNames": ["c"]}},
        {"tool_config": {}},
        {"tool_config": "NONE"},
    ],
}
CHANGES[ASKED] = CHANGES[CALL]
# On an event that has no use for them they change nothing.
USELESS: list[dict[str, Any]] = [{"input": {"path": "b"}, "output": "o", "request": {}, "response": {}, "result": "r"}]
UNREADABLE = (
    '{"decision": "deny", "n": ' + "[" * 5_000 + "]" * 5_000 + "}",
    'about to check\n{"decision": "deny", "reason": "after a log line"}',
    '{"decision": "allow"}\nall good',
    '{"decision": "deny", "decision": "allow"}',
    '{"decision": "allow", "decision": "deny"}',
    '{"decision": "deny", "d\\u0065cision": "allow"}',
    '{"stop": true, "note": NaN}',
    '{"decision": "deny", "n": Infinity}',
    "{\"decision\": \"deny\", 'reason': 'x'}",
    '{"decision": "deny",}',
    '[{"stop": true}]',
    '{"reason": "cut',
    "{'decision': 'deny', 'reason': 'as Python prints it'}",
    '{decision: "deny", reason: "as JavaScript writes it"}',
    json.dumps('{"decision": "deny"} and more'),
    "log\n" + json.dumps('{"decision": "deny"}'),
    json.dumps(json.dumps('{"decision": "deny"}')),
    '{"d\\u0065cision": "deny"} done',
    '{"input": {"path": "b"},}',
)
READABLE = (
    '{"decision": "deny", "n": ' + "[" * 5_000 + "]" * 5_000 + "}",
    '\ufeff{"decision": "deny", "reason": "bom"}',
    json.dumps(json.dumps({"decision": "deny", "reason": "twice", "stop": True})),
    '{"decision": "deny", "decision": "deny", "reason": "same"}',
    '{"d\\u0065cision": "deny", "reason": "escaped"}',
    'no answer: {"note": "the word decision alone"}',
    "{not an answer}",
    'log {"reason": "a key that decides nothing, in a text"',
    '{"reason": "a", "reason": "b", "decision": "ask"}',
)


def answers() -> Iterator[dict[str, Any]]:
    for decision, reason, stop, extra in product(table.WORDS, table.REASONS, STOPS, EXTRAS):
        yield filled(decision=decision, reason=reason) | stop | extra
    for odd, reason in product(ODD, ({}, {"reason": "given"}, {"stop": True})):
        yield odd | reason


def changing(event: str) -> Iterator[dict[str, Any]]:
    for own, decision, reason, stop in product(
        CHANGES.get(event, USELESS), (ABSENT, "allow", "deny", "ask", "sideways"), table.REASONS[:2], STOPS[::3]
    ):
        yield filled(decision=decision, reason=reason) | own | stop


def few() -> list[dict[str, Any]]:
    return [
        {},
        {"decision": "deny", "reason": "why"},
        {"decision": "deny"},
        {"decision": "ask", "reason": "sure?"},
        {"decision": "ask"},
        {"decision": "allow", "reason": "fine", "context": "ctx"},
        {"decision": "block", "reason": "no word of ours"},
        {"message": "sys", "suppress": True},
        {"stop": True, "stop_reason": "enough"},
        {"stop": True},
        {"context": "ctx", "feedback": "lint"},
    ]


def some(event: str) -> list[Act]:
    """One hook of each sort, for pairs; more where hooks can change something."""
    owns = CHANGES.get(event, [])
    outs = [*table.dumped([*few(), *owns]), "plain text", UNREADABLE[0]]
    found = [Act(stdout=out) for out in outs]
    found += [
        Act(stdout=json.dumps({"reason": "own"} | own | {"decision": word}))
        for own, word in product(owns[:2], ("deny", "ask", "allow", 7))
    ]
    found += [Act(stdout=json.dumps(own | {"stop": True})) for own in owns[:1]]
    found += [Act(exit=2), Act(exit=2, stdout=outs[1], stderr="no"), Act(exit=1, stdout=outs[1], stderr="odd")]
    found += [Act(exit=None, signal="SIGKILL", stderr="killed"), Act(**table.TIMED_OUT), Act(answer=outs[1])]
    return found


def functions(event: str) -> Iterator[Act]:
    for answer in table.dumped([*few(), *ODD, *CHANGES.get(event, USELESS)]):
        yield Act(answer=answer)
    for error in ("import", "exception", "network", "cancelled", *(DENYING if event in CAN_BLOCK else DENYING[:1])):
        yield Act(exit=None, error=error)


def rows() -> Iterator[Row]:
    quiet, answered = table.STDERRS[:1], [{}, {"exit": 2}]
    for event in EVENTS:
        small = [*table.TEXTS, *table.dumped(few())]
        yield from table.singles([event], table.acts(table.ENDS, small))
        yield from table.singles([event], table.endings(small))
        yield from table.singles([event], table.acts(answered, [*UNREADABLE, *READABLE]))
        yield from table.singles([event], table.acts(answered, table.odd({"decision": "deny", "reason": "why"}), quiet))
        yield from table.singles([event], table.acts([{}], table.dumped([*answers(), *changing(event)]), quiet))
        yield from table.singles([event], table.acts([{"exit": 2}], table.dumped(list(answers())[::3]), [" on stderr"]))
        yield from table.singles([event], functions(event))
        both = some(event)
        yield from table.pairs([event], both)
        yield from table.pairs([event], both, sequential=True)

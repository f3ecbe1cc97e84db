"""qwen (Qwen Code 0.24.4 as measured): exit 2 is stderr's alone, else JSON decides; a stop refuses one call."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, ANY, BLOCKED, Act, Expected, Row, Said, filled

PRE, POST, FAILED, BATCH = "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"
PROMPT, EXPANDED, STOP, SUBSTOP = "UserPromptSubmit", "UserPromptExpansion", "Stop", "SubagentStop"
START, SUBSTART, COMPACT, ASKED = "SessionStart", "SubagentStart", "PreCompact", "PermissionRequest"
CREATED, DONE, ENDED, SHOWN, DELETED = "TodoCreated", "TodoCompleted", "StopFailure", "MessageDisplay", "SessionDelete"
OTHERS = ("SessionEnd", "Notification", "PermissionDenied", "PostCompact", "InstructionsLoaded")
EVENTS = (
    *(PRE, POST, FAILED, BATCH, PROMPT, EXPANDED, STOP, SUBSTOP, START, SUBSTART, COMPACT, ASKED),
    *(CREATED, DONE, ENDED, SHOWN, DELETED, *OTHERS),
)
# What a wish to stop refuses; after a tool it takes the place of the result, elsewhere it does nothing.
REFUSED_BY_STOP = {PRE, BATCH, PROMPT, EXPANDED, STOP, SUBSTOP}
CAN_BLOCK = {PRE, PROMPT, EXPANDED, STOP, SUBSTOP, ASKED, CREATED, DONE}
DENIED = {
    **dict.fromkeys((PRE, STOP, SUBSTOP, ASKED, CREATED, DONE), ("model", "reason")),
    **dict.fromkeys((PROMPT, EXPANDED), ("user", "reason")),
    BATCH: ("model", "feedback"),
}
JOINED = {PRE, BATCH, PROMPT, EXPANDED, STOP, SUBSTOP, ASKED, CREATED, DONE}
# Where the model is told a context, and where plain text is one.
HEARD = {POST, FAILED, BATCH, PROMPT, EXPANDED, START, COMPACT}
PLAIN = {PROMPT, EXPANDED, START}
# Nobody listens; of two of them not even stdout is read.
MUTED = {ENDED, SHOWN, DELETED}
DEAF = {SHOWN, DELETED}
NO_EXIT_TWO = {ASKED, CREATED, DONE}
DECISIONS = {"allow": "allow", "approve": "allow", "ask": "ask", "deny": "deny", "block": "deny"}
PERMISSIONS = {"allow": "allow", "ask": "ask", "deny": "deny"}
INPUT = {"path": "a", "n": 1}
RESULT = {"llmContent": "ok", "returnDisplay": "ok"}
MORE: dict[str, dict[str, Any]] = {
    PRE: {"tool_name": "write_file", "tool_input": dict(INPUT)},
    POST: {"tool_name": "write_file", "tool_input": dict(INPUT), "tool_response": dict(RESULT)},
    ASKED: {"tool_name": "write_file", "tool_input": dict(INPUT)},
    PROMPT: {"prompt": "hi"},
    EXPANDED: {"prompt": "hi", "command_name": "fix"},
}


def data(event: str) -> dict[str, Any]:
    return MORE.get(event, {})


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    """All hooks run, in a chain too."""
    saids = [said(event, act) for act in acts]
    outcome = table.merge(saids, denied=DENIED.get(event, ("log", "reason")), can_block=event in CAN_BLOCK)
    if event in JOINED:
        outcome.reason = "\n".join(one.reason for one in saids if one.reason)
    if event == PRE:
        outcome.decision, outcome.reason = laid_together(saids)
        outcome.blocked = outcome.decision == "deny"
        table.counting(outcome, DENIED[PRE])
    refused = outcome.blocked and event in (PROMPT, EXPANDED)
    outcome.messages = [heard(event, note, refused) for note in outcome.messages]
    outcome.maybe = [heard(event, note, refused) for note in outcome.maybe]
    outcome.changes = changes(event, saids, outcome)
    outcome.suppress = outcome.suppress and event not in MUTED
    return outcome


def laid_together(saids: Sequence[Said]) -> tuple[str, str]:
    """Before a tool: of the sections the last word counts, though it decide nothing, of the rest the strongest."""
    said = [one for one in saids if one.raw]
    general = [one.raw["general"] for one in said]
    word = general[0] if len(general) == 1 else next((one for one in ("deny", "allow") if one in general), "none")
    inside = [one.raw["section"] for one in said if "section" in one.raw]
    word = inside[-1] if inside and inside[-1] != "none" else word
    joined = "\n".join(one.raw["reason"] for one in said if one.raw["reason"])
    halting = [one for one in said if one.raw.get("halts")]
    if halting and word not in ("deny", "ask"):
        stops = [one.raw["stop"] for one in said if one.raw.get("stop")]
        return "deny", (stops[-1] if stops else joined) or BLOCKED
    whys = [one.raw["why"] for one in said if "why" in one.raw]
    reason = (whys[-1] if whys else "") or joined
    return word, reason or (BLOCKED if word == "deny" else "")


def heard(event: str, note: tuple[str, str, Any], refused: bool) -> tuple[str, str, Any]:
    _, kind, text = note
    if event in MUTED:
        return "log", kind, text
    return ("model" if event in HEARD and not refused else "log", kind, text) if kind == "context" else note


def said(event: str, act: Act) -> Said:
    if act.error:
        return table.failure(act, "log")
    failed = bool(act.exit) or act.signal is not None
    if event in DEAF:
        return Said(failed=failed)
    if act.exit == 2:
        return refusing(event, act)
    text = act.out or act.err
    if not text:
        return Said(failed=failed, maybe=[("log", "error", ANY)] if act.signal else [])
    value = meant(text)
    if isinstance(value, dict):
        return answered(event, value, failed)
    if value is None and text.startswith("{"):  # meant as an answer, and none
        return Said(failed=True, notes=[("log", "error", ANY)])
    return worded(event, act, text, failed)


def refusing(event: str, act: Act) -> Said:
    """Exit 2: stdout is not read, and without a word on stderr nothing is refused."""
    if event in NO_EXIT_TWO:
        return Said(failed=True, notes=[("log", "error", act.err)] if act.err else [])
    value = meant(act.err)
    if isinstance(value, dict):
        return answered(event, value, failed=True)
    raw = {"general": "deny", "reason": act.err}
    return Said("deny", act.err, failed=True, raw=raw) if act.err else Said(failed=True)


def meant(text: str) -> Any:
    """The object that the text is, or a string in it is; None where it is no JSON at all, the text otherwise."""
    try:
        value = json.loads(text)
        value = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return value if isinstance(value, dict) else text


def worded(event: str, act: Act, text: str, failed: bool) -> Said:
    raw = {"general": "allow", "reason": text if failed else ""}
    if failed:  # its text is a reason beside those of others
        return Said("allow", text, failed=True, notes=[("user", "system", f"Warning: {text}")], raw=raw)
    if event in PLAIN and act.out:
        return Said("allow", context=[text], raw=raw)
    return Said("allow", notes=[("user", "system", text)], raw=raw)


def answered(event: str, answer: Mapping[str, Any], failed: bool) -> Said:
    own = table.mapping_of(answer.get("hookSpecificOutput"))
    decision, reason = decided(event, answer, own)
    found = Said(decision, reason or BLOCKED if decision == "deny" else reason, failed=failed)
    found.raw = {
        "general": table.word(answer.get("decision"), DECISIONS),
        "reason": table.text_of(answer.get("reason")),
    }
    if "permissionDecision" in own:
        found.raw["section"] = table.word(own["permissionDecision"], PERMISSIONS)
    if "permissionDecisionReason" in own:
        found.raw["why"] = table.text_of(own["permissionDecisionReason"])
    if answer.get("continue") is False:
        found.raw |= {"halts": True, "stop": table.text_of(answer.get("stopReason"))}
    found.suppress = answer.get("suppressOutput") is True
    system, context = table.text_of(answer.get("systemMessage")), table.text_of(own.get("additionalContext"))
    found.notes += [("user", "system", system)] if system else []
    found.context += [context] if context else []
    if event == ASKED and isinstance(new := table.mapping_of(own.get("decision")).get("updatedInput"), Mapping):
        found.gives["input"] = new
    return stopped(event, found, answer, reason)


def decided(event: str, answer: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[str, str]:
    """Before a tool the section's decision outranks what stands beside it, and so does its reason."""
    general, reason = table.word(answer.get("decision"), DECISIONS), table.text_of(answer.get("reason"))
    if event in (CREATED, DONE):
        return table.word(answer.get("decision"), {"allow": "allow", "block": "deny"}), reason
    if event == ASKED:
        asked = table.mapping_of(own.get("decision"))
        word = table.word(asked.get("behavior"), {"allow": "allow", "deny": "deny"})
        return word, table.text_of(asked.get("message")) or reason
    if event != PRE:
        return general, reason
    mine = table.word(own.get("permissionDecision"), PERMISSIONS)
    reason = table.text_of(own.get("permissionDecisionReason")) or reason
    return mine if mine != "none" else general, reason


def stopped(event: str, found: Said, answer: Mapping[str, Any], given: str) -> Said:
    """`continue: false`: a refusal of this one thing where none was said, with the stop's reason."""
    if answer.get("continue") is not False:
        return found
    why = table.text_of(answer.get("stopReason"))
    if event == POST:
        found.gives["output"] = why or given or ANY
        found.notes.append(("model", "feedback", why or given or ANY))
    elif event not in REFUSED_BY_STOP:
        found.maybe.append(("log", "reason", why))
    elif found.decision in ("deny", "ask"):
        said = why or given if event == STOP else given or why
        found.reason = said or (BLOCKED if found.decision == "deny" else "")
    else:
        found.decision, found.reason = "deny", why or given or BLOCKED
    return found


def changes(event: str, saids: Sequence[Said], outcome: Expected) -> dict[str, Any]:
    def last(name: str) -> Any:
        return next((one.gives[name] for one in reversed(saids) if name in one.gives), ABSENT)

    if event == ASKED:
        new = last("input")
        return table.changed("input", INPUT if new is ABSENT else new, INPUT)
    if event == BATCH and outcome.decision == "deny":
        return {"output": outcome.reason}
    return filled(output=last("output"))


# ---- rows

EXTRAS: tuple[dict[str, Any], ...] = ({}, {"systemMessage": "sys", "suppressOutput": True})
OWNS: dict[str, list[dict[str, Any]]] = {
    PRE: [
        *(
            filled(permissionDecision=decision, permissionDecisionReason=reason)
            for decision, reason in product(("deny", "ask", "allow", "block", "sideways", 7), (ABSENT, "own why"))
        ),
        {"updatedInput": {"path": "b"}},
        {"tool_input": {"path": "b"}},
        {"additionalContext": "ctx"},
    ],
    ASKED: [
        {"decision": {"behavior": "deny", "message": "own why"}},
        {"decision": {"behavior": "deny"}},
        {"decision": {"behavior": "allow", "updatedInput": {"path": "b"}}},
        {"decision": {"behavior": "sideways"}},
        {"decision": "deny"},
        {"permissionDecision": "deny"},
    ],
}
PLAINLY: list[dict[str, Any]] = [{"additionalContext": "ctx"}, {"permissionDecision": "deny"}]


def answers() -> Iterator[dict[str, Any]]:
    for decision, reason, on, extra in product(table.WORDS, table.REASONS[:2], table.GOES_ON[1:4], EXTRAS):
        yield filled(decision=decision, reason=reason) | on | extra
    yield from ({"decision": "deny", "reason": "why"} | on for on in table.ODD_GOES_ON)
    yield from ({"decision": "deny", "reason": ""}, {"systemMessage": ""}, {"hookSpecificOutput": "deny"})


def sections(event: str) -> Iterator[dict[str, Any]]:
    for own, decision, on in product(OWNS.get(event, PLAINLY), (ABSENT, "allow", "deny"), table.GOES_ON[1:4]):
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
    outs = [*table.dumped(few()), "", "plain text"]
    found = [Act(stdout=out) for out in outs]
    found += [Act(stdout=json.dumps({"hookSpecificOutput": own})) for own in OWNS.get(event, PLAINLY)]
    found += [Act(exit=2), Act(exit=2, stdout=outs[1]), Act(exit=2, stderr="no"), Act(exit=1, stderr="odd")]
    found += [Act(exit=3, stdout="out"), Act(exit=None, signal="SIGTERM", stderr="killed"), Act(**table.TIMED_OUT)]
    return found


def rows() -> Iterator[Row]:
    quiet = table.STDERRS[:1]
    yield from table.singles(EVENTS, table.acts([{}], table.odd({"decision": "deny", "reason": "w"}), quiet))
    for event in EVENTS:
        small = [*table.TEXTS, *table.dumped(few())]
        yield from table.singles([event], table.acts(table.ENDS, small))
        yield from table.singles([event], table.endings(small))
        yield from table.singles([event], table.acts(table.ENDS, [""], [*table.dumped(few()), "[1]", "42", "{text"]))
        yield from table.singles([event], table.acts([{}], table.dumped([*answers(), *sections(event)]), quiet))
        both = some(event) if event in (PRE, POST) else some(event)[::2]
        yield from table.pairs([event], both)
        yield from table.pairs([event], both[::3], sequential=True)

"""copilot (GitHub Copilot CLI 1.0.102): what the program itself did with each answer, not what its document says of it.

Measured, one run of the program for each line of the law. An event has two names. Under either a hook answers flat; on
one event, and under its PascalCase name, Claude's hookSpecificOutput counts as well, field by field over the rest.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from . import table
from .table import ABSENT, ANY, BLOCKED, Act, Expected, Row, Said, filled

BEFORE = ("preToolUse", "PreToolUse")
AFTER = ("postToolUse", "PostToolUse")
FAILED = ("postToolUseFailure", "PostToolUseFailure")
PROMPT = ("userPromptSubmitted", "UserPromptSubmit")
STOP = ("agentStop", "Stop", "subagentStop", "SubagentStop")
PERMISSION = ("permissionRequest", "PermissionRequest")
TRANSFORMED = "userPromptTransformed"
BEGINS = ("sessionStart", "SessionStart", "subagentStart", "SubagentStart")
NOTICE = ("notification", "Notification")
NOTHING = ("sessionEnd", "SessionEnd", "errorOccurred", "ErrorOccurred", "preCompact", "PreCompact", "preMcpToolCall")
EVENTS = (*BEFORE, *AFTER, *FAILED, *PROMPT, *STOP, *PERMISSION, TRANSFORMED, *BEGINS, *NOTICE, *NOTHING)

DENIED = {
    **dict.fromkeys((*BEFORE, *STOP, *PERMISSION), ("model", "reason")),
    **dict.fromkeys(AFTER, ("model", "feedback")),
    **dict.fromkeys(PROMPT, ("user", "reason")),
}
CAN_BLOCK = {*BEFORE, *PROMPT, *STOP, *PERMISSION}
TELLS = {*BEFORE, *AFTER, *FAILED, *PROMPT, *BEGINS, *NOTICE}
PERMISSIONS = {"allow": "allow", "deny": "deny", "ask": "ask"}
# What each event's decision is called, its words, and what its reason is called.
DECIDES: dict[str, tuple[str, Mapping[str, str], str]] = {
    **dict.fromkeys(BEFORE, ("permissionDecision", PERMISSIONS, "permissionDecisionReason")),
    **dict.fromkeys(AFTER, ("decision", {"block": "deny"}, "reason")),
    **dict.fromkeys((*PROMPT, *STOP), ("decision", {"block": "deny", "allow": "allow"}, "reason")),
    **dict.fromkeys(PERMISSION, ("behavior", {"allow": "allow", "deny": "deny"}, "message")),
}
# A refusal that says nothing of why counts there for nothing.
REASONED = {*AFTER, *PROMPT, *STOP}
# The last hook that decides is heard.
LAST = {*PROMPT, *STOP, *PERMISSION}
INPUT, OUTPUT = {"path": "a", "n": 1}, "done"
TOOL: dict[str, Any] = {"tool_name": "edit", "tool_input": dict(INPUT)}


def data(event: str) -> dict[str, Any]:
    """What happened, in our words."""
    if event in (*BEFORE, *PERMISSION):
        return TOOL
    if event in (*AFTER, *FAILED):
        return {**TOOL, "tool_output": OUTPUT} if event in AFTER else {**TOOL, "error": "no"}
    if event in NOTICE:
        return {"type": "agent_idle", "message": "m"}
    others = {"prompt": (*PROMPT, TRANSFORMED), "agent_type": BEGINS[2:], "trigger": ("preCompact", "PreCompact")}
    return {key: "auto" for key, events in others.items() if event in events}


def expected(event: str, acts: Sequence[Act], sequential: bool = False) -> Expected:
    """One after another. What each says is laid over what those before said, so the last word counts on some events."""
    saids: list[Said] = []
    for act in acts:
        saids.append(said(event, act))
        if ends(event, saids[-1]):
            break
    heard = saids
    if event in LAST:
        final = next((one for one in saids[::-1] if one.decision != "none"), None)
        heard = [one if one is final else undecided(one) for one in saids]
    outcome = table.merge(heard, denied=DENIED.get(event, ("log", "reason")), can_block=event in CAN_BLOCK)
    if event in STOP:
        share_reasons(event, saids, outcome)
    outcome.messages = told(event, outcome)
    outcome.changes = changes(event, saids, outcome)
    outcome.attempts = len(saids)
    return outcome


def share_reasons(event: str, saids: Sequence[Said], outcome: Expected) -> None:
    """The last reason of any hook is that of the decision; a refusal without one counts for nothing."""
    if outcome.decision != "none":
        outcome.reason = next((one.reason for one in saids[::-1] if one.reasoned), "")
    if outcome.decision == "deny" and not outcome.reason:
        outcome.decision, outcome.blocked = "none", False
    table.counting(outcome, DENIED[event])


def ends(event: str, one: Said) -> bool:
    """Whether the hooks after this one do not run."""
    if event in BEFORE:
        return one.decision in ("deny", "ask") or "input" in one.gives
    return one.decision == "deny" and (event in AFTER or (event in PERMISSION and one.failed))


def told(event: str, outcome: Expected) -> list[table.Told]:
    """A refusal takes context with it; of a prompt only the last hook's counts."""
    contexts = [one for one in outcome.messages if one[1] == "context"]
    lost = contexts[:-1] if event in PROMPT else []
    if outcome.decision == "deny" and event in (*AFTER, *PROMPT):
        lost = contexts
    return [one for one in outcome.messages if one not in contexts] + [
        ("log", *one[1:]) if any(one is other for other in lost) else one for one in contexts
    ]


def undecided(one: Said) -> Said:
    return Said(failed=one.failed, notes=one.notes, context=one.context, maybe=one.maybe, reasoned=one.reasoned)


def changes(event: str, saids: Sequence[Said], outcome: Expected) -> dict[str, Any]:
    """The last one's counts as a whole; a refusal after a tool takes the place of the result."""
    given = {name: value for one in saids for name, value in one.gives.items()}
    if event in AFTER and outcome.decision == "deny":
        return {**given, "output": outcome.reason}
    return {name: value for name, value in given.items() if (name, value) not in (("output", OUTPUT), ("input", INPUT))}


def said(event: str, act: Act) -> Said:
    """Exit 0 and exit 2 let the answer be heard, nothing else does; some events refuse where a hook fails."""
    if act.error or act.signal or act.exit not in (0, 2):
        return failed(event, act)
    if act.exit == 2 and event in FAILED:
        return Said(context=[act.err] if act.err else [])
    answer = table.one_object(heard(act.out))
    if answer is None and act.out and event in PERMISSION:
        text = [("log", "error", act.out)]
        errors = [("log", "error", act.err)] if act.exit == 2 and act.err else []
        return Said("deny", ANY, failed=True, notes=[*text, *errors])
    found = answered(event, answer or {}, closed=act.exit == 2 and event in (*BEFORE, *PERMISSION))
    if act.exit == 2 and act.err:
        found.notes.append(("log", "error", act.err))
    return found


def heard(text: str) -> str:
    """Without lines that are progress: a JSON object of that type with a message, each on a line of its own."""

    def progress(line: str) -> bool:
        value = table.one_object(line.strip()) or {}
        return value.get("type") == "progress" and isinstance(value.get("message"), str)

    return "\n".join(line for line in text.split("\n") if not progress(line)).strip()


def failed(event: str, act: Act) -> Said:
    found = table.failure(act, "log")
    if event in (*BEFORE, *PERMISSION) and act.error != "timeout":
        found.decision, found.reason = "deny", ANY
    return found


def answered(event: str, answer: Mapping[str, Any], *, closed: bool) -> Said:
    """`closed`: the exit code refuses already, and of hookSpecificOutput only texts count beside that."""
    flat = dict(answer)
    if event == "PreToolUse" and not closed:
        flat |= renamed(table.mapping_of(answer.get("hookSpecificOutput")))
    found = Said()
    if event in DECIDES:
        key, words, reason = DECIDES[event]
        found.decision, found.reason = table.word(flat.get(key), words), table.text_of(flat.get(reason))
        found.reasoned = reason in flat
        if event in (*PROMPT, *STOP) and key in flat and found.decision == "none":
            found.decision = "allow"  # any other word takes a refusal back
        if event in REASONED and event not in STOP and found.decision == "deny" and type(flat.get(reason)) is not str:
            found.decision = "none"
    if event in BEFORE and "modifiedArgs" in flat and not isinstance(flat["modifiedArgs"], Mapping):
        found.decision, found.reason = "deny", found.reason or ANY  # the tool cannot be called with that
    if closed:
        found.decision = "deny"
    if found.decision == "deny" and not found.reason and event not in STOP:
        found.reason = BLOCKED
    own = table.mapping_of(answer.get("hookSpecificOutput")) if event == "PreToolUse" else {}
    contexts = [table.text_of(one.get("additionalContext")) for one in (answer, own)]
    found.context = [text for text in contexts if text and event in TELLS]
    found.gives = gives(event, flat)
    return found


def renamed(own: Mapping[str, Any]) -> dict[str, Any]:
    """What hookSpecificOutput says, by the flat names; an unknown word in it decides nothing: the flat one counts."""
    found = {name: own[name] for name in ("permissionDecision", "permissionDecisionReason") if own.get(name)}
    if table.word(found.get("permissionDecision"), PERMISSIONS) == "none":
        found.pop("permissionDecision", None)
    if not isinstance(found.get("permissionDecisionReason", ""), str):
        found.pop("permissionDecisionReason")
    if isinstance(own.get("updatedInput"), Mapping):
        found["modifiedArgs"] = own["updatedInput"]
    return found


def gives(event: str, flat: Mapping[str, Any]) -> dict[str, Any]:
    if event in BEFORE and isinstance(flat.get("modifiedArgs"), Mapping):
        return {"input": flat["modifiedArgs"]}
    if event in AFTER:
        text = table.mapping_of(flat.get("modifiedResult")).get("textResultForLlm")
        return {"output": text} if text is not None else {}
    if event in STOP[2:] and flat.get("modifiedResponse") is not None:
        return {"output": flat["modifiedResponse"]}
    if event in PROMPT and isinstance(flat.get("modifiedPrompt"), str):
        return {"prompt": flat["modifiedPrompt"]}
    if event == TRANSFORMED and isinstance(flat.get("modifiedTransformedPrompt"), str):
        return {"prompt": flat["modifiedTransformedPrompt"]}
    if event in PERMISSION and isinstance(flat.get("interrupt"), bool):
        return {"interrupt": flat["interrupt"]}
    return {}


# ---- rows

WHYS = (ABSENT, "why", "")
ARGS = (ABSENT, {"path": "b"}, dict(INPUT))
DECISIONS = ("permissionDecision", "decision", "behavior")
WORDS = ("allow", "deny", "ask", "block", "DENY", 7, None)
EXTRAS: tuple[dict[str, Any], ...] = (
    {},
    {"additionalContext": "ctx"},
    {"continue": False, "stopReason": "enough", "systemMessage": "sys", "suppressOutput": True, "colour": "red"},
    {"modifiedArgs": {"path": "c"}, "modifiedPrompt": "new", "modifiedTransformedPrompt": "newer"},
    {"modifiedResult": {"resultType": "success", "textResultForLlm": "new"}, "modifiedResponse": "newest"},
    {"modifiedResult": "new", "modifiedPrompt": 7, "interrupt": True},
)
PROGRESS = '{"type": "progress", "message": "m"}'


def flat() -> Iterator[dict[str, Any]]:
    for key, word, why, extra in product(DECISIONS, WORDS, WHYS, EXTRAS):
        yield filled(**{key: word, "permissionDecisionReason": why, "reason": why, "message": why}) | extra
    yield from EXTRAS


def sections() -> Iterator[dict[str, Any]]:
    for name, word, why, new in product((ABSENT, "PreToolUse", "Stop"), (ABSENT, *WORDS), WHYS, ARGS):
        own = filled(hookEventName=name, permissionDecision=word, permissionDecisionReason=why, updatedInput=new)
        yield {"hookSpecificOutput": own}
        yield {"hookSpecificOutput": own, "permissionDecision": "deny", "permissionDecisionReason": "flat"}


def odd(event: str) -> list[str]:
    """Answers with lines of progress in them, beside others, and what only looks like one."""
    deny = json.dumps({"permissionDecision": "deny", "decision": "block", "behavior": "deny", "reason": "why"})
    return [
        *(f"{PROGRESS}\n{deny}", f"{deny}\n{PROGRESS}", f"  {PROGRESS}  \n{deny}\n{PROGRESS}\n", PROGRESS),
        *(f'{{"type": "progress"}}\n{deny}', f"hello\n{deny}", f"{deny}\n{deny}", f"[{deny}]"),
        *(json.dumps(json.loads(deny), indent=2), json.dumps(json.loads(PROGRESS), indent=1) + "\n" + deny),
        *("", "  \n", "plain text", "42", "null", deny[:-1]),
    ]


def few() -> list[str]:
    answers: list[dict[str, Any]] = [
        {"permissionDecision": "deny", "permissionDecisionReason": "policy"},
        {"permissionDecision": "ask", "permissionDecisionReason": "sure?"},
        {"permissionDecision": "allow", "modifiedArgs": {"path": "b"}},
        {"modifiedArgs": {"n": 2}, "additionalContext": "ctx", "modifiedResult": {"textResultForLlm": "one"}},
        {"decision": "block", "reason": "why", "modifiedPrompt": "new"},
        {"decision": "block", "reason": "why not", "modifiedTransformedPrompt": "new"},
        {"decision": "allow", "modifiedResult": {"textResultForLlm": "two"}, "modifiedResponse": "short"},
        {"decision": "block"},
        {"behavior": "deny", "message": "no"},
        {"behavior": "allow", "interrupt": True},
        {"behavior": "deny"},
        {"hookSpecificOutput": {"permissionDecision": "deny"}},
        {},
    ]
    return table.dumped(answers)


def some() -> list[Act]:
    outs = [*few(), "", "plain text"]
    found = [Act(stdout=out) for out in outs] + [Act(exit=2, stdout=out, stderr="odd") for out in outs[::2]]
    found += [Act(exit=1, stdout=out, stderr="odd") for out in outs[::5]]
    return [*found, Act(exit=2), Act(exit=3), Act(exit=None, signal="SIGKILL", stderr="killed"), Act(**table.TIMED_OUT)]


def rows() -> Iterator[Row]:
    for event in EVENTS:
        yield from table.singles([event], table.acts(table.ENDS, [*odd(event), *few()]))
        yield from table.singles([event], table.endings(few()))
        everything = list(flat())
        answers = everything if event in DECIDES else everything[::9]
        yield from table.singles([event], table.acts(table.ENDS[:3], table.dumped(answers), table.STDERRS[1:]))
        if event in BEFORE:
            yield from table.singles([event], table.acts(table.ENDS[:3], table.dumped(sections()), table.STDERRS[1:]))
        yield from table.pairs([event], some() if event in DECIDES else some()[::3])

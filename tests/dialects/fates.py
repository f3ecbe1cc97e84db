"""Same answer, different fate: what a guard on a shell tool answered, and what became of the call, as it was recorded.

A row is what the hook did; a column is an agent. `ran`: the guard did not stop it. `denied`: it did not run, and the
agent went on. `stopped`: it did not run, and the agent ended. `ran, then stopped`: it ran, and then the agent ended.
`changed` and `unchanged`: it ran, with the input that the hook gave or with its own. What was not recorded of an agent
does not stand there.
"""

from typing import Any

from msgspec import Struct

PRE = "hookSpecificOutput"
REWRITTEN = {"command": "./mark.sh REWRITTEN"}
# Agents that take Claude Code's form for their own.
CLAUDES = ("claude", "codex", "qwen")


class Fate(Struct, frozen=True, kw_only=True):
    """One row. `answer` is JSON on stdout; what agents spell differently stands by agent in `native`."""

    what: str
    exit: int = 0
    answer: dict[str, Any] | None = None
    native: dict[str, dict[str, Any]] = {}
    stderr: str = ""
    error: str = ""
    fates: dict[str, str]


def claude(**fields: Any) -> dict[str, Any]:
    """An answer as Claude Code writes it."""
    return {PRE: {"hookEventName": "PreToolUse", **fields}}


DENY = claude(permissionDecision="deny", permissionDecisionReason="no")
UNREASONED = claude(permissionDecision="deny")

BEFORE: tuple[Fate, ...] = (
    Fate(
        what="exit 2 + stderr",
        exit=2,
        stderr="no",
        fates={"claude": "denied", "codex": "denied", "gemini": "denied", "qwen": "denied"},
    ),
    Fate(what="exit 2, silent", exit=2, fates={"claude": "denied", "codex": "ran", "gemini": "ran", "qwen": "ran"}),
    Fate(what="exit 1", exit=1, fates={"claude": "ran", "codex": "ran", "gemini": "ran", "qwen": "ran"}),
    Fate(
        what="exit 3 + stderr",
        exit=3,
        stderr="no",
        fates={"claude": "ran", "codex": "ran", "gemini": "denied", "qwen": "ran"},
    ),
    Fate(
        what="Claude JSON deny + reason",
        answer=DENY,
        fates={"claude": "denied", "codex": "denied", "gemini": "ran", "qwen": "denied"},
    ),
    Fate(
        what="Claude JSON deny, no reason",
        answer=UNREASONED,
        fates={"claude": "denied", "codex": "ran", "qwen": "denied"},
    ),
    Fate(what="deny + an unknown key", answer={**DENY, "extra": 1}, fates={"claude": "denied", "codex": "ran"}),
    Fate(
        what="deny + suppressOutput",
        answer={**DENY, "suppressOutput": True},
        fates={"claude": "denied", "codex": "ran"},
    ),
    Fate(
        what="deny without hookEventName",
        answer={PRE: {"permissionDecision": "deny", "permissionDecisionReason": "no"}},
        fates={"claude": "ran", "qwen": "denied"},
    ),
    Fate(
        what="top-level decision block",
        answer={"decision": "block", "reason": "no"},
        fates={"claude": "denied", "codex": "denied", "gemini": "denied", "qwen": "denied"},
    ),
    Fate(
        what="top-level decision deny",
        answer={"decision": "deny", "reason": "no"},
        fates={"claude": "ran", "codex": "ran", "gemini": "denied", "qwen": "denied"},
    ),
    Fate(
        what="native deny (own shape), no reason",
        native={**dict.fromkeys(("claude", "codex", "qwen"), UNREASONED), "gemini": {"decision": "deny"}},
        fates={"claude": "denied", "codex": "ran", "gemini": "denied", "qwen": "denied"},
    ),
    Fate(
        what="ask, no user present",
        native={
            **{name: claude(permissionDecision="ask", permissionDecisionReason="?") for name in CLAUDES},
            "gemini": {"decision": "ask", "reason": "?"},
        },
        fates={"claude": "denied", "codex": "ran", "gemini": "stopped", "qwen": "denied"},
    ),
    Fate(
        what="exit 1 + deny JSON",
        exit=1,
        answer=DENY,
        native={"gemini": {"decision": "deny"}},
        fates={"claude": "denied", "codex": "ran", "gemini": "denied", "qwen": "denied"},
    ),
    Fate(
        what="exit 2 + allow JSON",
        exit=2,
        answer=claude(permissionDecision="allow"),
        native={"gemini": {"decision": "allow"}},
        stderr="no",
        fates={"claude": "denied", "codex": "denied", "gemini": "ran", "qwen": "denied"},
    ),
    Fate(
        what="continue:false",
        answer={"continue": False, "stopReason": "enough"},
        fates={"claude": "ran, then stopped", "codex": "ran", "gemini": "stopped", "qwen": "denied"},
    ),
    Fate(
        what="updatedInput + allow",
        native={
            **{name: claude(permissionDecision="allow", updatedInput=REWRITTEN) for name in CLAUDES},
            "gemini": {"decision": "allow", PRE: {"tool_input": REWRITTEN}},
        },
        fates={"claude": "changed", "codex": "changed", "gemini": "changed", "qwen": "unchanged"},
    ),
    Fate(
        what="updatedInput without decision",
        native={
            **{name: claude(updatedInput=REWRITTEN) for name in CLAUDES},
            "gemini": {PRE: {"tool_input": REWRITTEN}},
        },
        fates={"claude": "changed", "codex": "unchanged", "gemini": "changed"},
    ),
    Fate(what="timeout", error="timeout", fates={"claude": "ran", "codex": "ran", "gemini": "ran", "qwen": "ran"}),
)

# After the tool: what the model sees of it. Whether the text replaced the result, stood beside it, or was nowhere.
AFTER: tuple[Fate, ...] = (
    Fate(
        what="after-tool block",
        answer={"decision": "block", "reason": "no"},
        fates={"claude": "beside", "codex": "replaced", "gemini": "replaced", "qwen": "nothing"},
    ),
    Fate(
        what="after-tool exit 2",
        exit=2,
        stderr="no",
        fates={"claude": "beside", "codex": "replaced", "gemini": "replaced", "qwen": "nothing"},
    ),
    Fate(
        what="after-tool context",
        answer={PRE: {"hookEventName": "PostToolUse", "additionalContext": "no"}},
        fates={"claude": "context", "codex": "context", "gemini": "context", "qwen": "context"},
    ),
)

# At a prompt: whether it goes on to the model, and what text on stdout is.
PROMPT: tuple[Fate, ...] = (
    Fate(
        what="prompt hook exit 2",
        exit=2,
        stderr="no",
        fates={"claude": "denied", "codex": "denied", "gemini": "denied", "qwen": "denied"},
    ),
    Fate(
        what="plain stdout on prompt event",
        fates={"claude": "context", "codex": "context", "gemini": "shown", "qwen": "context"},
    ),
)

# How often in a row a stop may be refused; 0 is without end.
STOP_CAPS: dict[str, int] = {"claude": 8, "codex": 0, "gemini": 0, "qwen": 7}

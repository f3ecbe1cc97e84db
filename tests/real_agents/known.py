"""Where our engine and a client are known to differ, each with its reason: everything else is a disagreement."""

from __future__ import annotations

from collections.abc import Callable

from .drawing import Case


def several(case: Case) -> bool:
    return len(case.hooks) > 1


def halts(case: Case) -> bool:
    return any('"continue": false' in one.stdout + one.stderr for one in case.hooks)


# Which client, on which events, of which cases; and why.
KNOWN: tuple[tuple[str, tuple[str, ...], Callable[[Case], bool], str], ...] = (
    (
        "qwen",
        ("tool.after", "turn.stop", "prompt.submit"),
        lambda case: several(case) and halts(case),
        "of several answers of which one wants to stop, Qwen Code tells the last stopReason, or else all reasons; we "
        "tell what each hook says that wants to stop",
    ),
    (
        "copilot",
        ("prompt.submit",),
        lambda case: several(case) and any("modifiedPrompt" in one.stdout for one in case.hooks),
        "a modifiedPrompt that is not text takes back that of a hook before it; we keep the one that is a text",
    ),
)


def excuse(case: Case) -> str:
    """Why a disagreement about the case is known; empty where it is none of these."""
    for client, kinds, applies, why in KNOWN:
        if case.client.startswith(client) and (not kinds or case.kind in kinds) and applies(case):
            return why
    return ""

"""What hooks may answer, in every client's form: the answers that the probes of probes.py give."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .programs.client import TIMEOUT, Client, about, says
from .programs.scene import Answer

# Stand for the texts of one probe: what it says, and what it wants to have run in place of what was called.
WHY, CHANGED = "@why@", "@changed@"
# More often than any client that counts lets a hook keep its agent from stopping.
OFTEN = 12

# An answer that depends on the client, and on its name for the event.
Made = Callable[[Client, str], Answer]


def claudes(decision: str = "deny", **more: Any) -> dict[str, Any]:
    """A decision before a tool as Claude Code wants it; what is None is left out."""
    fields = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": WHY, **more}
    return {"hookSpecificOutput": {name: value for name, value in fields.items() if value is not None}}


def exits(code: int, answer: Answer, **more: Any) -> Answer:
    return answer._replace(exit_code=code, **more)


DENY = says(claudes())
ALLOW = about("PreToolUse", permissionDecision="allow")
BLOCK = says({"decision": "block", "reason": WHY})
REFUSE = says({"decision": "deny", "reason": WHY})
HALT = says({"continue": False, "stopReason": WHY})
LATE = DENY._replace(seconds=TIMEOUT + 3.0)
ALWAYS = BLOCK._replace(times=OFTEN)
FLAT_CONTEXT = says({"additionalContext": WHY})


def also(**more: Any) -> Answer:
    """Claude Code's deny with further keys at the top."""
    return says({**claudes(), **more})


def inner_context(client: Client, event: str) -> Answer:
    return about(event, additionalContext=WHY)


def own_deny(client: Client, event: str) -> Answer:
    return client.deny(WHY)


def own_deny_at(code: int) -> Made:
    return lambda client, event: exits(code, client.deny(WHY))


def line_first(client: Client, event: str) -> Answer:
    deny = client.deny(WHY)
    return deny._replace(stdout=f"starting\n{deny.stdout}")


def line_last(client: Client, event: str) -> Answer:
    deny = client.deny(WHY)
    return deny._replace(stdout=f"{deny.stdout}\nfinished")


def on_stderr(client: Client, event: str) -> Answer:
    return Answer(stderr=client.deny(WHY).stdout)


def own_rewrite(client: Client, event: str) -> Answer:
    return client.rewrite(client.call(CHANGED))


def undecided(client: Client, event: str) -> Answer:
    """The client's own rewrite without the word that allows the call."""
    said = json.loads(own_rewrite(client, event).stdout)
    said.get("hookSpecificOutput", said).pop("permissionDecision", None)
    return says(said)


def refused(client: Client, event: str) -> Answer:
    """The client's own rewrite, and its own deny beside it."""
    said, deny = (json.loads(one(client, event).stdout) for one in (own_rewrite, own_deny))
    inner = {**said.get("hookSpecificOutput", {}), **deny.get("hookSpecificOutput", {})}
    return says({**said, **deny, **({"hookSpecificOutput": inner} if inner else {})})

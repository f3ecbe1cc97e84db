"""Payloads that real agents sent to their hooks: recorded, scrubbed, one file for each agent and event.

    from tenterhook.dialects.recorded import agents, payloads

    payloads("claude")["PreToolUse"][0]["tool_input"]

Each is as it was, field by field and in that order; only identifiers, folders and times are others. `tools(agent)` has
a call of each tool, as hooks were told of it: `tool`, `input`, `output`, what was `beside` them in the payload, and
the `fields` that the tool takes, as the agent tells its model.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec

from tenterhook.errors import UsageError, nearest

__all__ = ["agents", "of_event", "payloads", "tools"]

FOLDER = os.path.dirname(__file__)
CALLS = "tools.json"


def agents() -> list[str]:
    """The agents that have recorded payloads."""
    return sorted(name for name in os.listdir(FOLDER) if os.path.isdir(os.path.join(FOLDER, name)) and name[0] != "_")


def of_event(agent: str, event: str) -> list[dict[str, Any]]:
    """The payloads of one agent, `NAME` or `NAME@VERSION`, at an event; empty if none were recorded."""
    plain = agent.partition("@")[0]
    return payloads(plain).get(event, []) if plain in agents() else []


def payloads(agent: str) -> dict[str, list[dict[str, Any]]]:
    """The payloads of one agent, by the agent's own name of the event."""
    if agent not in agents():
        known = ", ".join(agents())
        raise UsageError(f"nothing was recorded of {agent!r}{nearest(agent, agents())}; there are: {known}")
    found: dict[str, list[dict[str, Any]]] = {}
    for folder, folders, files in os.walk(os.path.join(FOLDER, agent)):
        folders.sort()
        for file in sorted(set(files) - {CALLS}, key=lambda name: (name.partition(".")[0], len(name))):
            with open(os.path.join(folder, file), "rb") as stream:
                found.setdefault(file.partition(".")[0], []).append(msgspec.json.decode(stream.read()))
    return found


def tools(agent: str) -> list[dict[str, Any]]:
    """One call of each tool of an agent, `NAME` or `NAME@VERSION`; empty if none was recorded."""
    path = os.path.join(FOLDER, agent.partition("@")[0], CALLS)
    if not os.path.exists(path):
        return []
    with open(path, "rb") as stream:
        found: list[dict[str, Any]] = msgspec.json.decode(stream.read())
    return found

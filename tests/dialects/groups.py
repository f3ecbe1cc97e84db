"""Settings with groups of hooks, and answers of made-up ones, for agents that write both alike."""

import json
from typing import Any

from tenterhook.testing import Did


def hook(command: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": command, **more}


def written(*hooks: Any, event: str, **keys: Any) -> str:
    """One group of hooks, or several groups as they stand."""
    entries = [one if isinstance(one, dict) else hook(one) for one in hooks]
    groups = entries if any("hooks" in one for one in entries) else [{"hooks": entries}]
    return json.dumps({"hooks": {event: groups}, **keys})


def says(**answer: Any) -> Did:
    return Did(stdout=json.dumps(answer))


def section(**fields: Any) -> Did:
    return says(hookSpecificOutput=fields)


def order(outcome: Any) -> list[str]:
    return [one.hook for one in outcome.attempts]

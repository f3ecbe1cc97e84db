"""massgen's GeneralHookManager: its hooks are Python functions, called in an executor with a time-out."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from massgen.mcp_tools.hooks import (  # type: ignore[import-not-found,unused-ignore]
    GeneralHookManager,
    HookType,
)

from peers.driving import Cannot, Fire, Job, drive

GIVEN = json.dumps({"command": "ls -la"})


def nothing(event: object) -> None:
    """The hook that is a function."""


async def prepare(job: Job, folder: Path) -> Fire:
    wanted = job["hooks"]
    # Where no hook matches, or only their number counts, what a hook would run is all the same.
    if any("function" not in hook and hook.get("matcher", "Bash") == "Bash" for hook in wanted):
        raise Cannot("its hooks are Python functions")
    entries = [{"matcher": hook.get("matcher", "Bash"), "handler": f"{__spec__.name}.nothing"} for hook in wanted]
    manager = GeneralHookManager()
    manager.register_hooks_from_config({"PreToolUse": entries})

    def fire() -> Awaitable[Any]:
        context = {"session_id": "session", "agent_id": "agent"}
        return manager.execute_hooks(HookType.PRE_TOOL_USE, "Bash", GIVEN, context)  # type: ignore[no-any-return,unused-ignore]

    matching = sum(hook.get("matcher", "Bash") == "Bash" for hook in wanted)
    assert len((await fire()).executed_hooks) == matching
    return fire


if __name__ == "__main__":
    drive(version("massgen"), prepare)

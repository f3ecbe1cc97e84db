"""Of two real processes that rewrite a call, the one that finishes last counts where the agent has it so."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tenterhook import Engine
from tenterhook.types import Hook, Source


def hook(number: int, seconds: float, command: str) -> Hook:
    """A hook that takes so long to rewrite a call."""
    own = {"permissionDecision": "allow", "updatedInput": {"command": command}}
    said = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **own}})
    line = f"sleep {seconds}; echo {shlex.quote(said)}"
    spec = {"command": line, "main": line, "form": "shell"}
    return Hook(name=f"{number}", event="PreToolUse", handler="command", spec=spec, source=Source("test"), timeout=30.0)


@pytest.mark.parametrize("dialect", ["claude", "codex"])
@pytest.mark.parametrize("late", [0, 1])
def test_the_rewrite_of_the_hook_that_finishes_last_counts(dialect: str, late: int, tmp_path: Path) -> None:
    engine = Engine(str(tmp_path), dialect=dialect, files=False, journal=False, sandbox="off")
    engine.put(*(hook(n, 1.5 if n == late else 0, f"from {n}") for n in range(2)))

    outcome = engine.fire("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})

    assert outcome.changes == {"input": {"command": f"from {late}"}}

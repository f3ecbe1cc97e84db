"""Hooks that would be dead when they are translated stay as they are, behind `tenter run --as`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tenterhook import dialects
from tenterhook.dialects import recorded
from tenterhook.engine.simulate import Did, simulate

SETTINGS = ".claude/settings.json"
# What a hook of Claude Code says or reads, where that means nothing in the other agent; and why.
DEAD = {
    "$CLAUDE_PROJECT_DIR is not given there": ("codex", 'sh "$CLAUDE_PROJECT_DIR"/guard.sh'),
    "refused before, goes on there": ("gemini", "exit 2"),
    "has no field tool_input": ("copilot-after", "jq -e .tool_input.file_path"),
    "its tool has no field file_path": ("codex-edit", "jq -re .tool_input.file_path | grep -q secret && exit 2"),
    "the model is not told its text": ("gemini-prompt", "echo remember the rules"),
}
EVENTS = {"after": "PostToolUse", "prompt": "UserPromptSubmit"}


def settings(event: str, command: str, matcher: str) -> str:
    return json.dumps(
        {"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command, "timeout": 60}]}]}}
    )


def commands(text: str) -> list[str]:
    data = json.loads(text)["hooks"]
    return [hook.get("command") or hook.get("bash") for groups in data.values() for g in groups for hook in g["hooks"]]


@pytest.mark.parametrize("why", DEAD)
def test_what_would_be_dead_stays_as_it_is_and_the_report_says_why(why: str, write: Any, converted: Any) -> None:
    case, command = DEAD[why]
    target, _, what = case.partition("-")
    event = EVENTS.get(what, "PreToolUse")
    write(SETTINGS, settings(event, command, {"prompt": "", "edit": "Edit"}.get(what, "Bash")))
    made = converted("claude", target, plain=False)
    plain = converted("claude", target)

    [line] = commands(made.text)
    assert f"--agent {target}" in line
    assert "--as claude -- " in line
    [note] = [loss for loss in made.losses if loss.name == "behind the gate"]
    assert why in note.text
    assert not any("--as" in one for one in commands(plain.text))


def test_a_hook_that_works_there_is_translated(write: Any, converted: Any) -> None:
    write(SETTINGS, settings("PreToolUse", "jq -e .tool_input.command && { echo no >&2; exit 2; } || true", "Bash"))

    assert "--as" not in converted("claude", "gemini", plain=False).text


def test_a_guard_that_can_only_be_dead_is_not_written(write: Any, converted: Any) -> None:
    """That agent does not call `tenter run`, so nothing can stand before the command."""
    said = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}
    write("guard.sh", f"#!/bin/sh\necho '{json.dumps({'hookSpecificOutput': said})}'\n").chmod(0o755)
    write(SETTINGS, settings("PreToolUse", "./guard.sh", "Bash"))
    made = converted("claude", "massgen", plain=False)

    assert made.converted == 0
    assert any("it would be a dead guard there" in loss.text for loss in made.losses)
    assert converted("claude", "massgen").converted == 1


def test_the_proof_goes_through_the_gate(write: Any, converted: Any) -> None:
    """A refusal without a word is obeyed there, and without the gate it is not."""
    write(SETTINGS, settings("PreToolUse", "exit 2", "Bash"))
    case = "exit 2 without a word"
    plain = {one.case: one for one in converted("claude", "gemini").differences}
    made = {one.case: one for one in converted("claude", "gemini", plain=False).differences}

    assert plain[case].after == "goes on"
    assert case not in made
    assert "permissionDecision deny with a reason" not in made


def test_what_is_written_refuses_in_the_other_agent(write: Any, converted: Any, tmp_path: Path) -> None:
    write("guard.sh", "grep -q 'push --force' && exit 2\nexit 0\n")
    write(SETTINGS, settings("PreToolUse", 'sh "$CLAUDE_PROJECT_DIR"/guard.sh', "Bash"))
    [line] = commands(converted("claude", "codex", plain=False).text)
    given = next(one for one in recorded.of_event("codex", "PreToolUse") if "command" in str(one))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    for command, refused in (("git push --force", True), ("git push", False)):
        event = {**given, "tool_input": {"command": command}, "cwd": str(tmp_path), "tool_use_id": command}
        ran = subprocess.run(
            ["sh", "-c", line],
            input=json.dumps(event),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"PATH": path, "HOME": str(tmp_path), "TENTERHOOK_SERVE": "off"},
            timeout=60,
            check=False,
        )
        did = Did(exit_code=ran.returncode, stdout=ran.stdout, stderr=ran.stderr)
        assert simulate(dialects.get("codex"), "PreToolUse", [did]).blocked == refused, ran

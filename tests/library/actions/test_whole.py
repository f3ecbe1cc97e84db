"""From `tenter init` to the last report: an agent of Claude Code's kind, in a folder whose name a shell would run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import STRANGE
from tenterhook import Engine

from .conftest import TENTER, Approve

WRAPPER = '"\\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-agent-hook.sh\\" {action}"'
AGENT = f"""---
name: manager-tdd
description: writes tests first
hooks:
  PreToolUse:
    - matcher: "Write|Edit"
      hooks:
        - type: command
          command: {WRAPPER.format(action="tdd-pre-implementation")}
          timeout: 30
  PostToolUse:
    - matcher: "Write|Edit"
      hooks:
        - type: command
          command: {WRAPPER.format(action="tdd-post-implementation")}
          timeout: 30
  SubagentStop:
    hooks:
      - type: command
        command: {WRAPPER.format(action="tdd-completion")}
        timeout: 30
---
You write tests first.
"""
SOURCE = "def double(number):\n    return number * 2\n"
TEST = """import unittest

from app import double


class Doubled(unittest.TestCase):
    def test_two(self):
        self.assertEqual(double(2), 4)
"""


@pytest.fixture
def project(tmp_path: Path, approve: Approve, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / STRANGE
    folder.mkdir()
    done = subprocess.run(
        [str(TENTER), "init", "--dialect", "moai"], cwd=folder, capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    agents = folder / ".claude" / "agents" / "team"
    agents.mkdir(parents=True)
    (agents / "manager-tdd.md").write_text(AGENT)
    (folder / "tenterhook.toml").write_text("[actions]\nbudget = 30\n")
    return approve(folder)


def fire(project: Path, event: str, *, agent: str = "manager-tdd", **data: Any) -> Any:
    environ = {**os.environ, "HOME": str(project.parent)}
    with Engine(project, dialect="moai", trust="all", home=str(project.parent), environ=environ) as engine:
        outcome = engine.fire(event, session_id="s", agent_name=agent, **data)
    assert not list(project.parent.rglob("pwned"))
    assert [one.error for one in outcome.attempts if one.error] == []
    return outcome


def write(project: Path, name: str, text: str) -> dict[str, Any]:
    return {"tool_name": "Write", "tool_input": {"file_path": str(project / name), "content": text}}


@pytest.mark.req("CC-FM-frontmatter", "CC-FM-scope", "CC-ACT-command", "CC-WRAP-forward", "CC-CFG-env-paths")
def test_an_agents_own_hooks_lead_it_from_red_to_green(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project]\nname = 'sample'\nversion = '1'\n")

    before = fire(project, "PreToolUse", **write(project, "app.py", SOURCE))
    assert before.blocked
    assert "test_app.py" in before.reason

    test = write(project, "test_app.py", TEST)
    assert not fire(project, "PreToolUse", **test).blocked
    (project / "test_app.py").write_text(TEST)
    red = fire(project, "PostToolUse", **test, tool_output="written")
    assert any(one.to == "model" and "red" in one.text for one in red.messages)

    source = write(project, "app.py", SOURCE)
    assert not fire(project, "PreToolUse", **source).blocked
    (project / "app.py").write_text(SOURCE.replace("2", "3"))
    wrong = fire(project, "PostToolUse", **source, tool_output="written")
    assert wrong.decision == "deny"
    assert any(one.to == "model" and "test_two" in one.text for one in wrong.messages)

    (project / "app.py").write_text(SOURCE)
    green = fire(project, "PostToolUse", **source, tool_output="written")
    assert green.decision != "deny"
    assert any(one.to == "user" and "all pass" in one.text for one in green.messages)

    end = fire(project, "SubagentStop")
    assert any(one.to == "user" and "app.py" in one.text for one in end.messages)
    assert end.decision != "deny"


@pytest.mark.req("CC-FM-scope")
def test_another_agent_is_not_led(project: Path) -> None:
    outcome = fire(project, "PreToolUse", agent="expert-backend", **write(project, "app.py", SOURCE))

    assert not outcome.blocked
    assert len(outcome.attempts) == 1  # the guard of the project's settings, which is for everybody


@pytest.mark.req("CC-WRAP-init", "CC-CFG-settings", "CC-LOC-hooks-dir")
def test_the_settings_that_init_wrote_guard_everybody(project: Path) -> None:
    dangerous = fire(project, "PreToolUse", agent="", tool_name="Bash", tool_input={"command": "rm -rf ~"})
    harmless = fire(project, "PreToolUse", agent="", tool_name="Bash", tool_input={"command": "ls"})

    assert dangerous.blocked
    assert not harmless.blocked
    assert len(harmless.attempts) == 1


@pytest.mark.req("CC-WRAP-forward")
def test_at_the_start_the_agent_is_told_the_projects_commands(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project]\nname = 'sample'\nversion = '1'\n")
    (project / "test_app.py").write_text(TEST)

    outcome = fire(project, "SessionStart", agent="")

    assert any(one.to == "model" and "unittest" in one.text for one in outcome.messages)


@pytest.mark.req("CC-WRAP-locate", "CC-RULE-missing")
def test_without_the_program_nothing_is_said(project: Path, tmp_path: Path) -> None:
    """Somebody without tenterhook works in the same repository."""
    wrapper = project / ".claude" / "hooks" / "moai" / "handle-pre-tool.sh"
    text = wrapper.read_text()
    wrapper.write_text(text.replace(str(Path(sys.executable).parent), "/nowhere"))
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "CLAUDE_PROJECT_DIR": str(project)}
    event = json.dumps({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}})

    done = subprocess.run([str(wrapper)], input=event, env=environ, capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

"""How long an action may take: as long as the hook that calls it; and what is told where that was not enough."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tenterhook.library.actions import own_hook

from . import samples
from .conftest import TENTER
from .samples import Hook

ACTION = "ddd-pre-transformation"
SLOW = samples.UNITTESTS.replace("        self", "        import time; time.sleep(SECONDS)\n        self")
AGENT = """---
name: manager-ddd
hooks:
  PreToolUse:
    - matcher: "Write|Edit"
      hooks:
        - type: command
          command: "tenter hook agent ddd-pre-transformation{more}"
          timeout: {timeout}
---
"""


def project(at: Path, timeout: float, *, seconds: float = 5.0, more: str = "") -> Path:
    tests = SLOW.replace("SECONDS", str(seconds))
    agent = AGENT.format(timeout=timeout, more=more)
    return samples.put(at, {"app.py": samples.GOOD, "tests/test_app.py": tests, ".claude/agents/ddd.md": agent})


def called(root: Path, **more: str) -> subprocess.CompletedProcess[str]:
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(root), **samples.write(root, "app.py")}
    line = [str(TENTER), "hook", "agent", ACTION, "--dialect", "moai"]
    return subprocess.run(
        line, input=json.dumps({**event, **more}), capture_output=True, text=True, cwd=root, timeout=90
    )


def test_the_tests_have_the_time_that_their_hook_has(state: Path, tmp_path: Path) -> None:
    done = called(project(tmp_path, timeout=60))

    assert done.returncode == 0
    assert "ran 1 test of app.py" in done.stderr


def test_an_action_answers_before_its_hook_is_ended(state: Path, tmp_path: Path) -> None:
    done = called(project(tmp_path, timeout=2.5, seconds=60))

    assert done.returncode == 2
    assert re.search(r"did not finish within [01]\.\d s", done.stderr)


def test_the_command_that_is_told_runs_and_the_change_is_let_through_then(state: Path, tmp_path: Path) -> None:
    root = project(tmp_path / samples.FOLDER, timeout=3, seconds=4)
    refused = called(root)
    line = re.search(r"(?m)^  (printf .*)$", refused.stderr)
    assert line is not None
    ran = subprocess.run(["sh", "-c", line[1]], cwd=tmp_path, capture_output=True, text=True, timeout=90)
    again = called(root)
    samples.put(root, {"app.py": samples.BAD})
    changed = called(root)

    assert (refused.returncode, ran.returncode, again.returncode, changed.returncode) == (2, 0, 0, 2)
    assert "passed in this session, and no code was changed since" in again.stderr


def test_the_command_that_shows_the_rest_runs_where_the_agent_is(hook: Hook, tmp_path: Path) -> None:
    """With names so many that a line of usual length does not hold them."""
    files = {f"tests/test_of_many_things_that_have_a_long_name_{n}.py": samples.UNITTESTS for n in range(12)}
    root = samples.put(tmp_path / samples.FOLDER, {"app.py": samples.BAD, **files, "deep/x": ""})
    event = {"hook_event_name": "PostToolUse", "cwd": str(root / "deep"), **samples.write(root, "app.py")}

    answer = hook("ddd-post-transformation", event, "--project", str(root), project=root)
    line = re.search(r"\(see: (.*)\)$", answer.stderr.splitlines()[1])

    assert answer.code == 2
    assert line is not None
    shown = subprocess.run(["sh", "-c", line[1]], cwd=root / "deep", capture_output=True, text=True, timeout=60)
    assert "Ran 12 tests" in shown.stderr


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("tenter hook agent tdd-completion", "tdd-completion"),
        ('"/opt/my tools/tenter" hook agent tdd-completion --budget 9', "tdd-completion"),
        ('"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-agent-hook.sh" tdd-completion', "tdd-completion"),
        ('"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-post-tool.sh"', "post-tool"),
        ("tenter hook tool.after", "tool.after"),
        ("tenter fire PreToolUse", ""),
        ("make test", ""),
    ],
)
def test_a_hook_is_known_by_its_command(command: str, word: str) -> None:
    assert own_hook.word_in(command) == word

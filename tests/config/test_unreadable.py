"""One agent's file that is not strict YAML: its hooks fail, closed where they guard, and all others run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Project

TENTER = Path(sys.executable).with_name("tenter")
TOOL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
BROKEN = """---
name: reviewer
description: Use this agent when: the user asks for a review
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: touch reviewed
  SubagentStop:
    - hooks:
        - type: command
          command: touch stopped
---
You review.
"""
WHOLE = BROKEN.replace("reviewer", "writer").replace("when: the", "when the").replace("reviewed", "written")


@pytest.fixture
def agents(project: Project) -> Project:
    project.write(".claude/agents/reviewer.md", BROKEN)
    project.write(".claude/agents/writer.md", WHOLE)
    entry = {"hooks": [{"type": "command", "command": "touch general"}]}
    project.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [entry]}}))
    return project


@pytest.mark.req("CC-FM-frontmatter", "CC-FM-scope")
@pytest.mark.parametrize("dialect", ["moai", "claude"])
@pytest.mark.parametrize(("agent", "made"), [("", ["general"]), ("writer", ["general", "written"])])
def test_the_hooks_of_other_files_run(agents: Project, dialect: str, agent: str, made: list[str]) -> None:
    outcome = agents.fire(dialect, "PreToolUse", TOOL, agent=agent)

    assert outcome.decision == "none"
    assert [name for name in ("general", "written", "reviewed") if agents.has(name)] == made


@pytest.mark.req("CC-FM-frontmatter", "CC-FM-scope")
@pytest.mark.parametrize("dialect", ["moai", "claude"])
def test_the_hooks_of_the_file_itself_fail_closed_where_they_guard(agents: Project, dialect: str) -> None:
    with agents.engine(dialect, agent="reviewer") as engine:
        guarded = engine.fire("PreToolUse", **TOOL)
        stopped = engine.fire("SubagentStop", agent_type="reviewer")

    assert guarded.decision == "deny"
    assert "reviewer.md:3" in guarded.reason
    assert agents.has("general")
    assert (stopped.blocked, [one.error for one in stopped.attempts]) == (False, ["spawn"])
    assert not agents.has("reviewed")


@pytest.mark.parametrize(
    "text", [BROKEN.replace("PreToolUse", "Pre ToolUse").replace("SubagentStop", "x"), "---\nhooks: [\n---\n"]
)
def test_a_file_that_names_no_event_guards_them_all(project: Project, text: str) -> None:
    project.write(".claude/agents/reviewer.md", text)

    assert project.fire("claude", "PreToolUse", TOOL, agent="reviewer").decision == "deny"
    assert project.fire("claude", "PreToolUse", TOOL).decision == "none"


def test_approved_hooks_whose_file_breaks_are_modified(project: Project) -> None:
    """A project's file that was approved before it was broken: it does not run, and it is not silently gone."""
    from tenterhook.tools.approve import decide

    project.write(".claude/agents/reviewer.md", BROKEN.replace("when: the", "when the"))
    found = decide.look(project.root, home=project.home_folder, environ=project.environ())
    decide.approve(found, decide.approvable(found.standings), found.gone)
    assert project.fire("claude", "PreToolUse", TOOL, agent="reviewer", trust="ask").decision == "none"
    project.write(".claude/agents/reviewer.md", BROKEN)
    outcome = project.fire("claude", "PreToolUse", TOOL, agent="reviewer", trust="ask")

    assert (outcome.decision, [one.error for one in outcome.attempts]) == ("ask", ["modified"])


def test_check_names_file_and_line(agents: Project) -> None:
    done = subprocess.run(
        [str(TENTER), "check", "--dialect", "claude"], cwd=agents.root, env=agents.environ(), text=True,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode != 0
    assert "reviewer.md:3" in done.stdout + done.stderr


MASSGEN = """
hooks:
  PreToolUse:
    - handler: {handler}
      fail_closed: {closed}
"""


@pytest.mark.parametrize(("closed", "decision"), [("true", "deny"), ("false", "none")])
@pytest.mark.parametrize("handler", ["hooks/broken.sh", "rules.check"])
def test_fail_closed_of_massgens_files_counts(project: Project, handler: str, closed: str, decision: str) -> None:
    project.script("hooks/broken.sh", "exit 7\n")
    project.write("rules.py", "def check(event):\n    raise RuntimeError('broken')\n")
    project.write("massgen.yaml", MASSGEN.format(handler=handler, closed=closed))
    outcome = project.fire("massgen", "PreToolUse", TOOL)

    assert outcome.decision == decision
    assert not outcome.warnings or "unknown" not in str(outcome.warnings)

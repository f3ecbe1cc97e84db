"""A project with our config, and an agent that calls `tenter run` in it as agents do: a process, an event on stdin."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tenterhook import Outcome, dialects
from tenterhook.dialects import recorded
from tenterhook.engine.simulate import Did, simulate

# The event before a tool, by agent; and the agents that name it on stdin.
BEFORE = {
    "claude": "PreToolUse",
    "codex": "PreToolUse",
    "qwen": "PreToolUse",
    "gemini": "BeforeTool",
    "copilot": "preToolUse",
}
TELL_EVENT = ("claude", "codex", "qwen", "gemini")

GUARD = """\
from tenterhook import hook


@hook("tool.before", match="shell")
def no_force_push(event, branch="main"):
    if "push --force" in event.command:
        return hook.deny(f"no forced push to {branch}")
    if event.command == "build":
        return hook.rewrite(command="make build")
    if event.command == "status":
        return hook.context("the tree is clean")


@hook("turn.stop")
def tests_first(event):
    if not event.stop_active:
        return hook.deny("run the tests first")
"""


class Reply(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


class Agent:
    """Calls the command in a project, with a home of its own."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home = folder, home
        self.env: dict[str, str] = {}

    def environ(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, "HOME": str(self.home), "TENTERHOOK_SERVE": "off", **self.env}

    def tenter(self, *words: str, given: str = "") -> Reply:
        done = subprocess.run(
            [sys.executable, "-m", "tenterhook", *words],
            input=given,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environ(),
            timeout=60,
            check=False,
        )
        return Reply(done.returncode, done.stdout, done.stderr)

    def call(self, *words: str, agent: str = "claude", **event: Any) -> Reply:
        named = ["--agent", agent] if agent else []
        return self.tenter("run", *named, *words, given=json.dumps(event))

    def bash(self, command: str, *words: str, agent: str = "claude", event: str = "", **more: Any) -> Reply:
        """A call of this agent's shell, as it was recorded, with another command."""
        name = event or BEFORE[agent]
        given = next(one for one in recorded.of_event(agent, name) if "command" in str(one))
        key = "toolArgs" if "toolArgs" in given else "tool_input"
        named = () if agent in TELL_EVENT else ("--event", name)
        own = {"tool_use_id": os.urandom(6).hex()} if "tool_use_id" in given else {}
        said = {**given, key: {**given[key], "command": command}, "cwd": str(self.folder), **own, **more}
        return self.call(*named, *words, agent=agent, **said)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def journal(self, *words: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.tenter("log", "--json", *words).out.splitlines()]


def obeyed(agent: str, event: str, reply: Reply) -> Outcome:
    """What the agent makes of a reply, by its dialect."""
    return simulate(dialects.get(agent), event, [Did(exit_code=reply.code, stdout=reply.out, stderr=reply.err)])


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    for name in ("project", "home"):
        (tmp_path / name).mkdir()
    one = Agent(tmp_path / "project", tmp_path / "home")
    one.write("guard.py", GUARD)
    one.write("tenterhook.toml", '[[hook]]\nuse = "guard.py"\n')
    return one


@pytest.fixture
def approved(agent: Agent) -> Agent:
    assert agent.tenter("trust", "--yes").code == 0
    return agent

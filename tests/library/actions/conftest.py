"""Actions called as a function, and as the real command that an agent calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tenterhook.author import callers
from tenterhook.library import actions
from tenterhook.library.actions import reading, settings
from tenterhook.library.actions.answers import ActionAnswer
from tenterhook.tools.approve import decide

TENTER = Path(sys.executable).with_name("tenter")
SECONDS = 60.0

Approve = Callable[[Path], Path]


class Answered:
    """What a call of the command gave back."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.stdout) if self.stdout.strip() else {}


class Acted:
    """What an action answered, with what it tells the user and the model as one text each."""

    def __init__(self, answer: ActionAnswer) -> None:
        self.decision, self.reason, self.note = answer.decision, answer.reason, answer.note
        self.message, self.context = "\n".join(answer.notices), "\n".join(answer.contexts)


Act = Callable[..., Acted]


@pytest.fixture
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of this test's own for what is kept between calls; and no hook around us."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    monkeypatch.delenv("TENTERHOOK_DEPTH", raising=False)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("VIRTUAL_ENV", str(Path(sys.executable).parent.parent))
    return folder


@pytest.fixture
def approve(state: Path) -> Callable[[Path], Path]:
    """`approve(root)`: as `tenter trust --yes` does, for settings that loosen something."""

    def yes(root: Path) -> Path:
        found = decide.look(root)
        decide.approve(found, decide.approvable(found.standings))
        return root

    return yes


@pytest.fixture
def act(tmp_path: Path, state: Path) -> Act:
    """`act("tdd-completion", tool_input={...})`: the action in this process, over the project in tmp_path."""

    def call(name: str, *, project: Path = tmp_path, seconds: float = SECONDS, **data: Any) -> Acted:
        kind = actions.action(name).kind if name not in actions.MOMENTS else name
        function = actions.function_at(name) if name in actions.MOMENTS else actions.function_of(name)
        assert function is not None
        given = reading.flatten({"cwd": str(project), "session_id": "s1", **data, "project_dir": str(project)})
        event = reading.event_of(given, kind, "", callers.load("moai"), {})
        event.begin(seconds)
        return Acted(function(event, settings.load(str(project))))

    return call


@pytest.fixture
def hook(tmp_path: Path, state: Path) -> Callable[..., Answered]:
    """`hook("tdd-completion", event)`: the real command with the event on its stdin."""

    def call(
        name: str,
        event: Mapping[str, Any] | str | bytes,
        *words: str,
        project: Path = tmp_path,
        env: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> Answered:
        line = [name] if name in {*actions.MOMENTS, *actions.WRAPPED} else ["agent", name]
        given = json.dumps(event) if isinstance(event, Mapping) else event
        done = subprocess.run(
            [str(TENTER), "hook", *line, "--budget", str(seconds), *words],
            input=given.encode() if isinstance(given, str) else given,
            capture_output=True,
            cwd=project,
            env={**os.environ, **(env or {})},
            timeout=SECONDS * 2,
        )
        text = subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
        return Answered(text)

    return call


@pytest.fixture
def nested() -> Callable[..., dict[str, Any]]:
    """An event in the nested form that agents' wrappers may send."""

    def make(action: str, project: Path, tool: str = "", input: Any = None, output: Any = None) -> dict[str, Any]:
        known = actions.action(action)
        event = {"tool.before": "PreToolUse", "tool.after": "PostToolUse", "agent.stop": "SubagentStop"}[known.kind]
        return {
            "eventType": event,
            "toolName": tool,
            "toolInput": input,
            "toolOutput": output,
            "session": {"id": "sess-123", "cwd": str(project), "projectDir": str(project)},
            "data": {"agent": known.agent, "action": action},
        }

    return make

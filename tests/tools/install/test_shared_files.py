"""GitHub Copilot CLI reads `.claude/settings.json`, too: what is installed there for Claude Code works in both."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from tenterhook.engine.engine import Engine
from tenterhook.testing import NOTHING_RUNS
from tenterhook.tools.install import change
from tenterhook.tools.install.canary import AgentRunner
from tenterhook.tools.install.command_line import CommandLine
from tenterhook.tools.install.editing.edit import join_argv
from tenterhook.types import Outcome

from .conftest import Call

if TYPE_CHECKING:
    from tenterhook.engine.runner import Runner

HOOKS = """\
from tenterhook import hook


@hook("tool.before", match="shell")
def guard(event):
    if "push --force" in event.command:
        return hook.deny(f"not in {event.agent}")
    if "old" in event.command:
        return hook.rewrite(command="new")


@hook("session.start", "prompt.submit", "tool.after")
def tells(event):
    return hook.context(f"{event.kind} in {event.agent}")
"""
FILE = ".claude/settings.json"
BOTH = pytest.mark.parametrize("agent", ["claude", "copilot"])


@pytest.fixture
def guard(project: Path) -> str:
    (project / "guard.py").write_text(HOOKS)
    return "guard.py"


def happen(agent: str, event: str, **data: Any) -> Outcome:
    """The event in an agent that reads the project's files; nothing of another agent is in its environment."""
    with Engine(".", dialect=agent, trust="all", supervisor="off", warm=False, **NOTHING_RUNS) as engine:
        engine.runner = cast("Runner", AgentRunner())
        return engine.fire(event, **data)


def call(agent: str, command: str) -> dict[str, Any]:
    return {"tool_name": {"claude": "Bash", "copilot": "bash"}[agent], "tool_input": {"command": command}}


@BOTH
def test_both_agents_obey_the_hooks(tenter: Call, guard: str, agent: str) -> None:
    assert tenter("install", "--agent", "claude", guard, "--yes").code == 0
    passed, refused, changed = (
        happen(agent, "PreToolUse", **call(agent, command)) for command in ("ls", "git push --force", "old")
    )

    assert (passed.blocked, passed.attempts[0].error) == (False, None)
    assert (refused.blocked, refused.reason) == (True, f"not in {agent}")
    assert changed.changes == {"input": {"command": "new"}}


@BOTH
@pytest.mark.parametrize(
    ("event", "kind", "data"),
    [
        ("SessionStart", "session.start", {"source": "startup"}),
        ("UserPromptSubmit", "prompt.submit", {"prompt": "hello"}),
        ("PostToolUse", "tool.after", {"tool_output": "x"}),
    ],
)
def test_both_agents_tell_the_model(
    tenter: Call, guard: str, agent: str, event: str, kind: str, data: dict[str, Any]
) -> None:
    tenter("install", "--agent", "claude", guard, "--yes")
    seen = happen(agent, event, **data, **(call(agent, "ls") if kind == "tool.after" else {}))

    assert [message.text for message in seen.messages if message.to == "model"] == [f"{kind} in {agent}"]


def test_a_list_of_words_beside_a_command_is_not_read_by_copilot_which_then_refuses_everything(
    tenter: Call, guard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_words(tenter, guard, monkeypatch)
    seen = happen("copilot", "PreToolUse", **call("copilot", "ls"))

    assert seen.blocked
    assert not happen("claude", "PreToolUse", **call("claude", "ls")).blocked
    assert "args has no effect" in tenter("check", "--dialect", "copilot").out


@pytest.mark.parametrize("recorded", [True, False])
def test_an_install_of_an_earlier_version_gives_way_to_one_that_both_can_read(
    tenter: Call, guard: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: bool
) -> None:
    install_words(tenter, guard, monkeypatch)
    if not recorded:
        next((tmp_path / "home/.local/state/tenterhook/installs").iterdir()).unlink()
    assert tenter("install", "--agent", "claude", guard, "--yes").code == 0

    hooks = json.loads(Path(FILE).read_text())["hooks"]
    assert all("args" not in hook for groups in hooks.values() for group in groups for hook in group["hooks"])
    assert [len(groups) for groups in hooks.values()] == [1] * len(hooks)
    assert not happen("copilot", "PreToolUse", **call("copilot", "ls")).blocked


def install_words(tenter: Call, guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As earlier versions did it: the words in a list of their own."""
    made = change.hook

    def hook(target: Any, event: Any, line: Any, timeout: Any) -> dict[str, Any]:
        return {**made(target, event, line, timeout), "command": line.program, "args": line.argv()}

    with monkeypatch.context() as patched:
        patched.setattr(change, "hook", hook)
        patched.setattr(CommandLine, "text", lambda line: join_argv(line.argv()))
        tenter("install", "--agent", "claude", guard, "--yes")
    assert '"args"' in Path(FILE).read_text()


@pytest.mark.parametrize("recorded", [True, False])
def test_an_agent_that_shares_from_now_on_loses_the_entries_of_an_earlier_install(
    tenter: Call, guard: str, tmp_path: Path, recorded: bool
) -> None:
    own = Path(".github/hooks/tenterhook.json")
    tenter("install", "--agent", "copilot", guard, "--yes")
    if not recorded:
        for record in (tmp_path / "home/.local/state/tenterhook/installs").iterdir():
            record.unlink()
    shown = tenter("install", "--agent", "claude,copilot", "--dry-run")
    assert f"GitHub Copilot CLI: {own}: its own entries are taken out, else its hooks would run twice" in shown.out
    assert own.exists()
    done = tenter("install", "--agent", "claude,copilot", "--yes")

    assert done.code == 0, done
    assert "tenter run" not in (own.read_text() if own.exists() else "")
    assert own.exists() != recorded
    refused = happen("copilot", "PreToolUse", **call("copilot", "git push --force"))
    assert (refused.blocked, len(refused.attempts)) == (True, 1)
    again = tenter("install", "--agent", "claude,copilot", "--yes")
    assert "are taken out" not in again.out
    assert tenter("uninstall", "--yes").code == 0
    assert not Path(FILE).exists()


def test_two_agents_of_one_file_share_it_although_the_other_one_was_connected_first(tenter: Call, guard: str) -> None:
    tenter("install", "--agent", "moai", guard, "--yes")
    done = tenter("install", "--agent", "claude,moai", "--yes")

    assert done.code == 0, done
    commands = [
        hook["command"]
        for groups in json.loads(Path(FILE).read_text())["hooks"].values()
        for group in groups
        for hook in group["hooks"]
    ]
    assert {command.rpartition("--agent ")[2] for command in commands} == {"claude"}
    assert tenter("uninstall", "--yes").code == 0
    assert not Path(FILE).exists()

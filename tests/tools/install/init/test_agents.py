"""Each agent's own wrappers and config: what init wrote is read by the engine, and its hooks run."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tenterhook import Engine, dialects
from tenterhook.cli.main import main
from tenterhook.tools.install.init.install import setup_of

from .conftest import SYSTEM, Init, fake, fire, write

NAMES = ["amcp", "llxprt", "massgen", "moai", "tenterhook", "wave"]
MOMENTS = {
    "session-start": ("session.start", {"source": "startup"}),
    "compact": ("compact.before", {"trigger": "auto"}),
    "pre-tool": ("tool.before", {"tool": "Write"}),
    "post-tool": ("tool.after", {"tool": "Edit"}),
    "stop": ("turn.stop", {}),
}
CASES = [(name, wrapper.calls) for name in NAMES for wrapper in setup_of(dialects.get(name)).wrappers if wrapper.event]


def happening(dialect: str, call: str, tool: str = "") -> tuple[str, dict[str, Any]]:
    """The event behind a wrapper, with data that its hook is for."""
    event, data = MOMENTS[call]
    called = tool or data.get("tool")
    if not called:
        return event, data
    name = dialects.get(dialect).tools.names[called].name
    return event, {"tool_name": name, "tool_input": {"file_path": "a.py"}, "tool_output": "done"}


@pytest.mark.req("CC-WRAP-init", "CC-WRAP-forward")
@pytest.mark.parametrize(("name", "call"), CASES)
def test_the_hook_of_each_event_reaches_the_program(name: str, call: str, init: Init, tmp_path: Path) -> None:
    init("--dialect", name)
    tenter = fake(tmp_path / "bin")
    event, data = happening(name, call)
    code, outcome = fire(name, event, data, path=f"{tenter.folder}:{SYSTEM}")

    assert tenter.args == ["hook", call, "--dialect", name]
    assert isinstance(json.loads(tenter.stdin), dict)
    assert [(one["exit_code"], one["error"]) for one in outcome["attempts"]] == [(0, None)]
    assert (code, outcome["warnings"], outcome["decision"]) in [(0, [], "none"), (0, [], "allow")]


@pytest.mark.req("CC-WRAP-forward")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tool", ["Write", "Edit", "Bash"])
def test_a_refusal_of_the_program_blocks_the_tool(name: str, tool: str, init: Init, tmp_path: Path) -> None:
    init("--dialect", name)
    tenter = fake(tmp_path / "bin", code=2)
    code, outcome = fire(name, *happening(name, "pre-tool", tool), path=f"{tenter.folder}:{SYSTEM}")

    assert (code, outcome["blocked"], outcome["reason"]) == (2, True, "a word")


@pytest.mark.parametrize("name", NAMES)
def test_other_tools_are_left_alone(name: str, init: Init, tmp_path: Path) -> None:
    init("--dialect", name)
    tenter = fake(tmp_path / "bin", code=2)
    code, outcome = fire(name, *happening(name, "pre-tool", "Read"), path=f"{tenter.folder}:{SYSTEM}")

    assert (code, outcome["attempts"]) == (0, [])
    assert not tenter.called


@pytest.mark.parametrize("name", NAMES)
def test_the_config_is_clean_and_every_entry_has_its_time_out_and_script(name: str, init: Init) -> None:
    init("--dialect", name)
    dialect = dialects.get(name)
    unit = 1000 if dialect.config.unit == "milliseconds" else 1
    with Engine(".", dialect=name, trust="all") as engine:
        found = {hook.event: hook for hook in engine.hooks()}

    assert main(["check", "--dialect", name, "--strict"]) == 0
    wanted = [one for one in setup_of(dialect).wrappers if one.event]
    assert set(found) == {one.event for one in wanted}
    for one in wanted:
        assert (found[one.event].timeout, found[one.event].matcher) == (one.timeout / unit, one.matcher or None)


@pytest.mark.parametrize("name", NAMES)
def test_the_wrappers_can_be_run_by_whom_the_umask_allows(name: str, init: Init) -> None:
    mask = os.umask(0o027)
    try:
        init("--dialect", name)
    finally:
        os.umask(mask)
    setup = setup_of(dialects.get(name))

    assert all((Path(setup.folder) / one.script).stat().st_mode & 0o777 == 0o750 for one in setup.wrappers)


@pytest.mark.req("CC-WRAP-init", "CC-LOC-hooks-dir")
def test_the_scripts_and_settings_of_claude_code_are_those_of_the_document(init: Init) -> None:
    """And `Monitor`, which came later: it is given a command as Bash is."""
    init("--dialect", "moai")
    names = ["session-start", "compact", "pre-tool", "post-tool", "stop", "agent-hook"]
    settings = json.loads(Path(".claude/settings.json").read_text())

    def entry(name: str, timeout: int, **group: str) -> list[dict[str, Any]]:
        command = f'"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-{name}.sh"'
        return [{**group, "hooks": [{"type": "command", "command": command, "timeout": timeout}]}]

    assert {path.name for path in Path(".claude/hooks/moai").glob("*.sh")} == {f"handle-{name}.sh" for name in names}
    assert settings == {
        "hooks": {
            "SessionStart": entry("session-start", 5),
            "PreCompact": entry("compact", 5),
            "PreToolUse": entry("pre-tool", 5, matcher="Write|Edit|Bash|Monitor"),
            "PostToolUse": entry("post-tool", 60, matcher="Write|Edit"),
            "Stop": entry("stop", 5),
        }
    }


AGENT = """---
name: manager-ddd
hooks:
  SubagentStop:
    hooks:
      - type: command
        command: "\\"$CLAUDE_PROJECT_DIR/.claude/hooks/moai/handle-agent-hook.sh\\" ddd-completion"
        timeout: 10
---
"""


@pytest.mark.req("CC-CFG-env-paths", "CC-WRAP-forward")
@pytest.mark.parametrize("folder", ["plain", 'it\'s "quoted" $(touch pwned)', "two\nlines"])
def test_an_agents_own_hook_reaches_the_program_with_its_action(folder: str, init: Init, tmp_path: Path) -> None:
    os.makedirs(folder)
    init("--dialect", "moai", "--project", folder)
    os.chdir(folder)
    write(".claude/agents/ddd.md", AGENT)
    tenter = fake(tmp_path / "bin")
    _, outcome = fire("moai", "agent.stop", {"agent_name": "manager-ddd"}, path=f"{tenter.folder}:{SYSTEM}")

    assert [one["exit_code"] for one in outcome["attempts"]] == [0]
    assert tenter.args == ["hook", "agent", "ddd-completion", "--dialect", "moai"]
    assert not Path("pwned").exists()


def test_an_agents_hook_before_a_tool_is_clean_too(init: Init) -> None:
    """Its wrapper says by exit 1 that no action was named; everything else is the program's own exit code."""
    init("--dialect", "moai")
    write(".claude/agents/ddd.md", AGENT.replace("SubagentStop", "PreToolUse"))

    assert main(["check", "--dialect", "moai", "--strict"]) == 0


def test_where_the_program_is_gone_the_agent_is_not_disturbed(init: Init, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenterhook.cli.commands.init.program", lambda: "/no/such/tenter")
    init("--dialect", "wave")
    code, outcome = fire("wave", *happening("wave", "pre-tool"), path=SYSTEM)

    assert (code, outcome["messages"]) == (0, [])
    assert [(one["exit_code"], one["stderr"]) for one in outcome["attempts"]] == [(0, "")]


@pytest.mark.req("CC-WRAP-init", "CC-WRAP-forward")
@pytest.mark.parametrize("name", NAMES)
def test_the_real_program_answers_behind_the_wrapper(name: str, init: Init) -> None:
    """What `tenter hook` thinks of the call is its own affair: it was reached, and did not complain."""
    init("--dialect", name)
    tool = dialects.get(name).tools.names["Bash"].name
    data = {"tool_name": tool, "tool_input": {"command": "echo hello"}}
    code, outcome = fire(name, "tool.before", data, path=f"{Path(sys.executable).parent}:{SYSTEM}")

    assert code == 0, outcome
    assert [(one["exit_code"], one["error"]) for one in outcome["attempts"]] == [(0, None)], outcome


def test_the_switch_is_part_of_the_change_where_an_agent_needs_one(init: Init) -> None:
    write(".llxprt/settings.json", '{\n  // mine\n  "theme": "dark"\n}\n')
    ran = init("--dialect", "llxprt")

    assert '+  "enableHooks": true,' in ran.out
    assert "without it LLxprt Code runs no hook" in ran.out


def test_a_switch_that_somebody_turned_off_stays_off(init: Init) -> None:
    write(".llxprt/settings.json", '{"enableHooks": false}')
    ran = init("--dialect", "llxprt")

    assert "enableHooks is False in .llxprt/settings.json, so LLxprt Code runs no hook" in ran.out
    assert '"enableHooks": false' in Path(".llxprt/settings.json").read_text()


def test_hooks_of_the_user_that_the_projects_entries_replace_are_named(init: Init, home: Path) -> None:
    write(str(home / ".config/amcp/hooks.toml"), '[[hooks.Stop.handlers]]\nname = "mine"\ncommand = "true"\n')
    ran = init("--dialect", "amcp", "--dry-run")

    assert "hooks.toml:1: 'mine' no longer runs for Stop here" in ran.out

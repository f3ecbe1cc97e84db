"""What hosts do with what only real agents have: a stop that comes after the tool, asks that nobody hears."""

import json
from typing import Any

import pytest

from tenterhook import Engine
from tenterhook.cli.main import main

ALONE: dict[str, Any] = {"files": False, "environ": {}, "home": "/", "journal": False, "sandbox": "off"}
STOP = {"continue": False, "stopReason": "enough"}


def decides(word: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word}}


@pytest.mark.parametrize(("mode", "ran"), [("faithful", ["ls"]), ("strict", [])])
def test_a_tool_runs_before_the_agent_stops_and_in_strict_mode_it_does_not(mode: str, ran: list[str]) -> None:
    engine = Engine(dialect="claude", mode=mode, **ALONE)
    engine.add("PreToolUse", lambda event: STOP)
    calls: list[str] = []
    bash = engine.tool("Bash")(lambda command: calls.append(command) or "done")
    result = bash(command="ls")

    assert calls == ran
    assert (result.stop, result.stop_reason) == (True, "enough")


def test_a_tool_whose_call_was_deferred_does_not_run() -> None:
    engine = Engine(dialect="claude", **ALONE)
    engine.add("PreToolUse", lambda event: decides("defer"))
    calls: list[str] = []
    result = engine.tool("Bash")(lambda command: calls.append(command))(command="ls")

    assert (calls, result.stop) == ([], True)


@pytest.mark.parametrize(("words", "code", "decision"), [((), 0, "ask"), (("--unattended",), 2, "deny")])
def test_the_command_says_what_an_ask_means_where_nobody_attends(
    project: Any, capsys: Any, monkeypatch: Any, words: tuple[str, ...], code: int, decision: str
) -> None:
    answer = json.dumps(decides("ask"))
    hook = {"type": "command", "command": f"echo '{answer}'"}
    project.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}))
    given = project.write("input.json", '{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
    monkeypatch.setenv("HOME", str(project.home_folder))
    place = ("--project", str(project.root), "--input", str(given), "--trust")

    assert main(["fire", "PreToolUse", "--dialect", "claude", *place, *words]) == code
    assert json.loads(capsys.readouterr().out)["decision"] == decision


def test_a_strict_engine_ends_what_the_agent_would_keep_going_for_ever() -> None:
    engine = Engine(dialect="codex", mode="strict", **ALONE)
    engine.add("Stop", lambda event: {"decision": "block", "reason": "go on"})
    with engine.session() as session:
        session.prompt("hi")

        assert [session.stop().goes_on for _ in range(10)] == [True] * 8 + [False] * 2

"""Hooks that call a tool of an MCP server: a real one, started for the call."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tenterhook.handlers.mcp_tool import fill_placeholders

SERVER = """
import json, sys
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("guard")


@server.tool()
def judge(command: str, tool: str = "") -> str:
    if command.startswith("rm"):
        return json.dumps({"decision": "block", "reason": f"{tool}: {command}"})
    if command == "fail":
        raise ToolError("out of order")
    return ""


server.run("stdio")
"""
CALL = {"tool_name": "Bash", "tool_input": {"command": "rm -r a"}}


def written(project: Any, *, hook: dict[str, Any] | None = None, home: bool = False) -> None:
    """A server of the project, or of the user, and a hook of the project that calls it."""
    script = project.write("server.py", SERVER)
    servers = json.dumps({"mcpServers": {"guard": {"command": sys.executable, "args": [str(script)]}}})
    (project.home if home else project.write)(".claude.json" if home else ".mcp.json", servers)
    entry = {"type": "mcp_tool", "server": "guard", "tool": "judge", **(hook or {})}
    entry.setdefault("input", {"command": "${tool_input.command}", "tool": "the tool ${tool_name}"})
    text = json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}})
    (project.home if home else project.write)(".claude/settings.json", text)


def test_a_tool_is_called_with_values_of_the_event_and_its_text_is_the_answer(project: Any) -> None:
    written(project)
    outcome = project.fire("claude", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.reason) == (True, "the tool Bash: rm -r a")


async def fired(engine: Any) -> Any:
    return await engine.afire("PreToolUse", **CALL)


def test_the_same_on_an_event_loop_and_with_a_server_of_the_users(project: Any) -> None:
    import asyncio

    written(project, home=True)

    assert asyncio.run(fired(project.engine("claude"))).blocked


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ({"server": "other"}, "no MCP server 'other'"),
        ({"tool": "other"}, "has no tool 'other'; it has: judge"),
        ({"input": {"command": "fail"}}, "out of order"),
        ({"timeout": 0.01}, "no answer within 0.01 s"),
    ],
)
def test_what_goes_wrong_is_a_failure_that_is_said(project: Any, hook: dict[str, Any], said: str) -> None:
    written(project, hook=hook)
    outcome = project.fire("claude", "PreToolUse", CALL)

    assert (outcome.blocked, outcome.success) == (False, False)
    assert any(said in warning for warning in outcome.warnings)


def test_a_hook_of_the_users_does_not_start_a_server_of_the_project(project: Any) -> None:
    """Nobody has approved what that server is."""
    written(project)
    text = (project.root / ".claude/settings.json").read_text()
    project.write(".claude/settings.json", "{}")
    project.home(".claude/settings.json", text)
    outcome = project.fire("claude", "PreToolUse", CALL)

    assert any("is the project's, and only a hook of the project may use it" in text for text in outcome.warnings)


def test_an_approval_is_bound_to_what_the_server_is(project: Any) -> None:
    from tenterhook.trust.approvals import binder_for

    written(project)
    engine = project.engine("claude")
    (hook,) = engine.hooks()
    bound = binder_for(engine.dialect, engine.project, engine.home, engine.environ).hook(hook)

    assert [Path(path).name for path in bound.parts] == [".mcp.json"]


PAYLOAD = {"a": {"b": 7, "c": None}, "t": "x"}


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("${a.b}", 7),
        ("${t}-${a.b}", "x-7"),
        ("${a}", {"b": 7, "c": None}),
        ("is ${a}", 'is {"b":7,"c":null}'),
        ("${none.here}", ""),
        ("[${none}]", "[]"),
        ({"k": ["${t}", 3]}, {"k": ["x", 3]}),
        ("$t", "$t"),
    ],
)
def test_placeholders_stand_for_values(given: Any, made: Any) -> None:
    assert fill_placeholders(given, PAYLOAD) == made

"""A deny cannot be lost: under a hook that denies everything no tool of the agent does anything, whoever calls it.

Every kind of tool is called, with the name that the dialect has for it: built-in ones, one of an MCP server, and all of
them again by a subagent where only the subagent itself is let through.
"""

import json
import sys
from typing import Any

import pytest

from conftest import Project
from tenterhook import dialects
from tenterhook.agent.tools import built_in
from tenterhook.clients.workspace.names import translate_tool_call
from tenterhook.clients.workspace.workspace import Workspace
from tenterhook.dialects.schema.vocabulary import TOOLS

from .agents import Run, call, run

DENY = """\
import json, sys
name = json.load(sys.stdin)["tool_name"]
if name != sys.argv[1]:
    print(f"{name} is denied", file=sys.stderr)
    sys.exit(2)
"""
SERVER = """\
from pathlib import Path
from mcp.server.mcpserver import MCPServer

server = MCPServer("maker")

@server.tool()
def make(name: str) -> str:
    Path(name).write_text("made by a server")
    return "made"

server.run("stdio")
"""
SECRET = "what stands in the file"


def command_hooks(event: str) -> Any:
    """Groups of commands, as three of the agents write them."""
    return lambda command: json.dumps(
        {"enableHooks": True, "hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}
    )


def told(command: str) -> str:
    """The same where stderr is lost, and the fields have other names."""
    answer = '{"permissionDecision": "deny", "permissionDecisionReason": "%s"}'
    return f"why=$(sed s/toolName/tool_name/ | {command} 2>&1) || printf '{answer}' \"$why\""


# The dialect's file and the hook in it, for a command.
CONFIG: dict[str, tuple[str, Any]] = {
    "moai": (".claude/settings.json", command_hooks("PreToolUse")),
    "wave": (".wave/settings.json", command_hooks("PreToolUse")),
    "llxprt": (".llxprt/settings.json", command_hooks("BeforeTool")),
    "amcp": (".amcp/hooks.toml", lambda command: f"[[hooks.PreToolUse.handlers]]\ncommand = {json.dumps(command)}\n"),
    "massgen": ("massgen.yaml", lambda command: "hooks: {PreToolUse: [{type: command, handler: deny.sh}]}\n"),
    "copilot": (
        ".github/hooks/deny.json",
        lambda command: json.dumps({"hooks": {"preToolUse": [{"bash": told(command)}]}}),
    ),
    "cursor": (
        ".cursor/hooks.json",
        lambda command: json.dumps({"version": 1, "hooks": {"preToolUse": [{"command": command}]}}),
    ),
    "tenterhook": (
        "tenterhook.toml",
        lambda command: f'[[hook]]\non = "tool.before"\ncommand = {json.dumps(command)}\n',
    ),
}
CALLS = {
    "Bash": {"command": "touch bash-ran"},
    "Read": {"file_path": "secret.txt"},
    "Write": {"file_path": "written.txt", "content": "x"},
    "Edit": {"file_path": "secret.txt", "old_string": SECRET, "new_string": "edited"},
    "Grep": {"pattern": "stands"},
    "Glob": {"pattern": "*.txt"},
    "Task": {"prompt": "look around"},
}


def prepared(project: Project, dialect: str, but: str = "") -> list[dict[str, Any]]:
    """The files of the project, and a call of every kind of tool."""
    project.write("deny.py", DENY)
    command = f"'{sys.executable}' deny.py '{but}'"
    project.script("deny.sh", f'cd "$(dirname "$0")" && exec {command}\n')
    file, config = CONFIG[dialect]
    project.write(file, config(command))
    project.write("secret.txt", SECRET)
    project.write("server.py", SERVER)
    servers = {"mcpServers": {"maker": {"command": sys.executable, "args": ["server.py"]}}}
    project.write(".mcp.json", json.dumps(servers))
    data = dialects.get(dialect)
    calls = [
        call(name, **input) for name, input in (translate_tool_call(tool, CALLS[tool], data) for tool in sorted(CALLS))
    ]
    return [*calls, call(data.tools.mcp_tool.format(server="maker", tool="make"), name="server-ran")]


def nothing_happened(project: Project, done: Run, calls: list[dict[str, Any]], agent: str | None) -> None:
    tools = [one for one in done.of("tool") if one.get("agent") == agent]
    assert [one["name"] for one in tools] == [one["name"] for one in calls]
    assert [(one["name"], one["ran"]) for one in tools] == [(one["name"], False) for one in calls]
    for one in tools:
        assert f"{one['name']} is denied" in one["result"]
        assert SECRET not in one["result"]
        assert "secret.txt" not in one["result"]
    assert project.read("secret.txt") == SECRET
    assert not [name for name in ("bash-ran", "written.txt", "server-ran") if project.has(name)]


def test_every_kind_of_tool_is_called_here() -> None:
    assert set(CALLS) == TOOLS


@pytest.mark.parametrize("dialect", CONFIG)
def test_nothing_runs_under_a_hook_that_denies_everything(project: Project, dialect: str) -> None:
    calls = prepared(project, dialect)

    done = run(project, dialect, calls, "I was told not to.", args=("--trust", "--yes"))

    assert done.code == 0, done.stderr
    nothing_happened(project, done, calls, None)
    assert not [one for one in done.of("model") if "agent" in one], "a subagent was started"


@pytest.mark.parametrize("dialect", CONFIG)
def test_nothing_runs_in_a_subagent_either(project: Project, dialect: str) -> None:
    task, input = translate_tool_call("Task", CALLS["Task"], dialects.get(dialect))
    calls = prepared(project, dialect, but=task)
    within = [one for one in calls if one["name"] != task]

    done = run(project, dialect, [call(task, **input)], within, "Not allowed.", "I see.", args=("--trust", "--yes"))

    assert done.code == 0, done.stderr
    nothing_happened(project, done, within, "agent-1")
    assert done.of("tool")[-1]["result"] == "Not allowed."


@pytest.mark.parametrize("dialect", CONFIG)
def test_without_the_hook_the_same_calls_do_run(project: Project, dialect: str) -> None:
    """Or the tests above would prove nothing."""
    calls = [
        one
        for one in prepared(project, dialect)
        if one["name"] != translate_tool_call("Task", {}, dialects.get(dialect))[0]
    ]
    (project.root / CONFIG[dialect][0]).unlink()

    done = run(project, dialect, calls, "Done.", args=("--trust", "--yes"))

    assert [one["name"] for one in done.of("tool") if not one["ran"]] == []
    assert project.read("server-ran") == "made by a server"
    assert project.read("secret.txt") == "edited"
    assert project.has("bash-ran")
    assert project.read("written.txt") == "x"


def test_every_built_in_tool_is_among_them(project: Project) -> None:
    ours = {one.name for one in built_in(Workspace(str(project.root)))}

    assert ours | {"Task"} == set(CALLS)

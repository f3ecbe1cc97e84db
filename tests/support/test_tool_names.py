"""A tool is the same tool by whatever name an agent calls it."""

from __future__ import annotations

import pytest

from tenterhook import dialects
from tenterhook.author import callers
from tenterhook.author.event import Event
from tenterhook.support.tool_names import TOOLS, fits, is_list, kind, names

# Our words for the tools that every dialect has a name for.
OURS = {
    "Bash": "shell",
    "Read": "read",
    "Write": "write",
    "Edit": "edit",
    "Grep": "search",
    "Glob": "glob",
    "Task": "subagent",
}


@pytest.mark.parametrize("dialect", dialects.names())
def test_every_dialects_names_for_its_tools_are_known(dialect: str) -> None:
    named = {one.name: OURS[tool] for tool, one in dialects.get(dialect).tools.names.items()}

    assert {name: kind(name) for name in named} == named


@pytest.mark.parametrize("dialect", dialects.names())
def test_the_tools_of_servers_are_known_by_server_and_tool(dialect: str) -> None:
    name = dialects.get(dialect).tools.mcp_tool.format(server="github", tool="create_issue")
    event = Event("tool.before", {"tool_name": name}, raw={}, between=callers.load(dialect)["between"])

    assert event.tool == "mcp"
    assert event.mcp
    assert event.mcp.tool == "create_issue"
    if "{server}" in dialects.get(dialect).tools.mcp_tool:
        assert event.mcp.server == "github"
        assert fits("mcp__github__.*", event.names())


@pytest.mark.parametrize(
    ("match", "fitting", "others"),
    [
        ("", ("Bash", "anything"), ()),
        ("*", ("Bash", "anything"), ()),
        ("shell", ("Bash", "Shell", "run_shell_command", "execute_command"), ("Read", "apply_patch")),
        ("Bash", ("bash", "Shell", "run_shell_command"), ("Write", "BashOutput")),
        ("Bash|Shell|run_shell_command", ("Bash", "execute_command"), ("Edit",)),
        ("Write, Edit", ("write_file", "replace", "apply_patch", "MultiEdit"), ("Read", "Bash")),
        ("Write", ("apply_patch", "create"), ("Edit", "replace")),
        ("mcp", ("mcp__github__create_issue", "MCP:create_issue"), ("Bash",)),
        ("mcp__github__.*", ("mcp__github__create_issue", "mcp_github_create_issue"), ("mcp__gitlab__x", "Bash")),
        ("^Bash$", ("run_shell_command",), ("Write",)),
        ("Notebook.+", ("NotebookEdit",), ("Bash",)),
        ("DeployTool", ("DeployTool",), ("deploytool", "DeployTools")),
    ],
)
def test_a_match_fits_every_name_of_a_tool(match: str, fitting: tuple[str, ...], others: tuple[str, ...]) -> None:
    def tool(name: str) -> Event:
        return Event("tool.before", {"tool_name": name}, raw={})

    assert [name for name in (*fitting, *others) if fits(match, tool(name).names())] == list(fitting)


def test_a_match_of_names_is_told_from_a_regular_expression() -> None:
    assert is_list("Bash|Edit, mcp__x__y-z")
    assert not is_list("mcp__.*")
    assert not is_list("^Bash")


def test_a_tool_that_nobody_knows_has_its_own_name_alone() -> None:
    assert kind("DeployTool") == "other"
    assert names("DeployTool") == ("DeployTool", "other")
    assert kind("") == ""


def test_no_name_stands_for_two_tools_but_those_that_do_both() -> None:
    known = [(name, ours) for ours, group in TOOLS.items() for name in group]
    twice = {name for name, _ in known if sum(other == name for other, _ in known) > 1}

    assert all({ours for other, ours in known if other == name} == {"edit", "write"} for name in twice)

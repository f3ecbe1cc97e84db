"""One moment for which an agent has several events: by kind all of them are fired, by name one."""

from typing import Any

import pytest
from msgspec.structs import replace

from tenterhook import Engine, dialects
from tenterhook.dialect import Dialect, Field, ToolName

ALONE: dict[str, Any] = {"files": False, "environ": {}, "home": "/", "journal": False, "sandbox": "off"}
WAVE = dialects.get("wave")


def split() -> Dialect:
    """An agent that asks of any tool, then of shells, then of servers' tools, each by its own payload."""
    (before,) = (rule for rule in WAVE.events if rule.kind == "tool.before")
    shell = replace(before, name="BeforeShell", tools=("Bash",), fields=(Field("command", "tool_input.command"),))
    server = replace(before, name="BeforeServer", tools=("mcp",))
    tools = {"Bash": ToolName("Shell")}
    others = tuple(rule for rule in WAVE.events if rule is not before)
    return replace(WAVE, events=(before, shell, server, *others), tools=tools, answers=())


def engine(**hooks: Any) -> Engine:
    made = Engine(dialect=split(), **ALONE)
    for event, function in hooks.items():
        made.add(event, function)
    return made


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("Shell", ["PreToolUse", "BeforeShell"]),
        ("Read", ["PreToolUse"]),
        ("mcp__a__b", ["PreToolUse", "BeforeServer"]),
    ],
)
def test_a_kind_fires_every_event_that_is_for_the_tool(tool: str, asked: list[str]) -> None:
    seen: list[str] = []
    names = ("PreToolUse", "BeforeShell", "BeforeServer")
    made = engine(**{name: lambda event, name=name: seen.append(name) for name in names})
    outcome = made.fire("tool.before", tool_name=tool, tool_input={"command": "ls"})

    assert seen == asked
    assert len(outcome.attempts) == len(asked)


def test_a_name_fires_that_event_alone() -> None:
    made = engine(PreToolUse=lambda event: None, BeforeShell=lambda event: None)

    assert len(made.fire("BeforeShell", tool_name="Shell", tool_input={"command": "ls"}).attempts) == 1


def test_each_event_has_a_payload_of_its_own() -> None:
    seen: list[dict[str, Any]] = []
    engine(BeforeShell=seen.append).fire("tool.before", tool_name="Shell", tool_input={"command": "ls"})

    assert seen[0]["command"] == "ls"
    assert "tool_input" not in seen[0]


def test_nobody_listens_where_no_event_of_the_moment_has_a_hook() -> None:
    assert not engine().listens("tool.before")
    assert engine(BeforeShell=lambda event: None).listens("tool.before")


def test_a_reload_of_hooks_reaches_the_moment_too() -> None:
    made = engine(PreToolUse=lambda event: None)
    made.fire("tool.before", tool_name="Shell", tool_input={})
    made.add("BeforeShell", lambda event: None)

    assert len(made.fire("tool.before", tool_name="Shell", tool_input={}).attempts) == 2

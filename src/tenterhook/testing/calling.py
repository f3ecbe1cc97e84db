"""A tool call in an agent's own words: `tool="write", file_path="a"` is write_file in one and create in another."""

from __future__ import annotations

from typing import Any

from tenterhook.author import tools
from tenterhook.dialect import Dialect

# Our words for tools, and the names under which dialects say what they call them.
NAMES = {
    "shell": "Bash",
    "read": "Read",
    "write": "Write",
    "edit": "Edit",
    "search": "Grep",
    "glob": "Glob",
    "subagent": "Task",
}
# What a test may give a tool by name.
INPUTS = {
    *("command", "description", "timeout", "file_path", "content", "old_string", "new_string", "replace_all"),
    *("pattern", "path", "glob", "url", "query", "subagent_type"),
}


def called(dialect: Dialect, data: dict[str, Any]) -> dict[str, Any]:
    """The event's data with `tool` and its inputs as this agent writes them; all else stays."""
    if "tool" not in data:
        return data
    tool = data["tool"]
    ours = NAMES.get(tools.kind(tool), "") or NAMES.get(tool, "")
    named = dialect.tools.get(ours)
    inputs = named.inputs if named else {}
    given = {inputs.get(name, name): value for name, value in data.items() if name in INPUTS}
    rest = {name: value for name, value in data.items() if name not in INPUTS and name != "tool"}
    name = named.name if named and (tool in NAMES or tools.kind(tool) in NAMES) else tool
    return {"tool_name": name, "tool_input": given, **rest}

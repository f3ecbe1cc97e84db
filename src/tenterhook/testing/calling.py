"""A tool call in an agent's own words: `tool="write", file_path="a"` is write_file in one and create in another."""

from __future__ import annotations

from functools import cache
from typing import Any

from tenterhook import dialects
from tenterhook.author import tools
from tenterhook.author.event import SUBJECTS
from tenterhook.dialect import Dialect
from tenterhook.payload import GIVEN
from tenterhook.vocabulary import BASE

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
# What is a tool's input, though events of some agents have a field of that name.
INPUTS = {
    *("command", "description", "timeout", "file_path", "content", "old_string", "new_string", "replace_all"),
    *("pattern", "path", "glob", "url", "query", "subagent_type", "edits"),
}


def called(dialect: Dialect, data: dict[str, Any]) -> dict[str, Any]:
    """The event's data with `tool` and its inputs as this agent writes them; all else stays."""
    if "tool" not in data:
        return data
    tool = data["tool"]
    ours = NAMES.get(tool) or NAMES.get(tools.kind(tool), "")
    about = fields() - INPUTS
    given = {name: value for name, value in data.items() if name not in about and name != "tool"}
    rest = {name: value for name, value in data.items() if name in about}
    if named := dialect.tools.get(ours):
        spelled = {named.inputs.get(name, name): value for name, value in given.items()}
        return {"tool_name": named.name, "tool_input": spelled, **rest}
    patches = next((name for name, others in dialect.aliases.items() if ours in others and "file_path" in given), "")
    if patches:
        return {"tool_name": patches, "tool_input": {"command": patch(**given)}, **rest}
    return {"tool_name": tool, "tool_input": given, **rest}


@cache
def fields() -> set[str]:
    """What an event itself may be given, by our names and by any agent's; all else is for its tool."""
    found = {*BASE, *SUBJECTS, *GIVEN.values()}
    for dialect in map(dialects.get, dialects.names()):
        every = [*dialect.base, *(field for rule in dialect.events for field in (*rule.base, *rule.fields))]
        found |= {name for field in every for name in (field.name, field.key)}
    return found


def patch(file_path: str, content: str = "", old_string: str = "", new_string: str = "", **more: Any) -> str:
    """A new file, or an edit of one, for an agent whose only tool for both takes a patch."""
    what = "Update" if old_string or new_string else "Add"
    lines = [f"-{line}" for line in old_string.splitlines()]
    lines += [f"+{line}" for line in (new_string or content).splitlines()]
    return "\n".join(("*** Begin Patch", f"*** {what} File: {file_path}", *lines, "*** End Patch"))

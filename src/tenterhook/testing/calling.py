"""A tool call in an agent's own words: write_file, create or a patch for `tool="write", file_path="a"`.

If calls of a real agent were recorded, its tools are taken from them; else from the dialect.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tenterhook import dialects
from tenterhook.author.agent_tools import NAMES as NAMES
from tenterhook.author.agent_tools import rename_tool_inputs
from tenterhook.author.agent_tools import tool_of as tool_of
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.dialects.schema.words import BASE
from tenterhook.errors import UsageError
from tenterhook.pipeline.payload import GIVEN

# Names that are part of a tool's input, although events of some agents have a field of that name.
INPUTS = {
    *("command", "description", "timeout", "file_path", "content", "old_string", "new_string", "replace_all"),
    *("pattern", "path", "glob", "url", "query", "subagent_type", "edits", "patch"),
}
OUTPUT = "tool_output"


def build_tool_call_data(dialect: Dialect, rule: EventRule, data: dict[str, Any]) -> dict[str, Any]:
    """The event's data with `tool` and its inputs as this agent writes them; all other fields stay."""
    if "tool" not in data:
        return data
    about = fields(rule.kind) - INPUTS
    given = {name: value for name, value in data.items() if name not in about and name != "tool"}
    rest = {name: value for name, value in data.items() if name in about and name != "tool"}
    tool = tool_of(dialect, data["tool"])
    if tool is None:
        raise UsageError(
            f"{dialect.title} tells its hooks of no tool {data['tool']!r}: it does that by its shell, or not at all; "
            f"agents(kind, tool={data['tool']!r}) lists those that do"
        )
    has_run = any(field.key == OUTPUT for field in rule.fields)
    output = {OUTPUT: tool.output} if has_run and tool.output is not None else {}
    return {"tool_name": tool.name, "tool_input": rename_tool_inputs(tool, given), **tool.beside, **output, **rest}


@cache
def fields(kind: str) -> set[str]:
    """The fields that an event of this kind may have, by our names and by any agent's; all others are for its tool."""
    found = {*BASE, *GIVEN.values()}
    for dialect in map(dialects.get, dialects.names()):
        rules = [rule for rule in dialect.events if rule.kind == kind]
        every = [*dialect.payload.base, *(field for rule in rules for field in (*rule.overrides.base, *rule.fields))]
        found |= {name for field in every for name in (field.name, field.key)}
    return found

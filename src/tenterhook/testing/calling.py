"""A tool call in an agent's own words: write_file, create or a patch for `tool="write", file_path="a"`.

If calls of a real agent were recorded, its tools are taken from them; else from the dialect.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Struct

from tenterhook import dialects
from tenterhook.author import inputs
from tenterhook.dialects import recorded
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.dialects.schema.words import BASE
from tenterhook.errors import UsageError
from tenterhook.pipeline.payload import GIVEN
from tenterhook.support import tool_names

# Our words for tools, and the names under which dialects list their own names for them.
NAMES = {
    "shell": "Bash",
    "read": "Read",
    "write": "Write",
    "edit": "Edit",
    "search": "Grep",
    "glob": "Glob",
    "subagent": "Task",
}
# Names that are part of a tool's input, although events of some agents have a field of that name.
INPUTS = {
    *("command", "description", "timeout", "file_path", "content", "old_string", "new_string", "replace_all"),
    *("pattern", "path", "glob", "url", "query", "subagent_type", "edits", "patch"),
}
OUTPUT = "tool_output"
# Tools that take a patch, by the last part of their names, for agents without recorded calls.
PATCHES = ("apply_patch", "patch")


class Tool(Struct, frozen=True):
    """One tool of an agent: its fields, as far as they are known, and the output of a recorded call.

    `patch` is the field that holds a patch; `text` means that the whole input is one. `beside` are fields of the
    payload.
    """

    name: str
    fields: tuple[str, ...] = ()
    renamed: dict[str, str] = {}
    patch: str = ""
    text: bool = False
    output: Any = None
    beside: dict[str, Any] = {}


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


def tool_of(dialect: Dialect, name: str) -> Tool | None:
    """The agent's tool of that name, or of that kind; None if the agent has none of that kind."""
    if served := tool_names.of_server(name):
        return of_server(dialect, *served)
    kind = name if name in tool_names.TOOLS else tool_names.kind(name)
    calls = recorded.tools(dialect.name)
    for call in calls:
        if call["tool"] == name:
            return tool_from_recorded_call(dialect, call)
    unrecorded = (*dialect.tools.further, *dialect.planning.aliases)
    if kind == tool_names.OTHER or name in unrecorded:
        return Tool(name)
    alike = [call for call in calls if tool_names.kind(call["tool"]) == kind]
    more = [call for call in calls if kind in tool_names.names(call["tool"])]
    for call in (*alike, *more):
        return tool_from_recorded_call(dialect, call)
    if kind not in NAMES and (others := [one for one in unrecorded if tool_names.kind(one) == kind]):
        return Tool(others[0])
    if calls:
        return None
    named = dialect.tools.names.get(NAMES.get(kind, ""))
    if named is None:
        return Tool(tool_names.TOOLS[kind][0] if name == kind else name)
    return Tool(named.name, renamed=named.inputs, patch="patch" if named.name in PATCHES else "")


def tool_from_recorded_call(dialect: Dialect, call: dict[str, Any]) -> Tool:
    """The tool of a recorded call."""
    given = call["input"]
    text = isinstance(given, str)
    patch = "" if text else next((name for name in given if inputs.patch({name: given[name]})), "")
    renamed = next((tool.inputs for tool in dialect.tools.names.values() if tool.name == call["tool"]), {})
    known = call.get("fields") or ([] if text else list(given))
    return Tool(call["tool"], tuple(known), renamed, patch, text, call.get("output"), call.get("beside", {}))


def of_server(dialect: Dialect, server: str, tool: str) -> Tool:
    """A tool of an MCP server, and the agent's fields about the server."""
    name = dialect.tools.mcp_tool.format(server=server, tool=tool)
    for call in recorded.tools(dialect.name):
        if found := tool_names.of_server(call["tool"], "-" if "{server}-" in dialect.tools.mcp_tool else ""):
            names = {found[0]: server, found[1]: tool}
            beside = {
                key: {
                    inner: names.get(value, value) if isinstance(value, str) else value for inner, value in one.items()
                }
                for key, one in call.get("beside", {}).items()
            }
            return Tool(name, output=call.get("output"), beside=beside)
    return Tool(name)


def rename_tool_inputs(tool: Tool, given: dict[str, Any]) -> Any:
    """The input under the tool's own names."""
    if tool.patch or tool.text:
        text = inputs.patch(given) or (patch(**given) if "file_path" in given else given.get(tool.patch or inputs.TEXT))
        return text or "" if tool.text else {tool.patch: text} if text else given
    found: dict[str, Any] = {}
    for name, value in given.items():
        own = tool.renamed.get(name) or (tool.fields and inputs.field_of(name, {}, tool.fields)) or name
        found[own] = value
    if "url" in found and tool.fields and "url" not in tool.fields and "prompt" in tool.fields:
        found["prompt"] = f"{found.get('prompt', '')} {found.pop('url')}".strip()
    return found


@cache
def fields(kind: str) -> set[str]:
    """The fields that an event of this kind may have, by our names and by any agent's; all others are for its tool."""
    found = {*BASE, *GIVEN.values()}
    for dialect in map(dialects.get, dialects.names()):
        rules = [rule for rule in dialect.events if rule.kind == kind]
        every = [*dialect.payload.base, *(field for rule in rules for field in (*rule.overrides.base, *rule.fields))]
        found |= {name for field in every for name in (field.name, field.key)}
    return found


def patch(file_path: str, content: str = "", old_string: str = "", new_string: str = "", **more: Any) -> str:
    """A new file, or an edit of one, for an agent whose tool takes a patch."""
    edits = bool(old_string or new_string)
    lines = [f"*** {'Update' if edits else 'Add'} File: {file_path}", *(["@@"] if edits else [])]
    lines += [f"-{line}" for line in old_string.splitlines()]
    lines += [f"+{line}" for line in (new_string or content).splitlines()]
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))

"""An agent's tools in its own words: its name for a tool of ours, its fields, the form of its patches.

If calls of a real agent were recorded, its tools are taken from them; else from the dialect.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tenterhook.author import inputs
from tenterhook.dialects import recorded
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.dialects.schema.vocabulary import TOOLS
from tenterhook.support import tool_names

# The names under which dialects list their own names for tools, by our words for them.
NAMES = {kind: names[0] for kind, names in tool_names.TOOLS.items() if names[0] in TOOLS}
# Tools that take a patch, by the last part of their names, for agents without recorded calls.
PATCHES = ("apply_patch", "patch")


class ToolFields(Struct, frozen=True):
    """One tool of an agent: its fields, as far as they are known, and the output of a recorded call.

    `patch` is the field that holds a patch; `text` means that the whole input is one. `beside` are fields of the
    payload. `input` and `output` are the recorded call's.
    """

    name: str
    fields: tuple[str, ...] = ()
    renamed: dict[str, str] = {}
    patch: str = ""
    text: bool = False
    input: Any = None
    output: Any = None
    beside: dict[str, Any] = {}


def tool_of(dialect: Dialect, name: str) -> ToolFields | None:
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
        return ToolFields(name)
    alike = [call for call in calls if tool_names.kind(call["tool"]) == kind]
    more = [call for call in calls if kind in tool_names.names(call["tool"])]
    for call in (*alike, *more):
        return tool_from_recorded_call(dialect, call)
    if kind not in NAMES and (others := [one for one in unrecorded if tool_names.kind(one) == kind]):
        return ToolFields(others[0])
    if calls:
        return None
    named = dialect.tools.names.get(NAMES.get(kind, ""))
    if named is None:
        return ToolFields(tool_names.TOOLS[kind][0] if name == kind else name)
    return ToolFields(named.name, renamed=named.inputs, patch="patch" if named.name in PATCHES else "")


def tool_from_recorded_call(dialect: Dialect, call: dict[str, Any]) -> ToolFields:
    """The tool of a recorded call."""
    given = call["input"]
    text = isinstance(given, str)
    patch = "" if text else next((name for name in given if inputs.patch({name: given[name]})), "")
    renamed = next((tool.inputs for tool in dialect.tools.names.values() if tool.name == call["tool"]), {})
    known = call.get("fields") or ([] if text else list(given))
    return ToolFields(
        call["tool"], tuple(known), renamed, patch, text, given, call.get("output"), call.get("beside", {})
    )


def of_server(dialect: Dialect, server: str, tool: str) -> ToolFields:
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
            return ToolFields(name, output=call.get("output"), beside=beside)
    return ToolFields(name)


def rename_tool_inputs(tool: ToolFields, given: dict[str, Any]) -> Any:
    """The input under the tool's own names."""
    if tool.patch or tool.text:
        text = inputs.patch(given) or (patch(**given) if "file_path" in given else given.get(tool.patch or inputs.TEXT))
        return text or "" if tool.text else {tool.patch: text} if text else given
    found: dict[str, Any] = {}
    for name, value in given.items():
        found[field_of_tool(tool, name)] = value
    if "url" in found and tool.fields and "url" not in tool.fields and "prompt" in tool.fields:
        found["prompt"] = f"{found.get('prompt', '')} {found.pop('url')}".strip()
    return found


def field_of_tool(tool: ToolFields, name: str) -> str:
    """The tool's own name for a field of ours; a field that it does not have keeps its name."""
    return tool.renamed.get(name) or (tool.fields and inputs.field_of(name, {}, tool.fields)) or name


def patch(file_path: str, content: str = "", old_string: str = "", new_string: str = "", **more: Any) -> str:
    """A new file, or an edit of one, for an agent whose tool takes a patch."""
    edits = bool(old_string or new_string)
    lines = [f"*** {'Update' if edits else 'Add'} File: {file_path}", *(["@@"] if edits else [])]
    lines += [f"-{line}" for line in old_string.splitlines()]
    lines += [f"+{line}" for line in (new_string or content).splitlines()]
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))

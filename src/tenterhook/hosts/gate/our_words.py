"""An agent's event as our own dialect writes it: the same tools with the same inputs, whichever agent called.

Changes go the other way field by field: see `author.inputs.edited_input`.
"""

from __future__ import annotations

from tenterhook import dialects
from tenterhook.author import inputs
from tenterhook.author.callers import CALLER
from tenterhook.author.inputs import COMMANDS, NEW, OLD, PATHS, WHOLE
from tenterhook.support import tool_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author.event import Event

DIALECT = dialects.DEFAULT
# Our dialect's names for tools, by their kinds: the first name of each.
TOOLS = {kind: names[0] for kind, names in tool_names.TOOLS.items()}
# The fields of each kind of tool that agents call differently; ours is the first of its group.
FIELDS = {
    "shell": (COMMANDS,),
    "read": (PATHS,),
    "write": (PATHS, WHOLE),
    "edit": (PATHS, WHOLE, NEW, OLD),
}
# Fields that only tell the user about a call: where a tool does not have one, nothing is lost without it.
REMARKS = frozenset(("description",))
# What the author's SDK and the payload of our dialect call differently.
RENAMED = {"session": "session_id", "transcript": "transcript_path"}
# What our engine adds itself.
DROPPED = ("event", "project")


class Wording:
    """The data that hooks are given.

    `ours` has our names for the tool's fields, by the hooks' names. `fixed` says why a change of the input cannot be
    carried back; empty if it can.
    """

    __slots__ = ("data", "fixed", "ours", "renamed")

    def __init__(self, data: dict[str, Any], ours: dict[str, str] | None = None, fixed: str = "") -> None:
        self.data, self.fixed = data, fixed
        self.ours = ours or {}
        self.renamed: dict[str, str] = {}

    def our_field(self, name: str) -> str:
        """Our name for a field that a hook changed or added."""
        return self.ours.get(name) or self.renamed.get(name, name)


def data_of(event: Event, forms: dict[str, Any]) -> dict[str, Any]:
    """The event's data for the engine."""
    data = {RENAMED.get(name, name): value for name, value in event.data.items() if name not in DROPPED}
    if event.tool_name:
        data["tool_name"] = tool_name(event)
    if "tool_input" in event.data:
        data["tool_input"] = tool_input(event)
    data[CALLER] = {"agent": event.agent, "event": event.name, "tool": event.tool_name}
    return data


def tool_name(event: Event) -> str:
    """Our name for the tool: `mcp__SERVER__TOOL` for one of a server; an unknown tool keeps its own."""
    served = event.mcp
    if served:
        return f"mcp__{served.server}__{served.tool}" if served.server else event.tool_name
    return TOOLS.get(event.tool, event.tool_name)


def tool_input(event: Event) -> Any:
    """The tool's input under our names; fields that we have no name for keep theirs."""
    given = event.data["tool_input"]
    if isinstance(given, str) and event.tool == "shell":
        return {"command": given}
    if not isinstance(given, dict):
        return given
    found = {our_field(name, event.tool, given): value for name, value in given.items()}
    if event.tool == "shell" and isinstance(found.get("command"), list):
        found["command"] = inputs.command(given)
    return found


def our_field(name: str, kind: str, given: dict[str, Any]) -> str:
    for group in FIELDS.get(kind, ()):
        if name in group:
            first = next(one for one in group if one in given)
            return group[0] if name == first and group[0] not in given else name
    return name


def changed_fields(before: Any, after: Any) -> dict[str, Any]:
    """The fields that differ, with their new values; None for those that are gone."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return {}
    changed = {name: value for name, value in after.items() if name not in before or before[name] != value}
    return changed | {name: None for name in before if name not in after}


def is_ours(name: str) -> bool:
    """Whether a tool's name is one of ours."""
    return name in TOOLS.values() or tool_names.of_server(name) is not None

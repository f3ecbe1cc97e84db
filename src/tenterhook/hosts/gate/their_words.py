"""An event for the hooks of another agent: its names for tools, their inputs and outputs, and the way back.

What cannot be said in one call of that agent's tools becomes several: a patch of three files is three edits for hooks
that know a tool for one file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.author import inputs
from tenterhook.author.agent_tools import ToolFields, field_of_tool, rename_tool_inputs, tool_of
from tenterhook.author.callers import CALLER
from tenterhook.hosts.gate.our_words import TOOLS, Wording
from tenterhook.support import tool_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.author.event import Event
    from tenterhook.dialects.schema.dialect import Dialect

# What the engine knows of every event.
ALWAYS = {"session_id", "cwd", "transcript_path", CALLER}
# Fields of the end of a turn that say the same thing.
LAST_TEXT = ("prompt_response", "last_assistant_message")
# The kinds of tools whose calls are about files.
ABOUT_FILES = ("read", "write", "edit")
# The fields of an input that an output may repeat.
REPEATED = (*inputs.PATHS, *inputs.WHOLE, *inputs.NEW, *inputs.OLD)
# The server of a tool, if the caller does not name it but the hooks' agent does.
UNKNOWN = "unknown"


class Translator:
    """Puts one event of a caller into the words of another agent's hooks."""

    def __init__(self, event: Event, caller: Dialect, dialect: Dialect) -> None:
        self.event, self.dialect = event, dialect
        own = next((one.inputs for one in caller.tools.names.values() if one.name == event.tool_name), {})
        self.callers_own = {theirs: ours for ours, theirs in own.items()}
        self.rules = dialect.rules(event.kind)

    def wordings(self, data: dict[str, Any]) -> Iterator[Wording]:
        """The event in their words, from the data in ours."""
        kept = self.known_fields(data)
        if not self.event.tool_name:
            yield Wording(kept)
            return
        for kind, given, fixed in self.calls(kept.get("tool_input")):
            tool = self.tool(kind)
            wording = self.input_of(tool, given, fixed)
            said = {"tool_name": tool.name, **tool.beside, "tool_input": wording.data}
            if "tool_output" in kept:
                said["tool_output"] = self.output_of(tool, kept["tool_output"], wording.data)
            wording.data = {**kept, **said}
            yield wording

    def known_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """The data without what the hooks' agent does not say at this event."""
        known = set(ALWAYS)
        for rule in self.rules:
            for field in (*(rule.overrides.base or self.dialect.payload.base), *rule.fields):
                known |= {field.name, field.key.partition(".")[0]}
            known.add(rule.target.field.partition(".")[0])
        known.discard("timestamp")  # each agent has its own form, and the engine knows the time
        more: dict[str, Any] = {}
        if self.event.kind in ("turn.stop", "agent.stop"):
            more = {"stop_hook_active": self.event.stop_active, "stop_count": int(self.event.stop_active)}
            text = next((data[name] for name in LAST_TEXT if name in data), None)
            more |= {} if text is None else dict.fromkeys(LAST_TEXT, text)
        kept = {name: value for name, value in {**more, **data}.items() if name in known}
        return {**kept, **{name: data[name] for name in ("tool_name", "tool_input", "tool_output") if name in data}}

    def calls(self, given: Any) -> Iterator[tuple[str, Any, str]]:
        """The calls that say the same: the tool by our name or the caller's, its input by our names.

        The last part says why a change cannot be carried back.
        """
        event = self.event
        own = event.tool_name
        if tool_names.kind(own) != event.tool:  # one tool does several things, by its input
            own = TOOLS.get(event.tool, own)
        if event.tool not in ABOUT_FILES or takes_patch(self.tool(own)):
            yield own, given, ""
            return
        fields = {inputs.TEXT: given} if isinstance(given, str) else given if isinstance(given, dict) else {}
        text = inputs.patch(fields)
        named = any(isinstance(fields.get(name), str) for name in inputs.PATHS)
        paths = () if named and not text else inputs.paths(fields, event.cwd)
        if text:
            yield from self.patched_files(text)
        elif paths:
            rest = {name: value for name, value in fields.items() if name not in inputs.PATH_LISTS}
            for path in paths:
                yield own, {"file_path": path, **rest}, f"{own} names its files in another way"
        else:
            yield own, given, ""

    def patched_files(self, text: str) -> Iterator[tuple[str, Any, str]]:
        from tenterhook.support.patches import file_changes

        fixed = f"{self.event.tool_name} takes a patch"
        for change in file_changes(text):
            old, new = "\n".join(change.removed), "\n".join(change.added)
            for name in change.names:
                path = {"file_path": inputs.whole(name, self.event.cwd)}
                if change.adds:
                    yield TOOLS["write"], {**path, "content": new}, fixed
                else:
                    yield TOOLS["edit"], {**path, "old_string": old, "new_string": new}, fixed

    def tool(self, name: str) -> ToolFields:
        """The tool of the hooks' agent for one of ours or of the caller's."""
        served = self.event.mcp
        if served:
            return tool_of(self.dialect, f"mcp__{served.server or UNKNOWN}__{served.tool}") or ToolFields(name)
        ours = TOOLS.get(tool_names.kind(name), name)
        called = self.dialect.tools.names.get(ours)
        return tool_of(self.dialect, name) or ToolFields(
            called.name if called else ours, (), called.inputs if called else {}
        )

    def input_of(self, tool: ToolFields, given: Any, fixed: str) -> Wording:
        """The input under the tool's own names; the wording's data are only that until the rest is there."""
        if takes_patch(tool):
            return self.patch_of(tool, given)
        if not isinstance(given, dict):
            return Wording(given, fixed=fixed)
        ours: dict[str, str] = {str(name): self.callers_own.get(name) or str(name) for name in given}
        whole = {own: self.whole(own, given[name]) for name, own in ours.items()}
        said = rename_tool_inputs(tool, whole)
        if len(said) != len(given):
            fixed = fixed or f"{tool.name} has other fields"
        wording = Wording(said, {field_of_tool(tool, ours[name]): name for name in given}, fixed)
        callers = {theirs: own for own, theirs in self.callers_own.items()}
        wording.renamed = {theirs: callers.get(own, own) for own, theirs in tool.renamed.items()}
        return wording

    def patch_of(self, tool: ToolFields, given: Any) -> Wording:
        fields = {inputs.TEXT: given} if isinstance(given, str) else given if isinstance(given, dict) else {}
        held = next((name for name in inputs.PATCHES if fields.get(name) and inputs.patch({name: fields[name]})), "")
        said = rename_tool_inputs(tool, fields)
        if held:
            return Wording(said, {tool.patch: held})
        return Wording(said, fixed=f"{tool.name} takes a patch, and {self.event.tool_name} does not")

    def whole(self, name: str, value: Any) -> Any:
        """A path of a file as agents give it to hooks: from the root on."""
        if self.event.tool in ABOUT_FILES and name in inputs.PATHS and isinstance(value, str) and value:
            return inputs.whole(value, self.event.cwd)
        return value

    def output_of(self, tool: ToolFields, output: Any, given: Any) -> Any:
        """A tool's output in the form that was recorded of the hooks' agent; else its text."""
        formed = any(field.key == "tool_output" and field.form for rule in self.rules for field in rule.fields)
        if self.event.mcp or (isinstance(output, dict) and isinstance(tool.output, dict) and alike(output, tool)):
            return output
        text = inputs.output_text(output)
        if formed or not isinstance(tool.output, dict):
            return text
        return fill_output(tool, text, given if isinstance(given, dict) else {})


def takes_patch(tool: ToolFields) -> bool:
    return bool(tool.patch or tool.text)


def alike(output: dict[str, Any], tool: ToolFields) -> bool:
    return set(output) == set(tool.output)


def fill_output(tool: ToolFields, text: str, given: dict[str, Any]) -> Any:
    """The recorded output with the text of this one, and with the fields of this input that it repeats."""
    recorded = tool.output
    place = next((name for name in inputs.OUTPUTS if isinstance(recorded.get(name), str)), "")
    asked = tool.input if isinstance(tool.input, dict) else {}
    repeats = {value: name for name, value in asked.items() if isinstance(value, str) and name in REPEATED}
    found: dict[str, Any] = {}
    for name, value in recorded.items():
        if isinstance(value, str) and value in repeats:
            found[name] = given.get(repeats[value], "")
        elif name == place or (place and value == recorded[place]):
            found[name] = text
        elif isinstance(value, str | bool) and place:
            found[name] = "" if isinstance(value, str) else value
    return found or text

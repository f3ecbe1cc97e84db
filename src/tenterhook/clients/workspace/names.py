"""What each dialect's agent calls its tools and their inputs; the names themselves are the dialects' data.

Hooks see the names of their own dialect. A model is told those too, but models and scripts call things by names they
know from elsewhere: what can be understood is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from tenterhook import dialects
from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.tool_inputs import WrongInput
from tenterhook.dialects.schema.dialect import Dialect, ToolName
from tenterhook.dialects.schema.vocabulary import TOOLS
from tenterhook.pipeline.plan_joint import template

Input = dict[str, Any]
MISSING = object()
# Names that models know from agents without a dialect here.
ELSEWHERE = {"Shell": "Bash", "shell": "Bash", "Agent": "Task"}
# JSON Schema's types: what Python has for them, and how to call them in a sentence.
TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a text"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
}


class Named(Struct, frozen=True):
    """A tool as the agent of a dialect has it. A tool that the dialect has no word for keeps its own names."""

    definition: Definition
    dialect: Dialect

    @property
    def name(self) -> str:
        return word(self.dialect, self.definition.name).name

    @property
    def parameters(self) -> dict[str, Any]:
        """The inputs as one JSON Schema, for the model."""
        return self.definition.schema or {
            "type": "object",
            "properties": {self.theirs(ours): schema for ours, schema in self.definition.inputs.items()},
            "required": [self.theirs(ours) for ours in self.definition.required],
            "additionalProperties": False,
        }

    def theirs(self, ours: str) -> str:
        return word(self.dialect, self.definition.name).inputs.get(ours, ours)

    def shown(self, input: Input) -> Input:
        """An input for hooks: what is spelled another way stands in the dialect's own spelling, too.

        Else a guard that looks for `file_path` would miss a `path` that the tool takes all the same.
        """
        known = self.spellings()
        own = {self.theirs(known[name]): value for name, value in input.items() if name in known}
        return {**own, **input}

    def ours(self, input: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> Input:
        """An input in any known spelling by our names, checked. WrongInput with words for the model.

        `before` is the input that hooks were shown: of two spellings in it, the one that a hook changed counts.
        """
        known = self.spellings()
        spelled: dict[str, str] = {}
        for name in input:
            if ours := known.get(name):  # what else is in it is nobody's business here; hooks may want it
                spelled[ours] = self.meant(spelled[ours], name, input, before or input) if ours in spelled else name
        given = {}
        for ours, name in spelled.items():
            kind = plain_type(self.definition.inputs[ours])
            if input[name] is not None or not kind:  # models say null for what they leave out
                given[ours] = self.check_input_type(name, kind, input[name])
        for ours in self.definition.required:
            if ours not in given:
                unknown = [name for name in input if name not in known]
                likely = f", and there is no {unknown[0]!r}" if unknown else ""
                raise WrongInput(f"it needs {self.theirs(ours)!r}{likely}; it takes {self.taken()}")
        return given

    def meant(self, one: str, other: str, input: Mapping[str, Any], before: Mapping[str, Any]) -> str:
        """Which of two spellings of the same input counts."""
        if input[one] == input[other]:
            return one
        changed = [name for name in (one, other) if before.get(name, MISSING) != input[name]]
        if len(changed) != 1 or changed[0] not in before:  # one that a hook put beside the other was seen by no guard
            raise WrongInput(f"{one!r} and {other!r} are the same: give one")
        return changed[0]

    def check_input_type(self, name: str, kind: str, value: Any) -> Any:
        """The value, if it is of that type; whatever it is, where the schema says more than a type."""
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            return int(value)
        types, called = TYPES.get(kind, ((object,), ""))
        # To Python true is a number.
        if not isinstance(value, types) or (isinstance(value, bool) and kind in ("integer", "number")):
            raise WrongInput(f"{name!r} must be {called}, not {in_short(value)}")
        return value

    def spellings(self) -> dict[str, str]:
        """Every known spelling of an input, with our name for it; the dialect's own go first, then ours."""
        own = {self.theirs(ours): ours for ours in self.definition.inputs}
        plain = {ours: ours for ours in self.definition.inputs}
        foreign = {
            theirs: ours
            for dialect in everyone()
            for ours, theirs in word(dialect, self.definition.name).inputs.items()
            if ours in self.definition.inputs
        }
        return {**foreign, **plain, **own}

    def taken(self) -> str:
        return ", ".join(map(self.theirs, self.definition.inputs)) or "none"


def translate_tool_call(name: str, input: Input, dialect: Dialect) -> tuple[str, Input]:
    """A call by this dialect's names, however a model or a script spelled it.

    Under the dialect's own name an input stays untouched; under a foreign one the foreign spellings go with the name.
    An unknown name stays as it is.
    """
    if any(word(dialect, tool).name == name for tool in TOOLS):
        return name, input
    tool, callers = resolve_foreign_name(name)
    if not tool:
        return remote(name, dialect), input
    own = word(dialect, tool)
    # Two agents may have the name; the one that knows most of the inputs is meant.
    caller = max(callers, key=lambda one: len(input.keys() & set(one.inputs.values())))
    ours = {theirs: ours for ours, theirs in caller.inputs.items()}
    respelled = {key: own.inputs.get(ours.get(key, key), ours.get(key, key)) for key in input}
    if len(set(respelled.values())) < len(input):  # one input in two spellings is for the tool to refuse
        return own.name, input
    return own.name, {respelled[key]: value for key, value in input.items()}


def resolve_foreign_name(name: str) -> tuple[str, list[ToolName]]:
    """Which of our tools a foreign name means, and the names of those who call it so."""
    callers = [(tool, word(dialect, tool)) for dialect in everyone() for tool in sorted(TOOLS)]
    tool = next((tool for tool, called in callers if called.name == name), ELSEWHERE.get(name, ""))
    known = [called for one, called in callers if one == tool]
    return tool, [called for called in known if called.name == name] or known


def remote(name: str, dialect: Dialect) -> str:
    """A tool of an MCP server by this dialect's pattern, if it is spelled by another's."""
    named = "{server}" in dialect.tools.mcp_tool
    others = (other.tools.mcp_tool for other in everyone())
    patterns = {dialect.tools.mcp_tool, *(one for one in others if "{server}" in one or not named)}
    for pattern in sorted(
        patterns, key=len, reverse=True
    ):  # what says more: `mcp_` begins much that is not meant by it
        if match := template(pattern).fullmatch(name):
            return name if pattern == dialect.tools.mcp_tool else dialect.tools.mcp_tool.format(**match.groupdict())
    return name


def word(dialect: Dialect, tool: str) -> ToolName:
    return dialect.tools.names.get(tool) or ToolName(tool)


@cache
def everyone() -> tuple[Dialect, ...]:
    return tuple(load_dialects(dialects.names()))


def load_dialects(names: Iterable[str]) -> Iterable[Dialect]:
    for name in names:
        try:
            yield dialects.get(name)
        except Exception:  # another package's dialect that is broken is no reason to know none of the others
            continue


def plain_type(schema: Mapping[str, Any]) -> str:
    """One of the simple types; empty where the schema says something else, as those of MCP servers may."""
    kind = schema.get("type")
    return kind if isinstance(kind, str) and kind in TYPES else ""


def in_short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

"""Events to fire on both sides: each tool and each value that a dialect knows, and what real agents once wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from tenterhook.dialects import recorded
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.payload import aliases, in_our_words
from tenterhook.tools.convert.matching import SERVER, TOOL, name_there

# A value that nobody has heard of.
STRANGE = "something-else"


class Sample(Struct, frozen=True):
    """One event: what it is about, in words, and its data in our names, as each of both agents has them."""

    about: str
    tool: str
    here: dict[str, Any]
    there: dict[str, Any]


def samples(rule: EventRule, source: Dialect, target: Dialect) -> Iterator[Sample]:
    for about, tool, data in (*synthetic_samples(rule, source), *real(rule, source)):
        theirs = dict(data)
        if TOOL in data:
            name = str(data[TOOL])
            theirs[TOOL] = name_there(name, source, target) or name
        yield Sample(about, tool, data, theirs)


def synthetic_samples(rule: EventRule, source: Dialect) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """One for each tool, or for each value that is matched on."""
    if rule.target.field != TOOL:
        for value in (*rule.target.values, STRANGE) if rule.target.field else (STRANGE,):
            yield f"{rule.target.field or 'any'} {value}", "", {rule.target.field or "prompt": value}
        return
    wanted = {
        ours: tool.name
        for ours, tool in source.tools.names.items()
        if not rule.firing.tools or ours in rule.firing.tools
    }
    if not rule.firing.tools or "mcp" in rule.firing.tools:
        wanted["mcp"] = source.tools.mcp_tool.format(**SERVER)
    for ours, name in wanted.items():
        yield name, ours, {TOOL: name, "tool_input": {"command": "ls", "file_path": "a.txt"}, "tool_output": "b"}


def real(rule: EventRule, source: Dialect) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for number, payload in enumerate(recorded.of_event(source.name, rule.name), 1):
        data = in_our_words(payload, aliases(source, rule))
        ours = next((ours for ours, tool in source.tools.names.items() if tool.name == data.get(TOOL)), "")
        yield f"recorded payload {number}", ours, data

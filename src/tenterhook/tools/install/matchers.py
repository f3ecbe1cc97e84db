"""Which tools an entry is for: the hooks' own `match` in the agent's form, or nothing, which means all.

The hook's process checks again, so an entry may match too many tools but never too few: it lists every name that a tool
of that kind has with any agent.
"""

from __future__ import annotations

from tenterhook.author.registered import Registered
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.match import match
from tenterhook.support import tool_names

TARGET = "tool_name"
STRANGER = "no_such_tool"


def matcher(dialect: Dialect, rule: EventRule, hooks: list[Registered]) -> str:
    """As narrow as the agent's rule allows; empty if it is for everything."""
    if rule.target.field != TARGET or rule.firing.tools:
        return ""
    names = names_to_match(dialect, hooks)
    for text in ("|".join(names), f"^(?:{'|'.join(names)})$") if names else ():
        if stands_for(text, names, rule.overrides.matcher or dialect.planning.matcher):
            return text
    return ""


def stands_for(text: str, names: list[str], kind: str) -> bool:
    """Whether the agent's rule reads the text as exactly these names."""
    test = match(text, kind)
    strange = [STRANGER, *(f"{name}{STRANGER}" for name in names), *(f"{STRANGER}{name}" for name in names)]
    return test is not None and all(map(test, names)) and not any(map(test, strange))


def names_to_match(dialect: Dialect, hooks: list[Registered]) -> list[str]:
    """Every name that such a tool may have, the agent's own first; none if that cannot be told."""
    if not all(listable(one.match) for one in hooks):
        return []
    known = [name for same in tool_names.TOOLS.values() for name in same]
    own = [tool.name for tool in dialect.tools.names.values()]
    fitting = [name for name in known if any(tool_names.fits(one.match, tool_names.names(name)) for one in hooks)]
    return list(dict.fromkeys([*(name for name in own if name in fitting), *fitting]))


def listable(match: str) -> bool:
    """Whether it is a list of names, each of a known tool; an MCP server's tool has another name with every agent."""
    if match in ("", "*") or not tool_names.is_list(match):
        return False
    wanted = {one.strip() for one in match.replace(",", "|").split("|")} - {""}
    return all(one in tool_names.TOOLS or tool_names.kind(one) in tool_names.TOOLS for one in wanted)

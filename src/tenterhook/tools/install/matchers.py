"""Which tools an entry is for: the hooks' own `match` in the agent's way of saying so, or nothing, which is all.

The hook's process looks again, so an entry may be for too many tools but must never be for too few: it names every
name that a tool of that kind has with any agent.
"""

from __future__ import annotations

from tenterhook.author import tools
from tenterhook.author.registered import Registered
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.match import match

TARGET = "tool_name"
STRANGER = "no_such_tool"


def matcher(dialect: Dialect, rule: EventRule, hooks: list[Registered]) -> str:
    """As narrow as the agent's rule allows; empty where it is for everything."""
    if rule.target.field != TARGET or rule.firing.tools:
        return ""
    names = tool_names(dialect, hooks)
    for text in ("|".join(names), f"^(?:{'|'.join(names)})$") if names else ():
        if stands_for(text, names, rule.overrides.matcher or dialect.planning.matcher):
            return text
    return ""


def stands_for(text: str, names: list[str], kind: str) -> bool:
    """Whether the agent's rule takes the text for just these names."""
    test = match(text, kind)
    strange = [STRANGER, *(f"{name}{STRANGER}" for name in names), *(f"{STRANGER}{name}" for name in names)]
    return test is not None and all(map(test, names)) and not any(map(test, strange))


def tool_names(dialect: Dialect, hooks: list[Registered]) -> list[str]:
    """Every name that a tool of theirs may have, the agent's own first; none where that cannot be told."""
    if not all(listable(one.match) for one in hooks):
        return []
    known = [name for same in tools.TOOLS.values() for name in same]
    own = [tool.name for tool in dialect.tools.names.values()]
    fitting = [name for name in known if any(tools.fits(one.match, tools.names(name)) for one in hooks)]
    return list(dict.fromkeys([*(name for name in own if name in fitting), *fitting]))


def listable(match: str) -> bool:
    """Whether it is a list of names, each of a tool that we know; an MCP server's has another name with every agent."""
    if match in ("", "*") or not tools.is_list(match):
        return False
    wanted = {one.strip() for one in match.replace(",", "|").split("|")} - {""}
    return all(one in tools.TOOLS or tools.kind(one) in tools.TOOLS for one in wanted)

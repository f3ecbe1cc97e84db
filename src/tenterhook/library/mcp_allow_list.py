"""Refuse tools of MCP servers unless they are on a list.

You write a tool as `server/tool`, both with `*` for anything: `github/*`, `files/read_*`, `*/search`. A server's name
alone means all its tools. The hook knows the names of every agent: `mcp__server__tool`, `mcp_server_tool`,
`server.tool`. If the agent does not say which server it is, only `*/tool` and `*` allow the tool, and an entry of
`deny` counts for any server.

Options:
    allow: the tools that may be called; all others may not
    deny: tools that may not be called although `allow` has them
    otherwise: what to do about a tool that is not on the list: deny or ask

What it cannot stop:
- What an allowed tool does: a list of names does not look at inputs.
- A server that is started and never called; it runs with the user's rights from the start of the agent.
- A server that gives itself the name of another one in the agent's config.
- An agent that writes `mcp_server_tool` and does not say which server it is. There a server whose name has an
  underscore is known by the part before it.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event
    from tenterhook.author.event import Served


@hook("tool.before")
def mcp_allow_list(
    event: Event, allow: tuple[str, ...] = (), deny: tuple[str, ...] = (), otherwise: str = "deny"
) -> Answer | None:
    from tenterhook.library.parts.decisions import answer, one_of

    one_of("otherwise", otherwise, ("deny", "ask"))
    served = event.mcp
    if served is None:
        return None
    name = f"{served.server}/{served.tool}" if served.server else f"{served.tool} of a server that is not named"
    if fits(served, deny, unnamed=True):
        return hook.deny(f"mcp-allow-list: {name} may not be called; do it without this tool, or ask the user")
    if fits(served, allow):
        return None
    listed = f"there is {', '.join(allow)}" if allow else "which is empty"
    return answer(otherwise, f"mcp-allow-list: {name} is not on the list of MCP tools ({listed}); do it without")


def fits(served: Served, patterns: tuple[str, ...], *, unnamed: bool = False) -> bool:
    """Whether a pattern matches the tool; with `unnamed`, any server matches if the agent does not name it."""
    from fnmatch import fnmatchcase

    for one in patterns:
        server, _, tool = one.partition("/") if "/" in one else (one, "", "*")
        if unnamed and not served.server:
            server = "*"
        if fnmatchcase(f"{served.server}/{served.tool}", f"{server}/{tool}"):
            return True
    return False

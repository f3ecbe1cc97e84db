"""A matcher of one dialect in another dialect: tools by their names there, matching the same set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.match import EVERYTHING, is_plain, match, names
from tenterhook.pipeline.plan_joint import template
from tenterhook.support import tool_names
from tenterhook.testing.calling import NAMES
from tenterhook.types import Hook

TOOL = "tool_name"
# A tool of a server, to try patterns on.
SERVER = {"server": "server", "tool": "tool"}


class ConvertedMatcher(Struct, frozen=True):
    """What to write, an entry for each text (None: without a matcher); and what could not be expressed.

    `name` is what was lost: names, or a broken pattern.
    """

    texts: tuple[str | None, ...] = (None,)
    lost: str = ""
    note: str = ""
    name: str = "names"


def convert_matcher(hook: Hook, rule: EventRule, source: Dialect, to: EventRule, target: Dialect) -> ConvertedMatcher:
    kind = hook.match_kind or rule.overrides.matcher or source.planning.matcher
    matcher = None if hook.matcher is None or hook.matcher in EVERYTHING or not rule.target.field else hook.matcher
    if matcher is None:
        return (
            only_for(rule, to, target)
            if rule.firing.tools and rule.firing.tools != to.firing.tools
            else ConvertedMatcher()
        )
    if not to.target.field:
        return ConvertedMatcher(
            lost=f"{to.name} has nothing to match on, so the hook runs whatever {rule.target.field} is"
        )
    test = match(matcher, kind)
    if test is None or is_invalid_regex(matcher, kind):
        return ConvertedMatcher((matcher,), lost=f"the matcher {matcher!r} is not a regular expression", name="broken")
    wanted = to.overrides.matcher or target.planning.matcher
    if rule.target.field == TOOL == to.target.field:
        return of_tools(matcher, kind, source, wanted, target)
    return of_values(matcher, kind, rule, wanted, to)


def is_invalid_regex(matcher: str, kind: str) -> bool:
    """An invalid pattern: its effect differs from agent to agent."""
    from tenterhook.pipeline.match import compile_matcher, engine

    return "regex" in kind and names(matcher, kind) is None and compile_matcher(matcher, engine(kind)) is None


def only_for(rule: EventRule, to: EventRule, target: Dialect) -> ConvertedMatcher:
    """An event for some tools becomes one for all of them, with a matcher."""
    if to.target.field != TOOL or to.firing.tools:
        return ConvertedMatcher()
    wanted = [target.tools.names[one].name for one in rule.firing.tools if one in target.tools.names]
    if len(wanted) < len(rule.firing.tools):
        return ConvertedMatcher(
            lost=f"{to.name} is for all tools, and {rule.name} was for {', '.join(rule.firing.tools)} alone"
        )
    return ConvertedMatcher(
        spell_matcher(wanted, to.overrides.matcher or target.planning.matcher, others(target, wanted))
    )


def of_tools(matcher: str, kind: str, source: Dialect, to_kind: str, target: Dialect) -> ConvertedMatcher:
    listed = names(matcher, kind) or (frozenset(matcher.split("|")) if is_plain(matcher) else None)
    if listed is not None:
        return of_names(sorted(listed, key=matcher.find), source, to_kind, target)
    test = match(matcher, kind)
    known = {one: (tool.name, *source.planning.aliases.get(tool.name, ())) for one, tool in source.tools.names.items()}
    ours = [one for one, called in known.items() if test and any(map(test, called))]
    wanted = list(dict.fromkeys(target.tools.names[one].name for one in ours if one in target.tools.names))
    served = bool(test and test(source.tools.mcp_tool.format(**SERVER)))
    texts = dict.fromkeys((matcher, renamed_servers(matcher, source, target)))
    for text in texts:
        if same(text, to_kind, wanted, target, served):
            return ConvertedMatcher(
                (text,), note="" if text == matcher else f"the matcher {matcher!r} is {text!r} there"
            )
    if not wanted:
        text = list(texts)[-1]
        return ConvertedMatcher(
            (text,), lost=f"the matcher {matcher!r} fits no tool that is known there; check {text!r}"
        )
    found = spell_matcher(wanted, to_kind, others(target, wanted))
    change = f"the matcher {matcher!r} is {'|'.join(wanted)} there"
    if served or len(ours) > len(wanted):
        return ConvertedMatcher(found, lost=f"{change}; tools that are known by no name are not hit any more")
    return ConvertedMatcher(found, note=f"{change}: the tools that it hits by name")


def same(text: str, kind: str, wanted: list[str], target: Dialect, served: bool) -> bool:
    """Whether a text matches exactly these tools of the agent, and servers' tools as before."""
    test = match(text, kind)
    if test is None or is_invalid_regex(text, kind):
        return False
    known = [tool.name for tool in target.tools.names.values()]
    hits = {name for name in known if test(name)}
    return (
        hits == set(wanted) and bool(test(target.tools.mcp_tool.format(**SERVER))) == served and (served or bool(hits))
    )


def of_names(listed: Iterable[str], source: Dialect, kind: str, target: Dialect) -> ConvertedMatcher:
    """A list of names, each by the tool's name in the target."""
    renamed = {name: name_there(name, source, target) for name in listed}
    unknown = [name for name, there in renamed.items() if not there]
    wanted = list(dict.fromkeys(there or name for name, there in renamed.items()))
    texts = spell_matcher(wanted, kind, others(target, wanted))
    lost = f"{', '.join(unknown)}: {target.title} has no tool of that name that we know" if unknown else ""
    changed = [f"{name} is {there}" for name, there in renamed.items() if there and there != name]
    return ConvertedMatcher(texts, lost=lost, note=f"{', '.join(changed)} there" if changed else "")


def name_there(name: str, source: Dialect, target: Dialect) -> str:
    """The tool's name in the target; empty if unknown."""
    own = next((ours for ours, tool in source.tools.names.items() if tool.name == name), "")
    ours = own or NAMES.get(tool_names.kind(name), "")
    if ours in target.tools.names:
        return target.tools.names[ours].name
    served = parts(name, source.tools.mcp_tool)
    if served and ("server" in served or "{server}" not in target.tools.mcp_tool):
        return target.tools.mcp_tool.format(**served)
    return name if named_alike(source, target) else ""


def named_alike(source: Dialect, target: Dialect) -> bool:
    """Whether all tools that we know have the same names: then we assume it for the others, too."""
    return all(
        one in target.tools.names and target.tools.names[one].name == tool.name
        for one, tool in source.tools.names.items()
    )


def parts(name: str, form: str) -> dict[str, str]:
    """Server and tool in the name of a server's tool."""
    found = template(form).fullmatch(name)
    return found.groupdict() if found else {}


def renamed_servers(matcher: str, source: Dialect, target: Dialect) -> str:
    """A pattern for servers' tools with the prefix of the target."""
    served = parts(matcher.removeprefix("^"), source.tools.mcp_tool)
    return target.tools.mcp_tool.format(**{"server": ".*", **served}) if served else matcher


def of_values(matcher: str, kind: str, rule: EventRule, to_kind: str, to: EventRule) -> ConvertedMatcher:
    """A matcher on something other than a tool: the values that both sides know, or any text, read in the same way."""
    if rule.target.field != to.target.field:
        return ConvertedMatcher(
            (matcher,), lost=f"the matcher {matcher!r} was for {rule.target.field}, and is for {to.target.field} there"
        )
    if kind == to_kind and rule.target.values == to.target.values:
        return ConvertedMatcher((matcher,))
    listed = names(matcher, kind)
    test = match(matcher, kind)
    values = list(listed) if listed is not None else [one for one in rule.target.values if test and test(one)]
    values.sort(key=lambda value: matcher.find(value))
    unknown = [value for value in values if to.target.values and value not in to.target.values]
    known = [value for value in values if value not in unknown]
    if not known:
        return ConvertedMatcher((matcher,), lost=f"the matcher {matcher!r} fits nothing that {to.name} knows")
    texts = spell_matcher(known, to_kind, [one for one in to.target.values if one not in known])
    return ConvertedMatcher(
        texts, lost=f"{to.name} knows no {rule.target.field} {', '.join(unknown)}" if unknown else ""
    )


def others(target: Dialect, wanted: list[str]) -> list[str]:
    """Names that must not match: the agent's other tools, and names that contain one of these."""
    near = [made for name in wanted for made in (f"{name}Other", f"Other{name}")]
    return [name for name in (*(tool.name for tool in target.tools.names.values()), *near) if name not in wanted]


def spell_matcher(wanted: list[str], kind: str, unwanted: list[str]) -> tuple[str, ...]:
    """Names as a matcher of that kind; one entry for each name if one text cannot express all."""
    for text in spellings(wanted):
        test = match(text, kind)
        if test is not None and all(map(test, wanted)) and not any(map(test, unwanted)):
            return (text,)
    return tuple(wanted)


def spellings(wanted: list[str]) -> Iterator[str]:
    plain, safe = "|".join(wanted), "|".join(map(re.escape, wanted))
    yield from (plain, safe)
    yield f"^{safe}$" if len(wanted) == 1 else f"^({safe})$"

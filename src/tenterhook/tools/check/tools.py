"""Names of tools and of their inputs that the agent does not have, in matchers, conditions and scripts.

What an agent has is known from its dialect and from calls of it that were recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache

from tenterhook.author.inputs import SAME
from tenterhook.dialects import recorded
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.match import fits_all, is_broken, match, names
from tenterhook.support import tool_names
from tenterhook.tools.check import CheckFinding, HookInspection
from tenterhook.tools.check.scripts import COMMAND, COMMENT, text_run

WORDS = re.compile(r"[\w-]+(?:\|[\w-]+)*")
GROUPED = re.compile(r"\^?\(?(?:\?:)?([\w-]+(?:\|[\w-]+)*)\)?\$?")
# What is called on an input and is no field of it.
METHODS = frozenset(
    ("get", "items", "keys", "values", "copy", "pop", "update", "length", "map", "filter", "forEach", "toString", "has")
)
CALL, NAME = "tool_input", "tool_name"
# How alike two names of tools are, one of which is a slip for the other.
CLOSE = 0.8


@cache
def recorded_fields(agent: str) -> Mapping[str, tuple[str, ...]]:
    """The tools of recorded calls, each with the fields that it can have."""
    found = {}
    for call in recorded.tools(agent):
        given = call["input"]
        found[str(call["tool"])] = tuple(call.get("fields") or (given if isinstance(given, dict) else ()))
    return found


def tools_of(dialect: Dialect, rule: EventRule) -> dict[str, tuple[str, ...]]:
    """All names of tools that a matcher can fit, each with its fields as far as they are known."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys((tool.name for tool in dialect.tools.names.values()), ())
    found |= dict.fromkeys(dialect.tools.further, ())
    found |= recorded_fields(dialect.name.partition("@")[0])
    for name, others in dialect.planning.aliases.items():
        found |= {other: found.get(name, ()) for other in others}
    for name, called in rule.target.called.items():
        found[called] = found.get(called) or found.get(name, ())
    return found


def unknown_tools(look: HookInspection, matcher: str, kind: str) -> Iterator[CheckFinding]:
    """A name in a matcher, or a whole pattern, that fits no tool of this agent."""
    known = tools_of(look.dialect, look.rule)
    if look.rule.target.field != NAME or look.rule.target.values or not known or is_broken(matcher, kind):
        return
    if look.rule.firing.tools == (tool_names.MCP,):
        return  # any server's tools
    tests = {part: match(part, kind) for part in parts_of(matcher, kind)}
    fitting = {part for part, test in tests.items() if test is None or any(map(test, known))}
    # A list that has a tool under the names of several agents is meant for all of them.
    kinds = {tool_names.kind(part) for part in fitting} - {tool_names.OTHER, tool_names.MCP}
    for part in tests:
        if part in fitting or tool_names.kind(part) in kinds or fits_served(part, kind, look.dialect):
            continue
        which = f"the matcher {matcher!r}" if part == matcher else f"{part!r} in the matcher {matcher!r}"
        meant = same_but_case(part, kind, known)
        if meant:
            better = re.sub(rf"(?<![\w-]){re.escape(part)}(?![\w-])", meant, matcher) if WORDS.fullmatch(part) else None
            text = f"{which} fits no tool of {look.dialect.title} (did you mean {meant!r}?); case counts here"
            yield look.warning("unknown-tool", "matcher", text, better)
        elif not look.dialect.tools.open:
            yield unknown_name(part, which, look, known)
        else:
            continue
        return


def unknown_name(part: str, which: str, look: HookInspection, known: Iterable[str]) -> CheckFinding:
    title, alike = look.dialect.title, same_kind(part, look.dialect, known)
    if alike:
        text = f"{which} fits no tool of {title}, which calls it {' or '.join(map(repr, alike))}"
        return look.warning("unknown-tool", "matcher", text)
    close = get_close_matches(part, known, n=1, cutoff=CLOSE) if WORDS.fullmatch(part) else []
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    if hint or tool_names.kind(part) not in (tool_names.OTHER, tool_names.MCP):
        return look.warning("unknown-tool", "matcher", f"{which} fits no tool of {title}{hint}")
    return look.note("unknown-tool", "matcher", f"{which} fits no tool of {title} that is known here")


def parts_of(matcher: str, kind: str) -> list[str]:
    """The names of a list, in their order; else the alternatives of a plain pattern, or the pattern."""
    listed = names(matcher, kind)
    if listed is not None:
        return sorted(listed, key=matcher.find)
    if WORDS.fullmatch(matcher):
        return matcher.split("|")
    return [matcher]


def fits_served(part: str, kind: str, dialect: Dialect) -> bool:
    """Whether it may be meant for tools of MCP servers."""
    test = match(part, kind)
    sample = dialect.tools.mcp_tool.format(server="server", tool="tool")
    between = "-" if "{server}-" in dialect.tools.mcp_tool else ""
    return "mcp" in part.lower() or bool(test and test(sample)) or bool(between and between in part)


def same_but_case(part: str, kind: str, known: Iterable[str]) -> str:
    folded = {name.lower(): name for name in known}
    plain = GROUPED.fullmatch(part)
    if plain and "|" not in plain[1]:
        return folded.get(plain[1].lower(), "")
    test = match(part.lower(), kind)
    return next((name for low, name in folded.items() if test and test(low) is True), "") if part.islower() else ""


def same_kind(part: str, dialect: Dialect, known: Iterable[str]) -> list[str]:
    """The agent's own names for a tool that another agent calls so."""
    kind = tool_names.kind(part)
    if kind in (tool_names.OTHER, tool_names.MCP, ""):
        return []
    own = {tool.name for tool in dialect.tools.names.values()}
    found = [name for name in known if tool_names.kind(name) == kind]
    return [name for name in found if name in own][:2] or found[:2]


def unknown_inputs(look: HookInspection) -> Iterator[CheckFinding]:
    """A script that reads a field which the tools that its hook is for do not have."""
    given = next((field.name for field in look.rule.fields if field.key == CALL), "")
    what, text = text_run(look)
    text = COMMENT.sub("", text)
    if not given or not text or "tenterhook" in text:
        return
    yield from other_payload(look, what, text)
    fields = fields_read(given, text)
    tools = tools_meant(look)
    known = {field for inputs in tools.values() for field in inputs}
    if not known or not all(tools.values()):
        return
    for field in fields:
        group = next((group for group in SAME if field in group), ())
        if field in known or not group or known.intersection(group).intersection(fields):
            continue
        instead = [other for other in group if other in known] or sorted(known)
        where = f":{line_of(field, text)}" if what != COMMAND else ""
        named = " and ".join(tools) if len(tools) < 4 else "the tools"
        have = "do" if len(tools) > 1 else "does"
        yield look.warning(
            "unknown-input",
            "main",
            f"{what}{where} reads {given}.{field}, which {named} of {look.dialect.title} {have} not have; "
            f"the hook finds nothing there; read {' or '.join(instead[:2])}",
        )
        return


def other_payload(look: HookInspection, what: str, text: str) -> Iterator[CheckFinding]:
    """A script that reads the call under the name that another agent gives it."""
    for key, others in ((CALL, ("tool_input", "toolArgs", "toolInput")), (NAME, ("tool_name", "toolName"))):
        own = {field.name for field in (*look.dialect.payload.base, *look.rule.fields) if field.key == key}
        used = [name for name in others if name not in own and re.search(rf"\b{name}\b", text)]
        if own and used and not any(re.search(rf"\b{name}\b", text) for name in own):
            where = f":{line_of(used[0], text)}" if what != COMMAND else ""
            title, mine = look.dialect.title, " or ".join(sorted(own))
            said = f"{what}{where} reads {used[0]}, which {title} calls {mine} on {look.rule.name}"
            yield look.warning("unknown-input", "main", f"{said}; the hook finds nothing there")
            return


def fields_read(given: str, text: str) -> list[str]:
    """The fields of a call's input that a script reads, as far as they stand beside its name."""
    read = re.compile(
        rf"""\b{given}\b["']?(?:\s*,\s*\{{\s*\}})?(?:\s+or\s+\{{\s*\}})?[\])]*\s*"""
        r"""(?:\.get\(\s*["']|\[\s*["']|\??\.)([A-Za-z_]\w*)"""
    )
    return [name for name in dict.fromkeys(read.findall(text)) if name not in METHODS]


def tools_meant(look: HookInspection) -> dict[str, tuple[str, ...]]:
    """The tools that the hook is for, with their fields; empty if it may be for others too."""
    matcher, kind = look.hook.matcher, look.hook.match_kind or look.dialect.planning.matcher
    test = None if matcher is None or fits_all(matcher, kind) else match(matcher, kind)
    if test is None or matcher is None or fits_served(matcher, kind, look.dialect):
        return {}
    return {name: fields for name, fields in tools_of(look.dialect, look.rule).items() if test(name)}


def line_of(word: str, text: str) -> int:
    found = re.search(rf"\b{re.escape(word)}\b", text)
    return text.count("\n", 0, found.start()) + 1 if found else 1

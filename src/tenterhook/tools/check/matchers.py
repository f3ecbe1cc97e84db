"""Matchers that match nothing, or more than intended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tenterhook.config.entries import Problem
from tenterhook.dialects.schema.dialect import EventRule
from tenterhook.errors import nearest
from tenterhook.pipeline.match import NOT_RUN, USUAL, compile_matcher, engine, fits_all, how, is_regex, match, names
from tenterhook.tools.check import HookInspection
from tenterhook.tools.check.tools import tools_of, unknown_tools

GLOBS = ("glob", "glob-nocase")
REGEXES = ("regex-full", "regex-search")
# Kinds for which a list of names is a list, and everything else a pattern.
LISTS = ("names-or-regex", "names-or-regex-narrow", "names-or-regex-whole")
SERVER = re.compile(r"mcp__(?:(?!__).)+")

PLAIN = re.compile(r"[\w-]+(?:\|[\w-]+)*")
# Plain names in the form of a regular expression: grouped or not, each or all of them anchored.
ALTERNATIVE = re.compile(r"(\^?)([\w-]+)(\$?)")
ALTERNATIVES = re.compile(
    r"(?P<bare>\^?[\w-]+\$?(?:\|\^?[\w-]+\$?)*)|(?P<start>\^?)\((?:\?:)?(?P<group>[\w-]+(?:\|[\w-]+)*)\)(?P<end>\$?)"
)
PERMISSION = re.compile(r"(\w+)\((?!\?)[^()|]*[ :/~][^()|]*\)")
COMMAS = re.compile(r"[\w*.-]+(?:\s*,\s*[\w*.-]+)+")
REGEX_SIGNS = re.compile(r"\.[*+?]|^\^|\$$|[()\\+]|\[\^|\{\d")
# A star after an ordinary character repeats that character; after a dot, a bracket or an escape it was intended.
GLOB_STAR = re.compile(r"(?:(?<=[\w-])|^)\*")


def matchers(look: HookInspection) -> Iterator[Problem]:
    """The first problem of a matcher: others often follow from it."""
    matcher, kind = look.hook.matcher, look.hook.match_kind or look.dialect.planning.matcher
    if matcher is None or fits_all(matcher, kind) or not look.rule.target.field:
        return
    listed = how(kind) in LISTS and names(matcher, kind) is not None
    judges = OF_LISTS if listed else JUDGES
    for judge, rule in judges.items():
        if text := judge(matcher, kind, look.rule):
            yield look.warning(rule, "matcher", f"the matcher {matcher!r} {text}")
            return
    if text := loose_name(matcher, kind, look):
        yield look.warning("missing-anchors", "matcher", f"the matcher {matcher!r} {text}")
    elif text := name_as_command(matcher, look):
        yield look.warning("tool-as-command", "matcher", f"the matcher {matcher!r} {text}")
    else:
        yield from unknown_tools(look, matcher, kind)


def empty(matcher: str, kind: str, rule: EventRule) -> str:
    if not any(part.strip() for part in matcher.split("|")) and not (how(kind) == "regex-search" and "|" in matcher):
        return "matches nothing; write '*' to match everything"
    if how(kind) == "regex-search" and "" in matcher.split("|"):
        return "has an empty alternative, which is found in every name; remove the '|'"
    return ""


def pattern_as_literal(matcher: str, kind: str, rule: EventRule) -> str:
    if kind != "literal" or not set(matcher) & set("|*?^$()[]\\"):
        return ""
    return "is compared literally here: it is not a pattern and matches only that exact name"


def regex_as_glob(matcher: str, kind: str, rule: EventRule) -> str:
    if kind not in GLOBS or not any(REGEX_SIGNS.search(part.strip()) for part in matcher.split("|")):
        return ""
    plain = re.sub(r"[()^$]", "", re.sub(r"\.[*+]", "*", matcher))
    hint = "" if REGEX_SIGNS.search(plain) else f"; write {plain!r}"
    return f"looks like a regular expression, but globs are read here, so it matches no usual name{hint}"


def bad_regex(matcher: str, kind: str, rule: EventRule) -> str:
    if how(kind) not in (*REGEXES, "names-and-regex") or is_regex(matcher, kind):
        return ""
    dotted = GLOB_STAR.sub(".*", matcher)
    hint = f"; write {dotted!r}" if dotted != matcher and compile_matcher(dotted, engine(kind)) else ""
    why = complaint(matcher, engine(kind))
    return f"is not a regular expression ({why}), so it matches only a name spelled exactly so{hint}"


def endless(matcher: str, kind: str, rule: EventRule) -> str:
    """A pattern that is not run means a hook that always runs."""
    test = match(matcher, kind) if how(kind) in REGEXES else None
    if not test or test("x" * USUAL) is not NOT_RUN:
        return ""
    advice = "write it without repeats in repeats, and with fewer of them"
    return f"might take very long on some names, so it is not run and counts as matching every name; {advice}"


def complaint(matcher: str, by: str) -> str:
    if by:
        from tenterhook.pipeline.regex import Invalid, to_python

        try:
            to_python(matcher, by)
        except Invalid as exc:
            return f"to the agent's engine: {exc}"
    try:
        re.compile(matcher)
    except re.error as exc:
        return str(exc)
    except (OverflowError, RecursionError):
        pass
    return "it is too large"


def glob_as_regex(matcher: str, kind: str, rule: EventRule) -> str:
    if kind != "regex-full" or not GLOB_STAR.search(matcher):
        return ""
    dotted = GLOB_STAR.sub(".*", matcher)
    return f"looks like a glob, but in a regular expression '*' repeats the character before it; write {dotted!r}"


def blanks(matcher: str, kind: str, rule: EventRule) -> str:
    trimmed = "|".join(part.strip() for part in matcher.split("|"))
    if kind in GLOBS or how(kind) == "names-and-regex" or trimmed == matcher or is_text(rule):
        return ""
    return f"has blanks that count as part of the names here; write {trimmed!r}"


def permission_rule(matcher: str, kind: str, rule: EventRule) -> str:
    """`Bash(git *)`: a group of a regular expression would not have a blank, colon or slash."""
    found = PERMISSION.fullmatch(matcher) if rule.target.field == "tool_name" else None
    if not found:
        return ""
    hint = f"write {found[1]!r}, and let the hook look at the input"
    return f"looks like a permission rule, but only the tool's name is matched; {hint}"


def commas(matcher: str, kind: str, rule: EventRule) -> str:
    if not COMMAS.fullmatch(matcher):
        return ""
    names = [part.strip() for part in matcher.split(",")]
    hint = "write a hook for each name" if kind == "literal" else f"write {'|'.join(names)!r}"
    return f"has commas, which separate nothing here, so it matches no usual name; {hint}"


def bare_server(matcher: str, kind: str, rule: EventRule) -> str:
    """The name of a server alone, if whole names are compared."""
    servers = [part for part in names(matcher, kind) or () if SERVER.fullmatch(part)]
    if rule.target.field != "tool_name" or not servers:
        return ""
    return f"names the server {servers[0]!r} and none of its tools, so it matches nothing; write '{servers[0]}__.*'"


def loose_name(matcher: str, kind: str, look: HookInspection) -> str:
    """Whole names of the agent that are searched for, so that they are found in another of its names, too."""
    found = ALTERNATIVES.fullmatch(matcher) if how(kind) == "regex-search" and not is_text(look.rule) else None
    if not found:
        return ""
    known, test = known_names(look), match(matcher, kind)
    words = [one[2] for part in (found["group"] or found["bare"]).split("|") if (one := ALTERNATIVE.fullmatch(part))]
    if not known.issuperset(words) or test is None:
        return ""
    also = sorted(name for name in known.difference(words) if test(name))
    if not also:
        return ""
    exact = f"^({'|'.join(words)})$" if len(words) > 1 else f"^{words[0]}$"
    return f"is searched for anywhere in the name, so it also hits {also[0]!r}; write {exact!r} for whole names"


def name_as_command(matcher: str, look: HookInspection) -> str:
    """The name of a tool, on an event whose matchers are compared with what the tool runs."""
    tools = {tool.name for tool in look.dialect.tools.names.values()}
    if not is_text(look.rule) or not PLAIN.fullmatch(matcher) or not tools.issuperset(matcher.split("|")):
        return ""
    what = look.rule.target.field.rpartition(".")[2]
    return (
        f"is compared with the {what} on {look.rule.name}, not with the tool's name, so it fits only a {what} "
        f"with {matcher.split('|')[0]!r} in it; leave the matcher out"
    )


def known_names(look: HookInspection) -> set[str]:
    """The names that the event's matchers can be compared with, as far as the agent's are known."""
    tools = tools_of(look.dialect, look.rule) if look.rule.target.field == "tool_name" else ()
    return {*look.rule.target.values, *tools}


def is_text(rule: EventRule) -> bool:
    """Whether matchers are compared with a text of the tool's input, such as a command line, and not with a name."""
    return rule.target.field.startswith("tool_input.")


def unknown_target(matcher: str, kind: str, rule: EventRule) -> str:
    if not rule.target.values:
        return ""
    parts = [part.strip() for part in matcher.split("|")] if PLAIN.fullmatch(matcher) or kind in GLOBS else [matcher]
    for part in parts:
        test = match(part, kind)
        if test and not any(test(target) for target in rule.target.values):
            which = "matches" if part == matcher else f"holds {part!r}, which matches"
            known = ", ".join(rule.target.values)
            return (
                f"{which} no {rule.target.field} of {rule.name}{nearest(part, rule.target.values)}; there are: {known}"
            )
    return ""


# Each judge with the rule that a matcher breaks which it objects to.
JUDGES: dict[Callable[[str, str, EventRule], str], str] = {
    empty: "empty-matcher",
    permission_rule: "permission-rule-as-matcher",
    commas: "comma-in-matcher",
    pattern_as_literal: "pattern-as-literal",
    regex_as_glob: "regex-as-glob",
    bad_regex: "bad-regex",
    endless: "slow-regex",
    glob_as_regex: "glob-as-regex",
    blanks: "blank-in-matcher",
    unknown_target: "unknown-target",
}
OF_LISTS: dict[Callable[[str, str, EventRule], str], str] = {
    bare_server: "server-without-tool",
    unknown_target: "unknown-target",
}

"""Scripts that look for the event in a variable, or for a field of the tool's input at the top of the event."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenterhook.config.entries import Problem
from tenterhook.tools.check import HookInspection
from tenterhook.tools.check.scripts import COMMAND, COMMENT, text_run

INPUT = r"(?P<field>command|file_path|old_string|new_string)\b"
# The field at the top of what was parsed: in jq, and behind a call that parses or the variable that got its result.
JQ = re.compile(rf"""\bjq\b[^|\n'"]*?['"\s]\s*\.{INPUT}""")
PARSED = re.compile(rf"""\b(?:json\.loads?|JSON\.parse)\([^;\n]*?\)(?:\.get\(\s*["']|\[\s*["']|\??\.){INPUT}""")
# A variable whose text is parsed, or searched for what an event has.
SHELL_TEXT = re.compile(
    r"""\b(?:echo|printf)\b[^\n|]*?\$\{?([A-Za-z_]\w*)\}?["']?\s*\|[^\n]*?\b(?:jq|json|file_path|tool_input|tool_name)\b"""
    r"""|\b(?:jq|json)\b[^\n]*?<<<\s*["']?\$\{?([A-Za-z_]\w*)"""
)
# Signs that a shell script reads stdin itself, or gets variables from another file.
READS = re.compile(
    r"\$\(cat\)|\bcat\s*(?:-|\||<)|/dev/stdin|\b(?:read|mapfile|readarray)\b|(?:^|[\n;&])\s*(?:source|\.)\s"
)
VARIABLE = re.compile(r"\b(\w+)\s*=\s*(?:await\s+)?(?:json\.loads?|JSON\.parse)\(")


def event_in_variable(look: HookInspection) -> Iterator[Problem]:
    """A script that parses a variable which neither it nor the agent sets, while the event comes on stdin."""
    what, text = text_run(look)
    text = COMMENT.sub("", text)
    for found in () if READS.search(text) else SHELL_TEXT.finditer(text):
        name = found[1] or found[2]
        if name not in look.env and name not in look.hook.env and not is_assigned(name, text):
            where = f":{line_of(found, text)}" if what != COMMAND else ""
            text = f"{what}{where} parses ${name}, which {look.dialect.title} does not set; the event comes on stdin"
            yield look.warning("event-in-variable", "main", text)
            return


def is_assigned(name: str, text: str) -> bool:
    return re.search(rf"\b{name}=|\b(?:for|local|declare)\b[^\n;]*\b{name}\b", text) is not None


def line_of(found: re.Match[str], text: str) -> int:
    return text.count("\n", 0, found.start()) + 1


def input_at_the_top(look: HookInspection) -> Iterator[Problem]:
    """A script that looks for the command at the top of the event, while the agent gives it in the tool's input."""
    given = next((field.name for field in look.rule.fields if field.key == "tool_input"), "")
    what, text = text_run(look)
    text = COMMENT.sub("", text)
    if not given or given in text or "tenterhook" in text or any(event_in_variable(look)):
        return
    known = {field.name for field in (*look.dialect.payload.base, *look.rule.overrides.base, *look.rule.fields)}
    found = next((one for one in fields_at_the_top(text) if one["field"] not in known), None)
    if found:
        field, where = found["field"], f":{line_of(found, text)}" if what != COMMAND else ""
        named = f"{look.dialect.title} gives it as {given}.{field}"
        yield look.warning(
            "input-at-top",
            "main",
            f"{what}{where} reads {field} at the top of the event, and {named}: the hook finds nothing there",
        )


def fields_at_the_top(text: str) -> Iterator[re.Match[str]]:
    yield from JQ.finditer(text)
    yield from PARSED.finditer(text)
    for name in dict.fromkeys(VARIABLE.findall(text)):
        yield from re.finditer(rf"""\b{name}(?:\.get\(\s*["']|\[\s*["']|\??\.){INPUT}""", text)

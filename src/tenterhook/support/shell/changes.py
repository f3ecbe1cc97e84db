"""Evaluate `${name%x}`, `${name/a/b}`, `${name:1}` and the like."""

from __future__ import annotations

import re

from tenterhook.support.shell.records import UNKNOWN

# A longer value is left to the shell: every end of it is tried.
LONGEST = 500
SLICE = r":\s*(\d+)(?::(\d+))?|: (-\d+)"
CASES = {",,": str.lower, "^^": str.upper, "@L": str.lower, "@U": str.upper}


def apply_parameter_expansion(value: str, change: str) -> str | None:
    """The value after the expansion; None if only the shell knows."""
    if UNKNOWN in value or len(value) > LONGEST or re.search(r"[$`'\"\\]", change):
        return None
    if change in CASES:
        return CASES[change](value)
    if change in (",", "^"):
        return (value[:1].lower() if change == "," else value[:1].upper()) + value[1:]
    if change[:1] in ("%", "#"):
        return cut(value, change)
    if change[:1] == "/":
        return replace_substring(value, change[1:])
    part = re.fullmatch(SLICE, change)
    if not part:
        return None
    first = int(part[3] or part[1])
    return value[first:][: int(part[2])] if part[2] else value[first:]


def cut(value: str, change: str) -> str:
    """Remove the prefix or suffix that matches a pattern, the shortest one or, with a double sign, the longest."""
    from fnmatch import fnmatchcase

    sign, longest = change[0], change[:2] in ("%%", "##")
    pattern = change[2 if longest else 1 :]
    sizes = range(len(value) + 1)
    for size in reversed(sizes) if longest else sizes:
        at = size if sign == "#" else len(value) - size
        if fnmatchcase(value[:at] if sign == "#" else value[at:], pattern):
            return value[at:] if sign == "#" else value[:at]
    return value


def replace_substring(value: str, change: str) -> str | None:
    """Replace a plain text, once or, after a double slash, everywhere."""
    everywhere = change.startswith("/")
    old, _, new = change.removeprefix("/").partition("/")
    if not old or re.search(r"[*?\[#%]", old):
        return None
    return value.replace(old, new, -1 if everywhere else 1)

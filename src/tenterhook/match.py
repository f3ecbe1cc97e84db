"""Matcher text -> a compiled test. One function per kind; a dialect names the kind."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache
from typing import Any

Test = Callable[[str], object]

EVERYTHING = ("", "*")
# Names and alternatives of names need no regex: ten thousand of them compile in a tenth of the time.
PLAIN = re.compile(r"[A-Za-z0-9_|]+")
# Python may come to read these differently in a set and says so; a host that makes warnings errors must not suffer.
DOUBTFUL = re.compile(r"\[\^?\[|--|&&|~~|\|\|")


@lru_cache(maxsize=1 << 16)
def match(matcher: str | None, kind: str) -> Test | None:
    """The test a matcher stands for; None where it matches everything."""
    if matcher is None or matcher in EVERYTHING:
        return None
    return KINDS[kind](matcher)


def glob(matcher: str) -> Test:
    """Alternatives between bars, trimmed, each a case-sensitive glob on the whole name."""
    return re.compile("|".join(translate(part.strip()) for part in matcher.split("|") if part.strip()) or r"(?!)").match


def glob_nocase(matcher: str) -> Test:
    parts = [translate(part.strip()) for part in matcher.split("|") if part.strip()]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE).match


def regex_full(matcher: str) -> Test:
    if PLAIN.fullmatch(matcher):
        return frozenset(matcher.split("|")).__contains__
    pattern = compiled(matcher)
    return pattern.fullmatch if pattern else literal(matcher)


def regex_search(matcher: str) -> Test:
    pattern = compiled(matcher)
    return pattern.search if pattern else literal(matcher)


def literal(matcher: str) -> Test:
    return matcher.__eq__


def compiled(matcher: str) -> re.Pattern[str] | None:
    """None where the text is no regex. Agents in JavaScript write named groups without the P."""
    pattern = re.sub(r"\(\?<(?![=!])", "(?P<", matcher)
    try:
        if not DOUBTFUL.search(pattern):
            return re.compile(pattern)
        return quietly_compiled(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def quietly_compiled(pattern: str) -> re.Pattern[str]:
    """Under a lock: two threads in catch_warnings at once would switch the host's warnings off for good."""
    from threading import Lock

    with LOCKS.setdefault("warnings", Lock()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern)


LOCKS: dict[str, Any] = {}

KINDS: dict[str, Callable[[str], Test]] = {
    "glob": glob,
    "glob-nocase": glob_nocase,
    "regex-full": regex_full,
    "regex-search": regex_search,
    "literal": literal,
}

"""Matcher text -> a compiled test. One function per kind; a dialect names the kind.

A config must not be able to block an agent with a pattern that takes for ever. A pattern that is not known to end soon
is not run at all, and counts as matching.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any, TypeVar

from tenterhook.support.strategy import Strategy

Made = TypeVar("Made")
Test = Callable[[str], object]

EVERYTHING = ("", "*")
# What an invalid pattern matches, unless its kind says otherwise.
NOTHING = "nothing at all"
# Separates the kind of a matcher from the engine that reads its patterns; without it the engine is Python's.
BY = "@"
# The result of a test that was not run. It is true: a guard that cannot look must not be bypassed.
NOT_RUN = "not run"
# A pattern that may take longer, in nanoseconds as `regex/cost` counts them, is not run.
SOON = 1e8
# The size that every pattern must handle in time to be run at all, and the longest text that any is run on.
USUAL, LONGEST = 64, 1 << 20
# How large the product of a glob's length and a text's may be.
GLOB = 20_000_000
# The longest target that is compared as a name; a longer one is not a name.
LONGEST_NAME = 256
# The characters that make a glob more than a name.
WILD = frozenset("*?[")
# The characters of a pattern that need a closer look even if it has a single repeat.
INTRICATE = frozenset("?{(\\[")
# Names and alternatives of names need no regex: ten thousand of them compile in a tenth of the time.
PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_|")
LIST = PLAIN | frozenset("- ,")
# The alternatives that match everything; and the parts of a pattern that are bars, or that may enclose some.
EVERY = frozenset({"*", ".*"})
BARS = r"(?s)\\.|\[(?:\\.|[^\]\\])*\]?|[|()]"
# Python warns that it may read these differently in a set; hosts that turn warnings into errors must not fail.
DOUBTFUL = ("[[", "[^[", "--", "&&", "~~", "||")


class Matcher(Strategy[Callable[[str, str], Test]]):
    """A kind of matcher: how its text becomes a test, and what is special about it."""

    __slots__ = ("broken", "engines", "everything", "exact", "names", "short", "trimmed")

    def __init__(
        self,
        run: Callable[[str, str], Test],
        about: str,
        *,
        # The same in a few words.
        short: str,
        # All targets that a matcher matches, if these are names; without this every matcher is run.
        names: Callable[[str], frozenset[str] | None] | None = None,
        # The test for a target's other names, if it differs: patterns are not tried on these.
        exact: Callable[[str, str], Test] | None = None,
        # The texts that match everything.
        everything: tuple[str, ...] = EVERYTHING,
        # Blanks around a matcher do not count, and blanks alone match everything.
        trimmed: bool = False,
        # What an invalid pattern matches; empty if the kind has no patterns.
        broken: str = NOTHING,
        # The engines other than Python's that a dialect may choose for its patterns.
        engines: tuple[str, ...] = (),
    ) -> None:
        super().__init__(run, about)
        self.short, self.names, self.exact, self.everything = short, names, exact or run, everything
        self.trimmed, self.broken, self.engines = trimmed, broken, engines


@lru_cache(maxsize=1 << 16)
def match(matcher: str | None, kind: str) -> Test | None:
    """The test of a matcher; None if it matches everything."""
    return None if fits_all(matcher, kind) else MATCHERS[how(kind)].run(matcher or "", engine(kind))


@lru_cache(maxsize=1 << 10)
def exact(matcher: str, kind: str) -> Test:
    """The test for a target's other names; some kinds compare these exactly."""
    return MATCHERS[how(kind)].exact(matcher, engine(kind))


def how(kind: str) -> str:
    """The kind of a matcher without its engine."""
    return kind.partition(BY)[0]


def engine(kind: str) -> str:
    """The engine that reads a matcher's pattern; empty if that is Python's."""
    return kind.partition(BY)[2]


def fits_all(matcher: str | None, kind: str) -> bool:
    """Whether a matcher matches everything."""
    of_kind = MATCHERS[how(kind)]
    if matcher and of_kind.trimmed:
        matcher = matcher.strip() or "*"
    return matcher is None or matcher in of_kind.everything


def names(matcher: str | None, kind: str) -> frozenset[str] | None:
    """All targets that a matcher matches, if these are names; None if it must be run."""
    names_of = MATCHERS[how(kind)].names
    if matcher is None or names_of is None or len(matcher) > GLOB // LONGEST_NAME:
        return None
    return names_of(matcher)


def names_of_glob(matcher: str) -> frozenset[str] | None:
    parts = (part.strip() for part in matcher.split("|"))
    return frozenset(part for part in parts if part) if WILD.isdisjoint(matcher) else None


def names_of_regex(matcher: str) -> frozenset[str] | None:
    return frozenset(matcher.split("|")) if is_plain(matcher) else None


def is_plain(matcher: str) -> bool:
    """Whether it is one name, or names between bars."""
    return bool(matcher) and PLAIN.issuperset(matcher)


def names_of_trimmed(matcher: str) -> frozenset[str] | None:
    return names_of_regex(matcher.strip())


def names_of_list(matcher: str) -> frozenset[str] | None:
    if not matcher or not LIST.issuperset(matcher):
        return None
    return frozenset(part for part in (part.strip() for part in matcher.replace(",", "|").split("|")) if part)


def is_broken(matcher: str, kind: str) -> bool:
    """Whether it is an invalid pattern of a kind for which those match nothing."""
    return MATCHERS[how(kind)].broken == NOTHING and not fits_all(matcher, kind) and not is_regex(matcher, kind)


def is_regex(matcher: str, kind: str) -> bool:
    """Whether the kind's engine accepts it as a pattern. Names count too, though they need no engine."""
    if how(kind) == "names-and-regex":
        parts = alternatives(matcher)
        return not EVERY.isdisjoint(parts) or compile_matcher("|".join(parts), engine(kind)) is not None
    whole = how(kind) in ("regex-whole", "names-or-regex-whole")
    pattern = (
        anchor_pattern(matcher.strip() if MATCHERS[how(kind)].trimmed else matcher, engine(kind)) if whole else matcher
    )
    return names(matcher, kind) is not None or compile_matcher(pattern, engine(kind)) is not None


def fault_of(matcher: str, kind: str) -> str:
    """Why a matcher that should be a regular expression is not valid; empty if it is."""
    regular = MATCHERS[how(kind)].broken
    if not regular or fits_all(matcher, kind) or names(matcher, kind) is not None or compile_matcher(matcher):
        return ""
    try:
        re.compile(matcher)
    except (re.error, OverflowError, RecursionError) as exc:
        return str(exc)
    return "it cannot be compiled"


class Guarded:
    """A test that runs only on texts that it surely handles soon; NOT_RUN for longer ones."""

    __slots__ = ("most", "soon", "test")

    def __init__(self, test: Test, most: int, soon: Callable[[int], bool]) -> None:
        self.test, self.most, self.soon = test, most, soon

    def __call__(self, target: str) -> object:
        if len(target) <= self.most or self.soon(len(target)):
            return self.test(target)
        return NOT_RUN


def glob(matcher: str, by: str) -> Test:
    """Alternatives between bars, trimmed, each a case-sensitive glob on the whole name."""
    return compile_glob_test(matcher, 0)


def glob_nocase(matcher: str, by: str) -> Test:
    return compile_glob_test(matcher, re.IGNORECASE)


def compile_glob_test(matcher: str, flags: int) -> Test:
    """Match in bounded time: a star takes the first place that fits and never tries another."""
    from fnmatch import translate

    parts = [translate(part.strip()) for part in matcher.split("|") if part.strip()]
    return Guarded(re.compile("|".join(parts) or r"(?!)", flags).match, GLOB // len(matcher), never)


def fits(value: str, glob: str) -> object:
    """Whether a glob matches a whole text, which may be of any length."""
    from fnmatch import fnmatchcase

    return NOT_RUN if too_long(value, glob) else fnmatchcase(value, glob)


def too_long(value: str, glob: str) -> bool:
    return len(value) * len(glob) > GLOB


def never(size: int) -> bool:
    return False


def regex_full(matcher: str, by: str) -> Test:
    found = names_of_regex(matcher)
    if found is not None:
        return found.__contains__
    pattern = compile_matcher(matcher, by)
    return limit_regex_cost(pattern, search=False) if pattern else literal(matcher, by)


def names_or_regex(matcher: str, by: str) -> Test:
    """Exact names if it is a list of them, between bars or commas; else a regex; an invalid one matches nothing."""
    return names_or_regex_test(matcher, by, names_of_list)


def names_or_regex_narrow(matcher: str, by: str) -> Test:
    """The same, but only bars separate, and neither hyphens nor blanks are part of a name."""
    return names_or_regex_test(matcher, by, names_of_regex)


def names_and_regex(matcher: str, by: str) -> Test:
    """Names between bars, trimmed, each exact, and all of it one regex; an invalid one is only the names."""
    parts = alternatives(matcher)
    if not EVERY.isdisjoint(parts):
        return everything
    pattern = compile_matcher("|".join(parts), by) if parts else None
    test = limit_regex_cost(pattern, search=True) if pattern else never_fits
    return lambda target: target in parts or test(target)


def names_alone(matcher: str, by: str) -> Test:
    return frozenset(alternatives(matcher)).__contains__


def alternatives(matcher: str) -> list[str]:
    """The parts between bars that are outside of groups and sets; a pattern that starts with an anchor or a group is
    one.
    """
    if matcher.startswith(("^", "(")):
        return [matcher]
    parts, begin, depth = [], 0, 0
    for found in re.finditer(BARS, matcher):
        depth = max(0, depth + {"(": 1, ")": -1}.get(found[0], 0))
        if found[0] == "|" and not depth:
            parts.append(matcher[begin : found.start()])
            begin = found.end()
    return [part for part in map(str.strip, [*parts, matcher[begin:]]) if part]


def everything(target: str) -> object:
    return True


def never_fits(target: str) -> object:
    return False


def names_or_regex_whole(matcher: str, by: str) -> Test:
    """Exact names if only bars separate them; else a regex on the whole name; an invalid one matches nothing."""
    found = names_of_trimmed(matcher)
    return found.__contains__ if found is not None else regex_whole(matcher.strip(), by)


def names_only(matcher: str, by: str) -> Test:
    found = names_of_trimmed(matcher)
    return found.__contains__ if found is not None else never_fits


def regex_whole(matcher: str, by: str) -> Test:
    """Like regex_full, but an invalid or empty pattern matches nothing."""
    pattern = compile_matcher(anchor_pattern(matcher, by), by)
    return limit_regex_cost(pattern, search=bool(by)) if pattern and matcher else never_fits


def anchor_pattern(matcher: str, by: str) -> str:
    """The pattern as agents pass it to their own engine: unbalanced brackets may close the ones added here."""
    return f"^(?:{matcher})$" if by else matcher


def names_or_regex_test(matcher: str, by: str, names_of: Callable[[str], frozenset[str] | None]) -> Test:
    found = names_of(matcher)
    if found is not None:
        return found.__contains__
    pattern = compile_matcher(matcher, by)
    return limit_regex_cost(pattern, search=True) if pattern else frozenset[str]().__contains__


def regex_search(matcher: str, by: str) -> Test:
    pattern = compile_matcher(matcher, by)
    return limit_regex_cost(pattern, search=True) if pattern else literal(matcher, by)


def limit_regex_cost(pattern: re.Pattern[str] | Test, *, search: bool) -> Test:
    """Run the pattern in Python if that ends soon; else in RE2, which always does; else not at all."""
    if not isinstance(pattern, re.Pattern):
        return pattern

    @cache
    def soon(size: int) -> bool:
        from tenterhook.pipeline.regex.cost import nanoseconds

        return quietly(partial(nanoseconds, search=search), pattern.pattern, size) <= SOON

    test = pattern.search if search else pattern.fullmatch
    if easy(pattern.pattern) or soon(USUAL):
        return Guarded(test, USUAL, lambda size: size <= LONGEST and soon(1 << size.bit_length()))
    from tenterhook.pipeline.regex.re2 import linear

    return linear(pattern.pattern, search=search) or Guarded(test, -1, never)


def easy(pattern: str) -> bool:
    """Whether it has at most one repeat, of one character."""
    return INTRICATE.isdisjoint(pattern) and pattern.count("*") + pattern.count("+") <= 1


def any_name_of_tool(matcher: str, by: str) -> Test:
    """A test of all names that agents have for the tool; see support/tool_names."""
    from tenterhook.support import tool_names

    search = None if tool_names.is_list(matcher) else names_or_regex(matcher, by)

    def test(target: str) -> object:
        known = tool_names.names(target, tool_names.of_server(target))
        return any(map(search, known)) if search else tool_names.fits(matcher, known)

    return test


def literal(matcher: str, by: str) -> Test:
    return matcher.__eq__


def compile_matcher(matcher: str, by: str = "") -> re.Pattern[str] | Test | None:
    """None if the text is not a regex; a test that is never run if Python cannot express another engine's pattern.

    Patterns for Python may have named groups without the P, as many authors write them.
    """
    pattern = in_python(matcher, by) if by else matcher
    if not by and "(?<" in matcher:
        pattern = re.sub(r"\(\?<(?![=!])", "(?P<", matcher)
    if not isinstance(pattern, str):
        return pattern
    try:
        return quietly(re.compile, pattern)
    except (re.error, OverflowError, RecursionError):
        return unknowable if by else None


def in_python(matcher: str, by: str) -> str | Test | None:
    """Another engine's pattern as Python writes it; None if that engine refuses it."""
    if is_plain(matcher):
        return matcher
    from tenterhook.pipeline.regex import Beyond, Invalid, to_python

    try:
        return to_python(matcher, by)
    except Invalid:
        return None
    except (Beyond, RecursionError):
        return unknowable


def unknowable(target: str) -> object:
    return NOT_RUN


def quietly(function: Callable[..., Made], pattern: str, *more: Any) -> Made:
    """Hold a lock: two threads in catch_warnings at once would switch the host's warnings off for good."""
    if not any(part in pattern for part in DOUBTFUL):
        return function(pattern, *more)
    from threading import Lock

    with LOCKS.setdefault("warnings", Lock()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(pattern, *more)


LOCKS: dict[str, Any] = {}

MATCHERS = {
    "glob": Matcher(
        glob,
        "names between |, trimmed, each a glob on the whole name; case counts",
        short="glob",
        names=names_of_glob,
        broken="",
    ),
    "glob-nocase": Matcher(
        glob_nocase,
        "names between |, trimmed, each a glob on the whole name; case does not count",
        short="glob in any case",
        broken="",
    ),
    "regex-full": Matcher(
        regex_full,
        "a regular expression that must fit the whole name; one that is invalid is compared as text",
        short="regex on the whole value",
        names=names_of_regex,
        broken="exact text",
    ),
    "regex-search": Matcher(
        regex_search,
        "a regular expression that is searched for in the name; one that is invalid is compared as text",
        short="regex anywhere in the value",
        broken="exact text",
        engines=("javascript",),
    ),
    "literal": Matcher(
        literal,
        "the name itself",
        short="exact text",
        names=lambda matcher: frozenset({matcher}),
        broken="",
    ),
    "names-or-regex": Matcher(
        names_or_regex,
        "of letters, digits, _, -, blanks, commas and |: exact names; anything else is a regular expression that is "
        "searched for in the name; one that is invalid matches nothing",
        short="names or a regex",
        names=names_of_list,
        engines=("javascript-2025",),
    ),
    "names-or-regex-narrow": Matcher(
        names_or_regex_narrow,
        "of letters, digits, _ and |: exact names; anything else is a regular expression that is searched for in the "
        "name; one that is invalid matches nothing",
        short="names or a regex",
        names=names_of_regex,
        engines=("javascript-2025", "rust"),
    ),
    "names-and-regex": Matcher(
        names_and_regex,
        "names between |, trimmed, and all of it a regular expression that is searched for in the name; one that is "
        "invalid is names alone",
        short="names, and a regex anywhere in the value",
        exact=names_alone,
        broken="exact names",
        engines=("javascript",),
    ),
    "names-or-regex-whole": Matcher(
        names_or_regex_whole,
        "trimmed; of letters, digits, _ and |: exact names; anything else is a regular expression that must fit the "
        "whole name; one that is invalid, or empty, matches nothing, blanks alone match everything",
        short="exact names, or a regex on the whole value",
        names=names_of_trimmed,
        exact=names_only,
        everything=("*", "**"),
        trimmed=True,
        engines=("javascript-2025",),
    ),
    "tool-names": Matcher(
        any_name_of_tool,
        "a list of names, each the whole name that some agent has for the tool; anything else is a regular expression "
        "that is searched for in each of the tool's names; one that is invalid matches nothing",
        short="a tool by any agent's name for it",
    ),
    "regex-whole": Matcher(
        regex_whole,
        "a regular expression that must fit the whole name; one that is invalid matches nothing, nor do an empty one "
        "and *",
        short="regex on the whole value",
        everything=(),
        engines=("javascript-2025",),
    ),
}

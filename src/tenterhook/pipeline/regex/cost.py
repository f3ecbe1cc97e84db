"""How long a regular expression may take, from its structure alone.

A config can bring a pattern that takes years on a name of thirty letters. Python's matcher tries one way after another,
so its time is bounded by the number of ways in which each part can match, and these can be counted without running it:
a repeat has as many ways as places to end at, unless what follows cannot begin with what it repeats; parts in a row
multiply; a repeat around something that has several ways has as many as there are combinations.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, NamedTuple

parser: Any = import_module("re._parser")

# In nanoseconds, rounded up: one character of a repeated set, one step, one turn of a repeated group.
CHARACTER, STEP, TURN = 4.0, 20.0, 150.0
# How many parts of a pattern are looked at before it counts as too intricate to be judged.
PATIENCE = 4000
# Sets of characters are masks: a bit for each of ASCII's, and one for each sort of all others.
ASCII = (1 << 128) - 1
LETTERS, DIGITS, BLANKS, REST = (1 << 128 + n for n in range(4))
OTHERS = LETTERS | DIGITS | BLANKS | REST
EVERY = ASCII | OTHERS
NEVER = float("inf")


class RegexPart(NamedTuple):
    """A part of a pattern. `ways` in which it can match from one place, `first` characters, whether it can be empty."""

    ways: float
    cost: float
    first: int
    empty: bool

    @property
    def single(self) -> bool:
        return self.ways <= 1


def nanoseconds(pattern: str, size: int, *, search: bool) -> float:
    """An upper bound on the time to try a pattern on a text of that size; infinite if it is not known."""
    try:
        parsed = parser.parse(pattern)
        whole = RegexReading(size, has_inline_flag(pattern, "i"), has_inline_flag(pattern, "a")).row(list(parsed), 0)
    except (re.error, RecursionError, OverflowError, Unclear):
        return NEVER
    anchored = bool(parsed) and str(parsed[0][1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING")
    starts = 1 if not search or (anchored and not parsed.state.flags & re.MULTILINE) else size + 1
    return whole.cost * starts


def has_inline_flag(pattern: str, flag: str) -> bool:
    """Whether any part of a pattern may have this flag."""
    return re.search(rf"\(\?[a-zA-Z-]*{flag}", pattern) is not None


class Unclear(Exception):
    """A pattern that is too intricate, or that has a part which is not known here."""


class RegexReading:
    """Estimates one pattern for texts of one size. `after` is always the set of characters that may come next."""

    def __init__(self, size: int, ignore_case: bool, ascii_only: bool) -> None:
        self.size, self.ignore_case = size, ignore_case
        # Whether \w and the like include non-ASCII characters is uncertain if they may be ASCII only.
        self.surely, self.maybe = (ASCII, OTHERS) if ascii_only else (EVERY, 0)
        self.left = PATIENCE

    def row(self, items: list[Any], after: int) -> RegexPart:
        """Parts in a row: the ways of each multiply the cost of everything after it."""
        parts: list[RegexPart] = []
        for item in reversed(items):
            part = self.part(item, after)
            parts.append(part)
            after = part.first | (after if part.empty else 0)
        ways, cost, first, empty = 1.0, STEP, 0, True
        for part in reversed(parts):
            cost += ways * part.cost
            ways *= part.ways
            first |= part.first if empty else 0
            empty = empty and part.empty
        return RegexPart(ways, cost, first, empty)

    def part(self, item: Any, after: int) -> RegexPart:
        self.left -= 1
        if self.left < 0:
            raise Unclear
        kind, value = str(item[0]), item[1]
        if kind in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return RegexPart(1, STEP, self.characters(kind, value), False)
        if kind == "AT":
            return RegexPart(1, STEP, 0, True)
        if kind == "SUBPATTERN":
            return self.row(list(value[3]), after)
        if kind == "BRANCH":
            return self.branch([list(one) for one in value[1]], after)
        if kind in ("MAX_REPEAT", "MIN_REPEAT"):
            return self.repeat(value[0], value[1], list(value[2]), after)
        if kind in ("ATOMIC_GROUP", "ASSERT", "ASSERT_NOT", "POSSESSIVE_REPEAT"):
            return self.settled(kind, value)
        if kind == "GROUPREF":
            return RegexPart(1, STEP + self.size * CHARACTER, EVERY, True)
        raise Unclear

    def settled(self, kind: str, value: Any) -> RegexPart:
        """A part that never backtracks: it has a cost, but only one way."""
        if kind == "ATOMIC_GROUP":
            return self.row(list(value), EVERY)._replace(ways=1)
        if kind == "POSSESSIVE_REPEAT":
            inside = self.row(list(value[2]), EVERY)
            cost = min(int(value[1]), self.size) * (inside.cost + TURN)
            return RegexPart(1, cost, inside.first, inside.empty or value[0] == 0)
        return RegexPart(1, self.row(list(value[1]), EVERY).cost, 0, True)

    def branch(self, choices: list[list[Any]], after: int) -> RegexPart:
        """Alternatives have one way in all if the next character tells which one it is."""
        parts = [self.row(one, after) for one in choices]
        seen = 0
        apart = all(part.single for part in parts)
        for part in parts:
            begins = part.first | (after if part.empty else 0)
            apart = apart and not begins & seen
            seen |= begins
        ways = 1 if apart else sum(part.ways for part in parts)
        first = 0
        for part in parts:
            first |= part.first
        return RegexPart(ways, sum(part.cost for part in parts), first, any(part.empty for part in parts))

    def repeat(self, low: int, high: int, items: list[Any], after: int) -> RegexPart:
        most = min(int(high), self.size)
        spread = max(most - low, 0) + 1
        if len(items) == 1 and str(items[0][0]) in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            first = self.part(items[0], after).first
            return RegexPart(spread if first & after else 1, STEP + most * CHARACTER, first, low == 0)
        plain = self.row(items, EVERY)
        again = self.row(items, plain.first)
        out = self.row(items, after)
        empty = low == 0 or plain.empty
        if again.single and not plain.empty:
            # If each turn has one way, only the number of turns is open.
            distinct = out.single and (low == high or not plain.first & after)
            cost = STEP + most * (again.cost + out.cost + TURN)
            return RegexPart(1 if distinct else spread * out.ways, cost, plain.first, empty)
        if most <= 1:
            return RegexPart(1 + plain.ways, plain.cost + STEP, plain.first, empty)
        turns = max(plain.ways, 2.0) ** most
        return RegexPart(turns * spread, turns * (plain.cost + TURN), plain.first, empty)

    def characters(self, kind: str, value: Any) -> int:
        """The characters that it may match; rather too many than too few."""
        if kind == "ANY":
            return EVERY
        if kind == "NOT_LITERAL":
            return EVERY & ~(bit(value) & ASCII)
        if kind == "LITERAL":
            return self.fold_letter_case(bit(value))
        found = sorts = 0
        for what, one in value:
            name = str(what)
            if name == "LITERAL":
                found |= bit(one)
            elif name == "RANGE":
                found |= between(*one)
            elif name == "CATEGORY":
                sorts |= CATEGORIES[str(one)]
        if str(value[0][0]) == "NEGATE":
            return EVERY & ~(found & ASCII | sorts & self.surely)
        return self.fold_letter_case(found | sorts | self.maybe)

    def fold_letter_case(self, found: int) -> int:
        """Add the letters of the other case; some ASCII letters have counterparts beyond ASCII."""
        if not self.ignore_case:
            return found
        letters = found & (between(65, 90) | between(97, 122))
        small, large = letters & between(97, 122), letters & between(65, 90)
        return found | small >> 32 | large << 32 | (OTHERS if letters else 0)


def bit(character: int) -> int:
    return 1 << character if character < 128 else OTHERS


def between(low: int, high: int) -> int:
    if low > 127:
        return OTHERS
    mask = (1 << min(high, 127) + 1) - (1 << low)
    return mask | OTHERS if high > 127 else mask


def category(sign: str, others: int) -> int:
    return sum(bit(one) for one in range(128) if re.match(sign, chr(one))) | others


CATEGORIES = {
    "CATEGORY_DIGIT": category(r"\d", DIGITS),
    "CATEGORY_NOT_DIGIT": category(r"\D", OTHERS & ~DIGITS),
    "CATEGORY_SPACE": category(r"\s", BLANKS),
    "CATEGORY_NOT_SPACE": category(r"\S", OTHERS & ~BLANKS),
    "CATEGORY_WORD": category(r"\w", LETTERS | DIGITS),
    "CATEGORY_NOT_WORD": category(r"\W", BLANKS | REST),
}

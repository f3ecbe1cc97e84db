"""The reader that all languages share: it reads a pattern from left to right, piece by piece."""

from __future__ import annotations

import re
from functools import cache

CONTROLS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}")
HEX = re.compile(r"[0-9a-fA-F]+")
# Longer repeats may be refused for their size.
MOST = 1000


class Invalid(Exception):
    """The agent's engine refuses the pattern."""


class Beyond(Exception):
    """The agent's engine accepts the pattern, but Python cannot express it."""


class Pattern:
    """A pattern of another language, read from left to right."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.place = pattern, 0
        self.names: set[str] = set()

    def whole(self) -> str:
        made = self.alternatives()
        if self.place < len(self.pattern):
            raise Invalid("a bracket is closed that is not open")
        return made

    def alternatives(self) -> str:
        """Up to the end, or to the bracket that closes them."""
        made = ""
        while self.place < len(self.pattern) and not self.at(")"):
            made += "|" if self.take("|") else self.piece()
        return made

    def to_bracket(self) -> str:
        """Alternatives and the bracket behind them."""
        made = self.alternatives()
        if not self.take(")"):
            raise Invalid("a bracket is not closed")
        return made

    def piece(self) -> str:
        raise NotImplementedError

    def at(self, text: str) -> bool:
        return self.pattern.startswith(text, self.place)

    def take(self, text: str) -> bool:
        there = self.at(text)
        self.place += len(text) if there else 0
        return there

    def read(self, wanted: re.Pattern[str]) -> re.Match[str] | None:
        found = wanted.match(self.pattern, self.place)
        self.place = found.end() if found else self.place
        return found

    def next(self) -> str:
        if self.place >= len(self.pattern):
            raise Invalid("it ends too soon")
        self.place += 1
        return self.pattern[self.place - 1]

    def name(self, form: re.Pattern[str]) -> None:
        found = self.read(form)
        if not found or not self.take(">") or found[0] in self.names:
            raise Invalid("the name of a group is empty or used twice")
        self.names.add(found[0])

    def repeat(self) -> str:
        """The repeat at this place, if any; whether it is greedy does not change what matches."""
        counted = self.read(REPEAT)
        if counted:
            low, high = int(counted[1]), int(counted[3] or counted[1])
            if low > high:
                raise Invalid("a repeat goes from more to less")
            if high > MOST:
                raise Beyond("a long repeat")
        elif self.place >= len(self.pattern) or self.pattern[self.place] not in "*+?":
            return ""
        made = counted[0] if counted else self.next()
        self.take("?")
        return made

    def digits(self, size: int) -> int | None:
        """The number of that many hexadecimal digits, or of the digits in braces if the size is 0."""
        end = self.place + size if size else self.pattern.find("}", self.place)
        text = self.pattern[self.place : end]
        if end > len(self.pattern) or not HEX.fullmatch(text) or (not size and len(text) > 6):
            return None
        self.place = end if size else end + 1
        return int(text, 16)


@cache
def all_but(inside: str) -> str:
    """The inside of a set with all other characters."""
    rest, low = "", 0
    for found in sorted(code for code in range(0x3001) if re.match(f"[{inside}]", chr(code))):
        rest += range_of(low, found - 1) if low < found else ""
        low = found + 1
    tail = (0xFEFF,) if "\\ufeff" in inside else ()
    for found in tail:
        rest += range_of(low, found - 1)
        low = found + 1
    return rest + range_of(low, 0x10FFFF)


def range_of(low: int, high: int) -> str:
    if low > high:
        raise Invalid("a range goes from more to less")
    return f"{literal(low)}-{literal(high)}"


def text_of(member: str | int) -> str:
    return literal(member) if isinstance(member, int) else member


def literal(code: int) -> str:
    """A character that means itself, in a set or outside."""
    if code > 127:
        return f"\\U{code:08x}"
    sign = chr(code)
    return sign if sign.isalnum() or sign == "_" else f"\\{sign}" if sign.isprintable() else f"\\x{code:02x}"

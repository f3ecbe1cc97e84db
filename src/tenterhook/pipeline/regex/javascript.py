"""JavaScript's regular expressions, which have no flags in a matcher."""

from __future__ import annotations

import re

from tenterhook.pipeline.regex.pattern import (
    CONTROLS,
    REPEAT,
    Beyond,
    Invalid,
    Pattern,
    all_but,
    literal,
    range_of,
    text_of,
)

WORD, DIGIT = "A-Za-z0-9_", "0-9"
# The characters that JavaScript takes for blanks; Python's set differs.
BLANK = r"\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
NAME = re.compile(r"[A-Za-z_$][\w$]*")
NUMBER = re.compile(r"[1-9]\d*")
OCTAL = re.compile(r"[0-3]?[0-7]{1,2}")
MODIFIERS = re.compile(r"\?([ims]*)(?:-([ims]*))?:")
OPENED = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]?|(\((?!\?)|\(\?<(?![=!]))", re.DOTALL)
NOTHING, ANYTHING = "(?!)", r"[\s\S]"
LOOKS = ("(?=", "(?!", "(?<")


class JavaScript(Pattern):
    """ECMAScript without flags, with its web annex: an escape without a meaning is the character itself."""

    modern = False

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        opened = OPENED.findall(pattern)
        self.groups, self.has_names = sum(map(bool, opened)), "(?<" in opened

    def piece(self) -> str:
        repeatable, made = self.atom()
        repeat = self.repeat()
        if repeat and not repeatable:
            raise Invalid("there is nothing to repeat")
        if repeat and self.place < len(self.pattern) and (self.pattern[self.place] in "*+?" or self.at_count()):
            raise Invalid("a repeat after a repeat")
        return f"(?:{made}){repeat}" if repeat and made.startswith(LOOKS) else made + repeat

    def at_count(self) -> bool:
        return REPEAT.match(self.pattern, self.place) is not None

    def atom(self) -> tuple[bool, str]:
        """Read the next item; return whether it may be repeated."""
        if self.at_count():
            raise Invalid("there is nothing to repeat")
        sign = self.next()
        if sign == "(":
            return self.group()
        if sign == "[":
            return True, self.characters()
        if sign == "\\":
            return self.escape()
        if sign in "*+?":
            raise Invalid("there is nothing to repeat")
        if sign in "^$":
            return False, sign if sign == "^" else r"\Z"
        return True, r"[^\n\r\u2028\u2029]" if sign == "." else re.escape(sign)

    def group(self) -> tuple[bool, str]:
        for sign in ("?=", "?!", "?<=", "?<!"):
            if self.take(sign):
                return "<" not in sign, f"({sign}{self.to_bracket()})"
        if self.take("?<"):
            self.name(NAME)
        elif not self.take("?:") and self.at("?"):
            flags = self.read(MODIFIERS) if self.modern else None
            letters = flags[1] + (flags[2] or "") if flags else ""
            if not flags or not letters or len(set(letters)) < len(letters):
                raise Invalid("an unknown kind of group")
            if letters != "i":
                raise Beyond("modifiers")
            return True, f"(?{'-' if flags[2] else ''}i:{self.to_bracket()})"
        return True, f"(?:{self.to_bracket()})"

    def escape(self) -> tuple[bool, str]:
        if self.take("b") or self.take("B"):
            inside, outside = f"[{WORD}]", f"(?<![{WORD}])"
            edge = f"(?:{outside}(?={inside})|(?<={inside})(?!{inside}))"
            return False, edge if self.pattern[self.place - 1] == "b" else f"(?!{edge})"
        several = self.several()
        if several:
            return True, f"[{several}]"
        if self.at("k") and self.has_names:
            raise Beyond("a reference to a name")
        number = NUMBER.match(self.pattern, self.place)
        if number and int(number[0]) <= self.groups:
            raise Beyond("a reference to a group")
        return True, literal(self.character())

    def several(self) -> str:
        """The set of characters that an escape means, as the inside of a set."""
        for sign, inside in (("d", DIGIT), ("w", WORD), ("s", BLANK)):
            if self.take(sign):
                return inside
            if self.take(sign.upper()):
                return all_but(inside)
        return ""

    def character(self) -> int:
        """The character that an escape means; most mean the character itself."""
        octal = self.read(OCTAL)
        if octal:
            return int(octal[0], 8)
        if self.at("c"):
            letter = self.pattern[self.place + 1 : self.place + 2]
            if letter.isascii() and letter.isalpha():
                self.place += 2
                return ord(letter) % 32
            return ord("\\")
        sign = self.next()
        code = self.digits(2 if sign == "x" else 4) if sign in "xu" else CONTROLS.get(sign)
        return ord(sign) if code is None else code

    def characters(self) -> str:
        negated = self.take("^")
        if self.take("]"):
            return ANYTHING if negated else NOTHING
        made = ""
        while not self.take("]"):
            low = self.member()
            if self.at("-") and not self.at("-]"):
                self.take("-")
                high = self.member()
                if isinstance(low, int) and isinstance(high, int):
                    made += range_of(low, high)
                else:  # not a range, but a hyphen between the two
                    made += f"{text_of(low)}\\-{text_of(high)}"
            else:
                made += text_of(low)
        return f"[{'^' if negated else ''}{made}]"

    def member(self) -> str | int:
        """An item of a set: a character as its number, or several as the inside of a set."""
        sign = self.next()
        if sign != "\\":
            return ord(sign)
        return 8 if self.take("b") else self.several() or self.character()


class Modern(JavaScript):
    """Groups, including the additions of 2025: modifiers, and the same name in another alternative."""

    modern = True

    def alternatives(self) -> str:
        made, before, every = "", set(self.names), set(self.names)
        while self.place < len(self.pattern) and not self.at(")"):
            bar = self.take("|")
            every |= self.names
            self.names = set(before) if bar else self.names
            made += "|" if bar else self.piece()
        self.names |= every
        return made

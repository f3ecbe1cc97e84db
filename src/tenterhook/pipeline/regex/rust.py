"""The regular expressions of Rust's regex crate."""

from __future__ import annotations

import re

from tenterhook.pipeline.regex.pattern import CONTROLS, Beyond, Invalid, Pattern, all_but, literal, range_of, text_of

# The characters that Rust takes for blanks; Python's set differs.
RUST_BLANK = r"\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
RUST_NAME = re.compile(r"[A-Za-z_][\w.\[\]]*")
FLAGS = re.compile(r"\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
EDGES = {"start": r"\b(?=\w)", "end": r"\b(?<=\w)", "start-half": r"(?<!\w)", "end-half": r"(?!\w)"}
RUST_PLACES = {"b": r"\b", "B": r"\B", "A": r"\A", "z": r"\Z", "<": EDGES["start"], ">": EDGES["end"]}
# The beginning of a count that needs at least one.
ONCE = ("{1", "{2", "{3", "{4", "{5", "{6", "{7", "{8", "{9")
ASSERTIONS = {"^", "$", r"\Z", r"\A", r"\b", r"\B", *EDGES.values()}


class Rust(Pattern):
    """Rust's regex crate: no look-around and no references, flags anywhere, every escape known or refused."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.lines = False

    def alternatives(self) -> str:
        """Flags count up to the end of their group, across any bars after them."""
        made, flags, outer, empty = "", "", self.lines, True
        while self.place < len(self.pattern) and not self.at(")"):
            if self.take("|"):
                made, empty = made + (f")|(?{flags}:" if flags else "|"), True
                continue
            new = self.flags() if self.at("(?") else None
            if new is not None:
                made += ")" if flags else ""
                flags, empty = join_flags(flags, new), True
                made += f"(?{flags}:"
                continue
            made += self.piece() if not empty or not self.at_repeat() else self.refuse()
            empty = False
        self.lines = outer
        return f"{made})" if flags else made

    def refuse(self) -> str:
        raise Invalid("there is nothing to repeat")

    def at_repeat(self) -> bool:
        return self.place < len(self.pattern) and self.pattern[self.place] in "*+?{"

    def piece(self) -> str:
        atom, before = self.atom(), ""
        made = atom
        while self.at_repeat():
            repeat = self.repeat()
            if not repeat:
                raise Invalid("a brace that does not repeat anything")
            if atom in ASSERTIONS:  # repeating a position makes no difference
                made = atom = made if repeat[0] == "+" or repeat.startswith(tuple(ONCE)) else ""
            elif before and before in "*+?" and repeat in "*+?":
                before = before if before == repeat else "*"
                made = atom + before
            else:
                made, before = (f"(?:{made})" if before else made) + repeat, repeat if not before else "{"
        return made

    def atom(self) -> str:
        sign = self.next()
        if sign == "(":
            return self.group()
        if sign == "[":
            return self.characters()
        if sign == "\\":
            return self.escape()
        if sign == "$":
            return "$" if self.lines else r"\Z"
        return sign if sign in "^." else re.escape(sign)

    def flags(self) -> str | None:
        """Flags without a group, in Python's spelling with a group; None if a group begins here."""
        start = self.place
        self.take("(")
        found = self.read(FLAGS)
        if found and found[3] == ")" and found[0] != "?)":
            return self.known(found)
        self.place = start
        return None

    def known(self, found: re.Match[str]) -> str:
        on, off = found[1], found[2]
        letters = on + (off or "")
        if len(set(letters)) < len(letters) or not set(letters) <= set("imsUuxR") or off == "":
            raise Invalid("an unknown flag")
        if set(letters) & {"x", "R"} or "u" in (off or ""):
            raise Beyond("a flag")
        if "m" in letters:
            self.lines = "m" in on
        on, off = ("".join(one for one in text if one in "ims") for text in (on, off or ""))
        return on + (f"-{off}" if off else "")

    def group(self) -> str:
        if self.take("?P<") or (self.at("?<") and not self.at("?<=") and not self.at("?<!") and self.take("?<")):
            self.name(RUST_NAME)
            return f"(?:{self.to_bracket()})"
        if self.at("?"):
            found, outer = self.read(FLAGS), self.lines
            if not found or found[3] == ")":
                raise Invalid("an unknown kind of group")
            made = f"(?{self.known(found)}:{self.to_bracket()})"
            self.lines = outer
            return made
        return f"(?:{self.to_bracket()})"

    def escape(self) -> str:
        if self.take("b{"):
            edge = next((text for word, text in EDGES.items() if self.take(f"{word}}}")), "")
            return edge or self.refuse()
        for sign, made in RUST_PLACES.items():
            if self.take(sign):
                return made
        several = self.several()
        return f"[{several}]" if several else literal(self.character())

    def several(self) -> str:
        if self.take("s"):
            return RUST_BLANK
        if self.take("S"):
            return all_but(RUST_BLANK)
        for sign in "dDwW":
            if self.take(sign):
                return f"\\{sign}"
        if self.at("p") or self.at("P"):
            raise Beyond("a property of characters")
        return ""

    def character(self) -> int:
        sign = self.next()
        if sign in "xuU":
            code = self.digits(0) if self.take("{") else self.digits({"x": 2, "u": 4, "U": 8}[sign])
            if code is None or code > 0x10FFFF:
                raise Invalid("a number that is not valid")
            return code
        if sign in CONTROLS or sign == "a":
            return CONTROLS.get(sign, 7)
        if not sign.isascii() or sign.isalnum():
            raise Invalid(f"there is no escape \\{sign}")
        return ord(sign)

    def characters(self) -> str:
        negated = self.take("^")
        made = r"\]" if self.take("]") else ""
        while not self.take("]"):
            if self.at("[") or any(self.at(sign) for sign in ("&&", "--", "~~")):
                raise Beyond("a set of sets")
            low = self.member()
            if self.at("-") and not self.at("-]") and not self.at("--"):
                self.take("-")
                high = self.member()
                if isinstance(low, str) or isinstance(high, str):
                    raise Invalid("a range of more than characters")
                made += range_of(low, high)
            else:
                made += text_of(low)
        return f"[{'^' if negated else ''}{made}]"

    def member(self) -> str | int:
        sign = self.next()
        return ord(sign) if sign != "\\" else self.several() or self.character()


def join_flags(flags: str, more: str) -> str:
    """Flags of a group combined with those that follow them: the last one counts."""
    on, _, off = flags.partition("-")
    added, _, removed = more.partition("-")
    left = "".join(one for one in dict.fromkeys(on + added) if one not in removed)
    gone = "".join(one for one in dict.fromkeys(off + removed) if one not in added)
    return left + (f"-{gone}" if gone else "")

"""One word of a shell text: quotes, variables, substitutions. The content of substitutions is left to the parser."""

from __future__ import annotations

import re

from tenterhook.support.shell.records import (
    BARE,
    BRACE,
    HIDDEN,
    QUOTED,
    UNKNOWN,
    VARIABLE,
    Unparsable,
    Variable,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Pieces = list[tuple[str, Any]]

PLAIN = re.compile(r"[^ \t\n'\"\\$`;&|<>(){},\0]+")
IN_DOUBLE = re.compile(r'[^"\\$`\0]+')
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\]\+?|\+?)=")
LETTERS = dict(zip("ntrabeEfv\\'\"?", "\n\t\r\a\b\x1b\x1b\f\v\\'\"?", strict=True))
# Patterns that few commands need are compiled on first use.
IN_BODY = r"[^\\$`\0]+"
IN_OPERAND = r"[^'\"\\$`{}\0]+"
BRACED = r"([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(:?[-=+?]|(?=\}))"
CHANGED = r"([A-Za-z_][A-Za-z0-9_]*)(?:(\[[@*]\]\})|[%#/:^,@\[])"
PAREN = r"[()'\"\\]"
BACKQUOTED = r"(?s)[^`\\]*(?:\\.[^`\\]*)*"

DEEPEST = 40
MOST_PIECES = 10_000


def check_piece_count(pieces: Pieces) -> None:
    if len(pieces) > MOST_PIECES:
        raise Unparsable("a word has more parts than can be looked through")


class WordReader:
    """A position in a text, and methods that read words from there."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.size = text, 0, len(text)
        self.depth = 0

    def deeper(self, by: int) -> None:
        self.depth += by
        if self.depth > DEEPEST:
            raise Unparsable("its parts are nested too deeply")

    def substitution(self) -> None:
        """The commands up to the closing parenthesis; the position is after the opening one."""
        raise NotImplementedError

    def parse_nested(self, text: str) -> None:
        """The commands of a text in backquotes."""
        raise NotImplementedError

    def array(self) -> list[Word]:
        """The words of an array, up to the closing parenthesis."""
        raise NotImplementedError

    def word(self) -> Word:
        """The word that starts here; it may turn out to be empty."""
        pieces: Pieces = []
        text, size = self.text, self.size
        while self.at < size:
            check_piece_count(pieces)
            found = PLAIN.match(text, self.at)
            if found:
                self.at = found.end()
                pieces.append((BARE, found[0]))
                continue
            char = text[self.at]
            if char in " \t\n;&|)":
                break
            if char == "(":
                if len(pieces) != 1 or not ASSIGNMENT.fullmatch(str(pieces[0][1])):
                    break
                self.at += 1
                pieces.append((HIDDEN, self.array()))
            elif char in "<>":
                if text[self.at + 1 : self.at + 2] != "(":
                    break
                self.at += 2
                self.substitution()
                pieces.append((HIDDEN, ""))
            else:
                self.special(char, pieces)
        return Word(pieces)

    def special(self, char: str, pieces: Pieces) -> None:
        """A quote, an expansion, or a brace."""
        if char == "'":
            self.single(pieces)
        elif char == '"':
            self.double(pieces)
        elif char == "\\":
            self.parse_escape(pieces)
        elif char == "$":
            self.dollar(pieces, quoted=False)
        elif char == "`":
            self.backquotes(pieces, quoted=False)
        else:
            pieces.append((HIDDEN, "") if char == UNKNOWN else (BRACE, char))
            self.at += 1

    def single(self, pieces: Pieces) -> None:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Unparsable("a ' is not closed")
        pieces.append((QUOTED, self.text[self.at + 1 : end]))
        self.at = end + 1

    def parse_escape(self, pieces: Pieces) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if following == UNKNOWN:
            pieces.append((HIDDEN, ""))
        elif following != "\n":  # which continues the line
            pieces.append((QUOTED, following or "\\"))

    def double(self, pieces: Pieces) -> None:
        pieces.append((QUOTED, ""))
        self.at += 1
        self.quoted_until('"', IN_DOUBLE, pieces)
        if self.at >= self.size:
            raise Unparsable('a " is not closed')
        self.at += 1

    def quoted_until(self, end: str, run: re.Pattern[str], pieces: Pieces) -> None:
        """Text in which only $, ` and \\ are special, up to the given character or the end."""
        text, size = self.text, self.size
        while self.at < size:
            check_piece_count(pieces)
            found = run.match(text, self.at)
            if found:
                self.at = found.end()
                pieces.append((QUOTED, found[0]))
                continue
            char = text[self.at]
            if char == end:
                return
            if char == "\\":
                following = text[self.at + 1 : self.at + 2]
                self.at += 2
                if following != "\n":
                    special = following in ("$", "`", "\\", end)
                    pieces.append((QUOTED, following if special else "\\" + following))
            elif char == "$":
                self.dollar(pieces, quoted=True)
            elif char == "`":
                self.backquotes(pieces, quoted=True)
            else:
                pieces.append((HIDDEN, "") if char == UNKNOWN else (QUOTED, char))
                self.at += 1

    def dollar(self, pieces: Pieces, *, quoted: bool) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        self.deeper(1)
        if following == "(":
            self.parenthesis(pieces)
        elif following == "{":
            self.at += 2
            pieces.append(self.parse_braced(quoted))
        elif following == "'" and not quoted:
            self.at += 2
            pieces.append((QUOTED, self.ansi()))
        elif following == '"' and not quoted:
            self.at += 1
            self.double(pieces)
        elif following == "[":
            self.at = self.text.find("]", self.at) + 1
            if not self.at:
                raise Unparsable("a $[ is not closed")
            pieces.append((HIDDEN, ""))
        else:
            found = NAME.match(self.text, self.at + 1)
            self.at = found.end() if found else self.at + 1
            pieces.append((VARIABLE, Variable(found[0], quoted)) if found else (QUOTED, "$"))
        self.deeper(-1)

    def parenthesis(self, pieces: Pieces) -> None:
        """`$(...)` or `$((...))`."""
        if self.text.startswith("((", self.at + 1) and self.arithmetic_at(self.at + 3):
            self.at += 3
            self.arithmetic()
        else:
            self.at += 2
            self.substitution()
        pieces.append((HIDDEN, ""))

    def arithmetic_at(self, at: int) -> bool:
        """Whether (( before that position is closed by )), which makes it arithmetic."""
        depth, text, parenthesis = 0, self.text, re.compile(PAREN)
        while True:
            found = parenthesis.search(text, at)
            if not found:
                raise Unparsable("a ( is not closed")
            at = found.end()
            char = found[0]
            if char == "(":
                depth += 1
            elif char == ")":
                if not depth:
                    return text[at : at + 1] == ")"
                depth -= 1
            elif char == "\\":
                at += 1
            else:
                at = text.find(char, at) + 1
                if not at:
                    raise Unparsable(f"a {char} is not closed")

    def arithmetic(self) -> None:
        """Up to the closing )); it may hold substitutions."""
        depth = 0
        while self.at < self.size:
            char = self.text[self.at]
            if char in "'\"\\$`":
                self.special(char, [])
                continue
            self.at += 1
            if char == "(":
                depth += 1
            elif char == ")":
                if not depth:
                    self.at += 1
                    return
                depth -= 1
        raise Unparsable("a (( is not closed")

    def parse_braced(self, quoted: bool) -> tuple[str, Any]:
        """What follows `${`: a variable, or something that only the shell knows."""
        if self.text[self.at : self.at + 1] in ("", " ", "\t", "\n", "|"):
            raise Unparsable("a ${ needs a name")
        found = re.compile(BRACED).match(self.text, self.at)
        changed = re.compile(CHANGED).match(self.text, self.at)
        self.at = found.end() if found else self.at
        operand: Pieces = []
        self.operand(operand, quoted)
        if changed and not found:
            change = self.text[changed.end(1) : self.at - 1]
            return VARIABLE, Variable(changed[1], quoted, change="" if changed[2] else change)
        if not found:
            return HIDDEN, ""
        return VARIABLE, Variable(found[1], quoted, Word(operand) if found[2] and found[2][-1] != "?" else None)

    def operand(self, pieces: Pieces, quoted: bool) -> None:
        """Up to the closing brace; blanks and operators are literal in it."""
        run = re.compile(IN_OPERAND)
        while self.at < self.size:
            check_piece_count(pieces)
            found = run.match(self.text, self.at)
            if found:
                self.at = found.end()
                pieces.append((QUOTED if quoted else BARE, found[0]))
                continue
            char = self.text[self.at]
            if char == "}":
                self.at += 1
                return
            if char == "'" and quoted:
                pieces.append((QUOTED, char))
                self.at += 1
            else:
                self.special(char, pieces)
        raise Unparsable("a ${ is not closed")

    def backquotes(self, pieces: Pieces, *, quoted: bool) -> None:
        found = re.compile(BACKQUOTED).match(self.text, self.at + 1)
        end = found.end() if found else self.size
        if self.text[end : end + 1] != "`":
            raise Unparsable("a ` is not closed")
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        self.parse_nested(re.sub(r'\\([$`\\"])' if quoted else r"\\([$`\\])", r"\1", inner))
        pieces.append((HIDDEN, ""))

    def ansi(self) -> str:
        """The rest of `$'...'`, its escapes decoded; an escaped NUL ends the text, as in the shell."""
        parts: list[str] = []
        end: int | None = None
        while self.at < self.size:
            char = self.text[self.at]
            if char == "'":
                self.at += 1
                return "".join(parts[:end])
            if char == "\\":
                decoded = self.ansi_escape()
                end = len(parts) if decoded == "\0" and end is None else end
                parts.append(decoded)
            else:
                self.at += 1
                parts.append(char)
        raise Unparsable("a ' is not closed")

    def ansi_escape(self) -> str:
        """One escape of `$'...'`; an unknown one is literal."""
        found = re.match(
            r"(?s)\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))",
            self.text[self.at : self.at + 10],
        )
        if not found:
            raise Unparsable("a ' is not closed")
        self.at += found.end()
        hexadecimal = found[1] or found[2] or found[3]
        if hexadecimal or found[4]:
            number = int(hexadecimal, 16) if hexadecimal else int(found[4], 8) & 0xFF
            return chr(number) if number <= 0x10FFFF else ""
        if found[5]:
            return chr(ord(found[5]) & 0x1F)
        return LETTERS.get(found[6], "\\" + found[6])

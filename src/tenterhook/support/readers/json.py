"""JSON, with comments if the format is jsonc.

msgspec reads the values. The scanner knows the same grammar, so that it can find the position of each key and item, and
explain what is wrong with a text that msgspec refused. It does not use `re`: compiling the patterns would take longer
than scanning a usual file.
"""

from __future__ import annotations

from typing import Any

from msgspec import DecodeError
from msgspec.json import decode

from tenterhook.errors import ConfigError
from tenterhook.support.readers import DEEPEST, Position, Scan, error

BLANKS = " \t\r\n"
END = "\0"
WORD_ENDS = BLANKS + ',:[]{}"/' + END
NOTHING: dict[Any, Position] = {}
HINTS = {
    "True": "; write true",
    "False": "; write false",
    "None": "; write null",
    "undefined": "; write null",
    "NaN": ", which JSON does not have; write null",
    "Infinity": ", which JSON does not have; write null",
    "-Infinity": ", which JSON does not have; write null",
    "/": "; comments are not allowed here",
}


def values(text: str, file: str) -> Any:
    try:
        return decode(text)
    except (DecodeError, RecursionError) as exc:
        raise diagnosis(text, file, str(exc)) from None


def scan(text: str, file: str) -> Scan:
    return JsonScanner(text, file).scan()


def diagnosis(text: str, file: str, message: str) -> ConfigError:
    """What is wrong, in the scanner's words; in msgspec's if the scanner finds nothing."""
    if not text or text.isspace():
        return ConfigError("the file is empty; write {} to say nothing", file=file, line=1, column=1)
    try:
        scan(text, file)
    except ConfigError as exc:
        return exc
    message, _, place = message.partition(" (byte ")
    byte = int(place[:-1]) if place else 0
    return error(message, text, file, len(text.encode()[:byte].decode(errors="ignore")))


def blank_out_comments(text: str, file: str) -> str:
    """The same text with blanks for comments, so that every position stays true."""
    parts, done, at = [], 0, 0
    slash, quote = following(text, "/", 0), following(text, '"', 0)
    while slash < len(text):
        if quote < slash:
            at = closing(text, quote) + 1
            if not at:
                break  # the string does not end: the parser will report it
        else:
            at = comment_end(text, slash, file)
            parts += [text[done:slash], "".join(c if c in "\r\n" else " " for c in text[slash:at])]
            done = at
        # Searched again only when passed: otherwise each string would search the rest of the file for a comment.
        slash = following(text, "/", at) if slash < at else slash
        quote = following(text, '"', at) if quote < at else quote
    return "".join(parts) + text[done:]


def following(text: str, char: str, at: int) -> int:
    """The next position of the character, or the end of the text."""
    found = text.find(char, at)
    return found if found >= 0 else len(text)


def comment_end(text: str, slash: int, file: str) -> int:
    """Where the comment ends, or the next character if this slash does not start one."""
    if text.startswith("//", slash):
        return following(text, "\n", slash)
    if text.startswith("/*", slash):
        end = text.find("*/", slash + 2)
        if end < 0:
            raise error("the comment that starts here does not end; write */", text, file, slash)
        return end + 2
    raise error("expected a value or a comment, found '/'", text, file, slash)


def closing(text: str, start: int) -> int:
    """The position of the closing quote of the string that starts here, or -1."""
    end = text.find('"', start + 1)
    while end > 0 and is_backslash_escaped(text, end):
        end = text.find('"', end + 1)
    return end


def is_backslash_escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes comes before."""
    first = at
    while text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


class JsonScanner:
    """One pass over one text; `at` is always the next character."""

    def __init__(self, text: str, file: str) -> None:
        # A sentinel at the end saves a bounds check for each character.
        self.text, self.file, self.end = text + END, file, len(text)
        self.at = 0
        self.repeated: list[tuple[int, Any]] = []

    def scan(self) -> Scan:
        self.blank()
        start = self.at
        root = Position(0, self.value(1), start, self.at)
        self.blank()
        if self.at < self.end:
            raise self.expectation_error("the end of the file")
        return root, self.repeated

    def value(self, depth: int) -> dict[Any, Position]:
        """The positions inside a value; moves past the value."""
        first = self.text[self.at]
        if first == '"':
            self.string()
            return NOTHING
        if first not in "{[":
            return self.literal()
        if depth > DEEPEST:
            raise self.error(f"nested deeper than {DEEPEST} levels", self.at)
        return self.members(depth) if first == "{" else self.items(depth)

    def members(self, depth: int) -> dict[Any, Position]:
        inside: dict[Any, Position] = {}
        opened, self.at = self.at, self.at + 1
        more = self.blank() != "}"
        self.at += not more
        while more:
            start = self.at
            if self.text[start] != '"':
                raise self.expectation_error("a key in double quotes")
            key = self.string()
            if self.blank() != ":":
                raise self.expectation_error(f"':' after the key {key!r}")
            self.at += 1
            self.blank()
            if key in inside:
                self.repeated.append((start, key))
            value = self.at
            inside[key] = Position(start, self.value(depth + 1), value, self.at)
            more = self.more("}", opened)
        return inside

    def items(self, depth: int) -> dict[Any, Position]:
        inside: dict[Any, Position] = {}
        opened, self.at = self.at, self.at + 1
        more = self.blank() != "]"
        self.at += not more
        while more:
            start = self.at
            inside[len(inside)] = Position(start, self.value(depth + 1), start, self.at)
            more = self.more("]", opened)
        return inside

    def more(self, closer: str, opened: int) -> bool:
        """Whether another item follows; moves past the comma or the closing bracket."""
        found, comma = self.blank(), self.at
        if found not in (",", closer):
            line = self.text.count("\n", 0, opened) + 1
            open_since = f"; the {self.text[opened]!r} of line {line} is not closed" if self.at >= self.end else ""
            raise self.expectation_error(f"',' or '{closer}'", open_since)
        self.at += 1
        if found == "," and self.blank() == closer:
            raise self.error(f"there is a comma before '{closer}'; remove it", comma)
        return found == ","

    def blank(self) -> str:
        """Skip blanks; returns the next character."""
        text, at = self.text, self.at
        while text[at] in BLANKS:
            at += 1
        self.at = at
        return text[at]

    def string(self) -> str:
        start, end = self.at, closing(self.text, self.at)
        try:
            string: str = decode(self.text[start : end + 1], type=str)
        except DecodeError:
            raise self.bad_string(start, end) from None
        self.at = end + 1
        return string

    def literal(self) -> dict[Any, Position]:
        word = self.word()
        try:
            decode(word)
        except DecodeError as exc:
            if str(exc).endswith("out of range"):
                raise self.error("the number is out of range", self.at) from None
            raise self.expectation_error("a value") from None
        self.at += len(word)
        return NOTHING

    def word(self) -> str:
        at = self.at
        while self.text[at] not in WORD_ENDS:
            at += 1
        return self.text[self.at : at]

    def expectation_error(self, what: str, hint: str = "") -> ConfigError:
        found = self.word() or self.text[self.at]
        hint = hint or HINTS.get(found, "; write it in double quotes" if found[0] == "'" else "")
        shown = "the end of the file" if self.at >= self.end else repr(found[:40])
        return self.error(f"expected {what}, found {shown}{hint}", self.at)

    def bad_string(self, start: int, end: int) -> ConfigError:
        at = start + 1
        while end > 0 and at < end:
            char = self.text[at]
            if char < " ":
                break
            length = self.escape(at) if char == "\\" else 1
            if not length:
                shown = self.text[at : min(end, at + (6 if self.text[at + 1] == "u" else 2))]
                return self.error(f"{shown} is not an escape in a string", at)
            at += length
        if end < 0 or self.text[at] in "\r\n":
            return self.error("the string that starts here does not end on its line", start)
        return self.error(f"a string holds a control character; write \\u{ord(self.text[at]):04x}", at)

    def escape(self, at: int) -> int:
        """The length of the escape that starts here; 0 if it is not one."""
        for length in (2, 6, 12):  # \n, \u00e9, and a pair of surrogates
            try:
                decode(f'"{self.text[at : at + length]}"')
                return length
            except DecodeError:
                continue
        return 0

    def error(self, message: str, offset: int) -> ConfigError:
        return error(message, self.text, self.file, offset)

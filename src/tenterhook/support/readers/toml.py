"""TOML: tomllib reads the values, our own scanner finds their positions.

The scanner runs on text that tomllib has accepted, so it only finds where things start and end and checks nothing else.
"""

from __future__ import annotations

import tomllib
from contextlib import suppress
from typing import Any

from tenterhook.errors import ConfigError
from tenterhook.support.readers import DEEPEST, Position, Scan, error
from tenterhook.support.readers.json import END, NOTHING, closing, is_backslash_escaped

LONG_KEY = 1000


def values(text: str, file: str) -> Any:
    # tomllib takes quadratic time for a key of many parts: 7 s for 20,000 of them in a file of 40 kB.
    if text.count(".") > LONG_KEY and any(line.count(".") > LONG_KEY for line in text.split("\n")):
        refuse_depth(text, file)
    try:
        return tomllib.loads(text)
    except RecursionError:
        refuse_depth(text, file)
        raise ConfigError(f"nested deeper than {DEEPEST} levels", file=file) from None
    except ValueError as exc:  # also a number of more than 4,300 digits
        raise toml_config_error(str(exc), text, file) from None


def scan(text: str, file: str) -> Scan:
    return TomlScanner(text, file).scan()


def refuse_depth(text: str, file: str) -> None:
    """Raise at the first position that is too deep. The scanner fails only where tomllib will find an error too."""
    with suppress(ValueError):
        scan(text, file)


def toml_config_error(message: str, text: str, file: str) -> ConfigError:
    """tomllib says `what (at line 3, column 5)` or `what (at end of document)`."""
    what, _, place = message.rpartition(" (at ")
    if place == "end of document)":
        return error(what, text, file, len(text))
    if not what:
        return ConfigError(message, file=file)
    line, column = place.removeprefix("line ").removesuffix(")").split(", column ")
    return ConfigError(what, file=file, line=int(line), column=int(column))


class TomlScanner:
    """One pass over one text; `at` is always the next character."""

    def __init__(self, text: str, file: str) -> None:
        # A sentinel at the end saves a bounds check for each character.
        self.text, self.file, self.end = text + END, file, len(text)
        self.at = 0
        self.root = Position(0, {})

    def scan(self) -> Scan:
        table, depth = self.root, 1
        self.gap()
        while self.at < self.end:
            if self.text[self.at] == "[":
                table, depth = self.header()
            else:
                self.pair(table, depth)
            self.gap()
        return self.root, []

    def header(self) -> tuple[Position, int]:
        """The table for the lines below a header, and its depth."""
        start, brackets = self.at, 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        *parents, (name, offset) = self.keys()
        self.take("]" * brackets)
        table, depth = self.descend(parents, self.root, 1)
        place = table.inside.setdefault(name, Position(offset, {}))
        self.check(depth + brackets, offset)
        if brackets == 1:
            place.offset = offset  # an earlier [a.b] only mentioned `a`; here it is defined
            return place, depth + 1
        item = place.inside[len(place.inside)] = Position(start, {})
        return item, depth + 2

    def pair(self, table: Position, depth: int) -> None:
        *parents, (name, offset) = self.keys()
        self.take("=")
        self.spaces()
        table, depth = self.descend(parents, table, depth)
        table.inside[name] = Position(offset, self.value(depth + 1))

    def descend(self, keys: list[tuple[str, int]], table: Position, depth: int) -> tuple[Position, int]:
        """Go through tables, created if only mentioned, and the last item of each array of tables."""
        for name, offset in keys:
            table, depth = table.inside.setdefault(name, Position(offset, {})), depth + 1
            if 0 in table.inside:
                # In a broken file, which the parser refuses later, it may be a table as well.
                table, depth = table.inside.get(len(table.inside) - 1, table.inside[0]), depth + 1
            self.check(depth, offset)
        return table, depth

    def keys(self) -> list[tuple[str, int]]:
        """The parts of a dotted key and their positions; moves past it."""
        found = []
        while True:
            self.spaces()
            start = self.at
            found.append((self.key(), start))
            self.check(len(found), start)
            self.spaces()
            if self.text[self.at] != ".":
                return found
            self.at += 1

    def key(self) -> str:
        start = self.at
        if self.text[start] in "\"'":
            self.string()
            raw = self.text[start : self.at]
            return str(tomllib.loads(f"key = {raw}")["key"]) if "\\" in raw else raw[1:-1]
        while self.text[self.at].isalnum() or self.text[self.at] in "-_":
            self.at += 1
        return self.progress(start)

    def value(self, depth: int) -> dict[Any, Position]:
        """The positions inside a value; moves past the value."""
        first, start = self.text[self.at], self.at
        if first in "[{":
            self.check(depth, start)
            return self.items(depth) if first == "[" else self.members(depth)
        if first in "\"'":
            self.string()
        else:
            while self.text[self.at] not in ",]}#\r\n" + END:
                self.at += 1
            self.progress(start)
        return NOTHING

    def items(self, depth: int) -> dict[Any, Position]:
        inside: dict[Any, Position] = {}
        self.at += 1
        while self.gap() != "]":
            inside[len(inside)] = Position(self.at, self.value(depth + 1))
            if self.gap() == ",":
                self.at += 1
        self.at += 1
        return inside

    def members(self, depth: int) -> dict[Any, Position]:
        table = Position(self.at, {})
        self.at += 1
        while self.gap() != "}":
            self.pair(table, depth)
            if self.gap() == ",":
                self.at += 1
        self.at += 1
        return table.inside

    def string(self) -> None:
        """Skip a string of any of the four kinds."""
        start, quote = self.at, self.text[self.at]
        if self.text.startswith(quote * 3, start):
            end = self.text.find(quote * 3, start + 3)
            while end > 0 and quote == '"' and is_backslash_escaped(self.text, end):
                end = self.text.find(quote * 3, end + 1)
            # Up to two quotes may come before the three that close.
            while end > 0 and self.text[end + 3] == quote:
                end += 1
            end += 2 if end > 0 else 0
        else:
            end = closing(self.text, start) if quote == '"' else self.text.find(quote, start + 1)
        if end < 0:
            raise self.scan_error()
        self.at = end + 1

    def gap(self) -> str:
        """Skip blanks, line ends and comments; returns the next character."""
        while (char := self.text[self.at]) in " \t\r\n#":
            if char == "#":
                end = self.text.find("\n", self.at)
                self.at = end if end >= 0 else self.end
            else:
                self.at += 1
        return char

    def spaces(self) -> None:
        while self.text[self.at] in " \t":
            self.at += 1

    def take(self, expected: str) -> None:
        if not self.text.startswith(expected, self.at):
            raise self.scan_error()
        self.at += len(expected)

    def progress(self, start: int) -> str:
        """The text that was skipped. It must not be empty, or the scan would never end."""
        if self.at == start:
            raise self.scan_error()
        return self.text[start : self.at]

    def check(self, depth: int, offset: int) -> None:
        if depth > DEEPEST:
            raise error(f"nested deeper than {DEEPEST} levels", self.text, self.file, offset)

    def scan_error(self) -> ValueError:
        return ValueError(f"this is not TOML at offset {self.at}")

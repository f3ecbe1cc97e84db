"""Read a config file, and find the line and column of anything in it later.

Values come from the fast parser of each format, which has no positions. Positions come from our own scan, which runs
once, when they are first needed or when the parse fails and the user has to be told why.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from tenterhook.errors import ConfigError, DialectError
from tenterhook.support.files import whole
from tenterhook.types import Path

__all__ = ["DEEPEST", "LARGEST", "Document", "Position", "Scan", "error", "parse", "read", "read_if_valid"]

LARGEST = 8 * 1024 * 1024
DEEPEST = 64


class Document(Struct, frozen=True):
    """The content of a file. `where` and `duplicates` scan the text once, on the first call of either."""

    file: str
    data: Any
    where: Callable[[Path], tuple[int, int]]
    duplicates: Callable[[], list[tuple[int, int, Any]]] = list


class Position(Struct, gc=False):
    """Where an item, or a key with its value, starts, as an offset into the text, and the positions of what is in it.

    In JSON also where the value itself starts, and where it ends.
    """

    offset: int
    inside: dict[Any, Position]
    value: int = 0
    end: int = 0


# The root, and each key that occurs again in the same mapping, with its offset.
Scan = tuple[Position, list[tuple[int, Any]]]


class Positions:
    """The positions in one text, computed on first use."""

    def __init__(self, text: str, file: str, format: str) -> None:
        self.text, self.file, self.format = text, file, format
        self.found: tuple[Position, list[tuple[int, Any]], list[int]] | None = None

    def look(self) -> tuple[Position, list[tuple[int, Any]], list[int]]:
        if self.found is None:
            _, scan = reader(self.format)
            self.found = (*scan(self.text, self.file), line_starts(self.text))
        return self.found

    def position(self, offset: int) -> tuple[int, int]:
        starts = self.look()[2]
        line, after = 0, len(starts)
        while line < after:  # the module `bisect` would take longer to import than this takes for all hooks
            middle = (line + after) // 2
            line, after = (middle + 1, after) if starts[middle] <= offset else (line, middle)
        return line, offset - starts[line - 1] + 1

    def where(self, path: Path) -> tuple[int, int]:
        """The position of the key or item, or of the nearest existing parent."""
        place = self.look()[0]
        for step in path:
            if step not in place.inside:
                break
            place = place.inside[step]
        return self.position(place.offset)

    def duplicates(self) -> list[tuple[int, int, Any]]:
        """Line and column of each key that occurs again, and the key."""
        return [(*self.position(offset), key) for offset, key in self.look()[1]]


def read(file: str, format: str, naming: tuple[str, ...] = ()) -> Document | None:
    """The document in a file; None if there is no such file, or it contains none of the words to look for."""
    try:
        # A repository can hold a symlink to a pipe, to /dev/zero or to our own stdin, and is not trusted yet.
        with open(file, "rb", opener=unblocking) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise ConfigError("is not a regular file", file=file)
            text = whole(stream, file, LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.islink(file):
            raise ConfigError("is a link that leads nowhere", file=file) from None
        return None
    except (OSError, ValueError) as exc:  # ValueError: a NUL in the name
        raise ConfigError(f"cannot be read: {getattr(exc, 'strerror', None) or exc}", file=file) from exc
    if naming and len(text) <= LARGEST and not any(word.encode() in text for word in naming):
        return None
    return parse(text, file, format)


def read_if_valid(file: str, format: str) -> Document | None:
    """Like `read`; None also for a file with an error, which loading reports."""
    try:
        return read(file, format)
    except ConfigError:
        return None


def unblocking(file: str, flags: int) -> int:
    return os.open(file, flags | getattr(os, "O_NONBLOCK", 0))


def parse(text: bytes, file: str, format: str) -> Document:
    """The document in a text. `format` is json, jsonc, toml, yaml or frontmatter."""
    source = decode_utf8_source(text, file)
    if format == "frontmatter":
        from tenterhook.support.readers.frontmatter import frontmatter

        source, format = frontmatter(source), "yaml"
    elif format == "jsonc":
        from tenterhook.support.readers.json import blank_out_comments

        source, format = blank_out_comments(source, file), "json"
    places = Positions(source, file, format)
    if format in ("toml", "yaml") and (not source or source.isspace()):
        return Document(file, {}, places.where, places.duplicates)
    values, _ = reader(format)
    return Document(file, validate_top_level(values(source, file), places), places.where, places.duplicates)


def validate_top_level(data: Any, places: Positions) -> dict[Any, Any]:
    if not isinstance(data, dict):
        start = len(places.text) - len(places.text.lstrip())
        raise error(f"the top level must be a mapping, not {kind(data)}", places.text, places.file, start)
    if too_deep(data):
        places.look()  # finds the position, and raises
        raise ConfigError(f"nested deeper than {DEEPEST} levels", file=places.file)
    return data


def reader(format: str) -> tuple[Callable[[str, str], Any], Callable[[str, str], Scan]]:
    """Imports only what the format needs: YAML alone takes 15 ms."""
    if format == "json":
        from tenterhook.support.readers import json

        return json.values, json.scan
    if format == "toml":
        from tenterhook.support.readers import toml

        return toml.values, toml.scan
    if format == "yaml":
        from tenterhook.support.readers import yaml

        return yaml.values, yaml.scan
    raise DialectError(f"no reader for the format {format!r}; there are json, jsonc, toml, yaml and frontmatter")


def decode_utf8_source(text: bytes, file: str) -> str:
    if len(text) > LARGEST:
        raise ConfigError(f"larger than {LARGEST // 1024 // 1024} MiB", file=file)
    text = text.removeprefix(b"\xef\xbb\xbf")
    try:
        return text.decode()
    except UnicodeDecodeError as exc:
        before = text[: exc.start].decode()
        raise error(f"byte 0x{text[exc.start]:02x} is not UTF-8", before, file, len(before)) from None


def error(message: str, text: str, file: str, offset: int) -> ConfigError:
    """The error for an offset."""
    line = text.count("\n", 0, offset) + 1
    return ConfigError(message, file=file, line=line, column=offset - text.rfind("\n", 0, offset))


def line_starts(text: str) -> list[int]:
    starts, at = [0], text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def too_deep(data: Any) -> bool:
    """Level by level, because recursion is what a deep file would break."""
    level = [data]
    for _ in range(DEEPEST):
        every = [item.values() if isinstance(item, dict) else item for item in level]
        level = [child for children in every for child in children if isinstance(child, (dict, list))]
        if not level:
            return False
    return True


def kind(data: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return "null" if data is None else names.get(type(data), f"a {type(data).__name__}")

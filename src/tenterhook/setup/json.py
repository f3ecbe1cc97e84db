"""Additions to JSON, with or without comments, in the layout that the file already has."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tenterhook.readers import json as reader
from tenterhook.readers.json import BLANKS, closing, uncommented
from tenterhook.setup.edit import Addition, newline


class Layout(Struct, frozen=True):
    """How a text is written around a bracket: the line end, one level of indentation, where the brackets stand."""

    line_end: str
    unit: str
    base: str
    child: str


def edit(text: str, addition: Addition) -> tuple[int, str, str]:
    """Behind the last thing in the bracket; comments that follow that thing stay with it."""
    bare = uncommented(text, "")
    start = bracket(bare, addition.path if addition.item else addition.path[:-1])
    end = matching(bare, start)
    last = start + 1 + len(bare[start + 1 : end].rstrip(BLANKS))
    empty = last == start + 1
    old = text[last:end].rstrip(BLANKS)
    key = "" if addition.item else f"{dumped(addition.path[-1])}: "
    comma = "" if empty else ","
    if one_line(text, start, end, empty):
        blank = "" if empty else " "
        return last, old, f"{comma}{old}{blank}{key}{dumped(addition.value)}"
    layout = layout_of(text, bare, start, empty)
    body = dumped(addition.value, layout.unit).replace("\n", layout.line_end + layout.child)
    closed = "" if not empty or "\n" in text[last + len(old) : end] else layout.line_end + layout.base
    return last, old, f"{comma}{old}{layout.line_end}{layout.child}{key}{body}{closed}"


def one_line(text: str, start: int, end: int, empty: bool) -> bool:
    """Whether the bracket is written on one line; an empty one as the whole file is."""
    if "\n" in text[start:end]:
        return False
    return not empty or (len(text.strip()) > end - start + 1 and "\n" not in text.strip())


def layout_of(text: str, bare: str, start: int, empty: bool) -> Layout:
    base = indentation(text, start)
    unit = next((found for line in text.split("\n") if (found := line[: len(line) - len(line.lstrip(" \t"))])), "  ")
    first = start + 1 + len(bare[start + 1 :]) - len(bare[start + 1 :].lstrip(BLANKS))
    own_line = not empty and "\n" in bare[start:first]
    return Layout(newline(text), unit, base, indentation(text, first) if own_line else base + unit)


def indentation(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def bracket(bare: str, path: tuple[str, ...]) -> int:
    """Where the mapping or list at the path opens."""
    place, _ = reader.scan(bare, "")
    at = skip(bare, 0)
    for key in path:
        place = place.inside[key]
        at = skip(bare, skip(bare, closing(bare, place.offset) + 1) + 1)
    return at


def skip(bare: str, at: int) -> int:
    while bare[at] in BLANKS:
        at += 1
    return at


def matching(bare: str, start: int) -> int:
    """Where the bracket that opens at `start` closes; the text is known to be good."""
    depth, at = 0, start
    while True:
        if bare[at] == '"':
            at = closing(bare, at)
        depth += (bare[at] in "[{") - (bare[at] in "]}")
        if not depth:
            return at
        at += 1


def dumped(value: Any, unit: str | None = None) -> str:
    from json import dumps

    return dumps(value, indent=unit, ensure_ascii=False)

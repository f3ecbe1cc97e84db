"""Additions to JSON, with or without comments, in the layout that the file already has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from tenterhook.support.readers import Position
from tenterhook.support.readers.json import BLANKS, blank_out_comments, scan
from tenterhook.tools.install.editing.edit import Addition, Edit, canonical, newline


class JsonStyle(Struct, frozen=True):
    """How a text is written around a bracket: the line end, one level of indentation, where the brackets are."""

    line_end: str
    unit: str
    base: str
    child: str


def edit(text: str, addition: Addition) -> tuple[int, str, str]:
    """After the last thing in the bracket; comments that follow that thing stay with it."""
    bare = blank_out_comments(text, "")
    holder = locate(bare, addition.path if addition.item else addition.path[:-1])
    start, end = holder.value, holder.end - 1
    last = start + 1 + len(bare[start + 1 : end].rstrip(BLANKS))
    empty = last == start + 1
    old = text[last:end].rstrip(BLANKS)
    key = "" if addition.item else f"{dump_json(addition.path[-1])}: "
    comma = "" if empty else ","
    if one_line(text, start, end, empty):
        blank = "" if empty else " "
        return last, old, f"{comma}{old}{blank}{key}{dump_json(addition.value)}"
    layout = layout_of(text, bare, start, empty)
    body = dump_json(addition.value, layout.unit).replace("\n", layout.line_end + layout.child)
    closed = "" if not empty or "\n" in text[last + len(old) : end] else layout.line_end + layout.base
    return last, old, f"{comma}{old}{layout.line_end}{layout.child}{key}{body}{closed}"


def one_line(text: str, start: int, end: int, empty: bool) -> bool:
    """Whether the bracket is written on one line; for an empty one, as the whole file is."""
    if "\n" in text[start:end]:
        return False
    return not empty or (len(text.strip()) > end - start + 1 and "\n" not in text.strip())


def layout_of(text: str, bare: str, start: int, empty: bool) -> JsonStyle:
    base = indentation(text, start)
    unit = next((found for line in text.split("\n") if (found := line[: len(line) - len(line.lstrip(" \t"))])), "  ")
    first = start + 1 + len(bare[start + 1 :]) - len(bare[start + 1 :].lstrip(BLANKS))
    own_line = not empty and "\n" in bare[start:first]
    return JsonStyle(newline(text), unit, base, indentation(text, first) if own_line else base + unit)


def indentation(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def removals(text: str, data: Any, edit: Edit) -> Iterator[str]:
    """The text without the addition: as it was written, or, if it was rewritten, with one comma less."""
    bare = blank_out_comments(text, "")
    spans = [(place.offset, place.end) for place in (locate(bare, path) for path in standing(data, edit.addition))]
    for start, end in spans:
        at = text.find(edit.new, max(0, end - len(edit.new)))
        if 0 <= at <= start:
            yield text[:at] + edit.old + text[at + len(edit.new) :]
    for start, end in spans:
        yield from cut_out(text, bare, start, end)


def standing(data: Any, addition: Addition) -> list[tuple[str | int, ...]]:
    """Where the same data are now, the last first: the key, or each equal item of the list."""
    for key in addition.path:
        if not isinstance(data, dict) or key not in data:
            return []
        data = data[key]
    wanted = canonical(addition.value)
    if not addition.item:
        return [addition.path] if canonical(data) == wanted else []
    items = list(enumerate(data)) if isinstance(data, list) else []
    return [(*addition.path, number) for number, item in reversed(items) if canonical(item) == wanted]


def cut_out(text: str, bare: str, start: int, end: int) -> Iterator[str]:
    """Without the comma before it or the one after it. Comments stay, and may swallow what follows: all are tried."""
    before, after = len(bare[:start].rstrip(BLANKS)), skip(bare, end)
    head = text[:start].rstrip(BLANKS)
    if bare[before - 1] == ",":
        yield head[: before - 1] + head[before:] + text[end:]
    if bare[after] == ",":
        yield text[:start] + text[end:after] + text[after + 1 :].lstrip(BLANKS)
    yield head + text[end:].lstrip(BLANKS)
    yield head + text[end:]


def locate(bare: str, path: tuple[str | int, ...]) -> Position:
    place, _ = scan(bare, "")
    for key in path:
        place = place.inside[key]
    return place


def skip(bare: str, at: int) -> int:
    while bare[at] in BLANKS:
        at += 1
    return at


def dump_json(value: Any, unit: str | None = None) -> str:
    from json import dumps

    return dumps(value, indent=unit, ensure_ascii=False)

"""Plain tables for a terminal: columns as wide as their widest cell, no boxes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

GAP = "  "
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def table(rows: Sequence[Sequence[str]], *, indent: str = "") -> str:
    """The rows one a line, their cells under each other. Cells may hold colours; rows may differ in length."""
    columns = max((len(row) for row in rows), default=0)
    widths = [max((width(row[n]) for row in rows if n < len(row)), default=0) for n in range(columns)]
    return "\n".join(indent + line(row, widths) for row in rows)


def line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (cell + " " * (widths[n] - width(cell)) for n, cell in enumerate(row))
    return GAP.join(cells).rstrip()


def width(text: str) -> int:
    """How many columns a terminal gives the text: colours take none, East Asian characters two."""
    plain = COLOURS.sub("", text)
    if plain.isascii():
        return len(plain)
    return sum(columns_of(char) for char in plain)


def columns_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

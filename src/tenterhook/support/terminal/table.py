"""Plain tables for a terminal: columns as wide as their widest cell, no boxes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap

GAP = "  "
BELOW = "    "
# More columns than this leave no room for sentences.
MANY = 4
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def table(rows: Sequence[Sequence[str]], *, indent: str = "") -> str:
    """One row per line, cells aligned. Cells may hold colours; rows may differ in length."""
    columns = max((len(row) for row in rows), default=0)
    widths = [max((width(row[n]) for row in rows if n < len(row)), default=0) for n in range(columns)]
    return "\n".join(indent + line(row, widths) for row in rows)


def render_table_to_width(rows: Sequence[Sequence[str]], room: int, *, indent: str = "") -> str:
    """Like table, limited in width: long cells are folded, but words are not cut.

    If there are many columns, the last and longest one is put below its row.
    """
    whole = table(rows, indent=indent)
    if max(map(width, whole.split("\n"))) <= room:
        return whole
    many = len(rows[0]) > MANY
    room -= len(indent)
    blocks = fold_rows_to_width([row[:-1] if many else row for row in rows], room)
    lines = iter(table([part for block in blocks for part in block], indent=indent).split("\n"))
    below = [wrap_table_cell(row[-1], room - len(BELOW)) if many else [] for row in rows]
    found: list[str] = []
    for block, more in zip(blocks, below, strict=True):
        found += [next(lines) for _ in block]
        found += [f"{indent}{BELOW}{one}".rstrip() for one in more]
    return "\n".join(found)


def fold_rows_to_width(rows: Sequence[Sequence[str]], room: int) -> list[list[tuple[str, ...]]]:
    """Each row as the lines it takes; the widest columns shrink first."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(width, cells)) for cells in columns]
    least = [max(width(word) for cell in cells for word in cell.split() or [""]) for cells in columns]
    while sum(widths) + len(GAP) * (len(widths) - 1) > room:
        spare, widest = max((have - need, n) for n, (have, need) in enumerate(zip(widths, least, strict=True)))
        if not spare:
            break
        widths[widest] -= 1
    return [list(zip_longest(*map(wrap_table_cell, row, widths), fillvalue="")) for row in rows]


def wrap_table_cell(cell: str, room: int) -> list[str]:
    return wrap(cell, max(1, room), break_long_words=False, break_on_hyphens=False) or [""]


def line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (cell + " " * (widths[n] - width(cell)) for n, cell in enumerate(row))
    return GAP.join(cells).rstrip()


def width(text: str) -> int:
    """How many terminal columns the text takes: colours none, East Asian characters two."""
    plain = COLOURS.sub("", text)
    if plain.isascii():
        return len(plain)
    return sum(columns_of(char) for char in plain)


def columns_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

"""The matrix as tables: an agent's events by its effects."""

from __future__ import annotations

from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.tools.describe.tables import Table
from tenterhook.tools.matrix import ADVISORY, EFFECTS, ENFORCED, IMPOSSIBLE, Cell, cells
from tenterhook.tools.matrix.evidence import MARKS, MEANINGS

NEVER = "-"
LETTERS = {word: letter or "derived" for letter, word in MARKS.items()}
SUPPORT = [
    (ENFORCED, "the agent does it"),
    (ADVISORY, "the agent hears it, and need not do it"),
    (NEVER, "impossible: no answer of a hook does it there"),
]


def table_of(dialect: Dialect) -> Table:
    """A row for each event, a column for each effect; in a cell what it is and how that is known."""
    found = {(cell.event, cell.effect): cell for cell in cells(dialect)}
    rows = [
        (rule.name, rule.kind, *(render_cell(found[rule.name, effect]) for effect in EFFECTS))
        for rule in dialect.events
    ]
    title = f"{dialect.title} {dialect.version}".strip()
    about = ". ".join((dialect.about, *describe_unhooked(dialect)))
    return Table(title, about, ("event", "kind", *EFFECTS), tuple(rows))


def describe_unhooked(dialect: Dialect) -> list[str]:
    """What no cell is about, because no hook is called for it."""
    return [f"No hook is called for {text}" for text in dialect.remarks.unhooked]


def render_cell(cell: Cell) -> str:
    what = NEVER if cell.support == IMPOSSIBLE else cell.support
    note = f" {cell.note}" if cell.effect == "rewrite" and cell.note else ""
    return f"{what}{note} [{LETTERS[cell.known_by]}]"


def legend() -> list[tuple[str, str]]:
    """What stands in a cell, and what that means."""
    marks = [(f"[{letter}]", f"{word}: {MEANINGS[word]}") for word, letter in LETTERS.items()]
    return [*SUPPORT, *marks]

"""What a conversion costs: losses, notes, and differences that were found by firing both sides."""

from __future__ import annotations

from msgspec import Struct

LOST, NOTE = "lost", "note"


class Loss(Struct, frozen=True):
    """Something that is not as it was (`lost`), or that was written otherwise to stay as it was (`note`).

    `number` is that of a hazard (rules.py), 0 for what is none. The place is that of the entry that was converted.
    """

    number: int
    name: str
    level: str
    file: str
    line: int
    column: int
    key: str
    hook: str
    text: str


class Difference(Struct, frozen=True):
    """One case in which both sides do not do the same."""

    event: str
    to: str
    case: str
    before: str
    after: str
    hazard: int = 0
    advice: str = ""

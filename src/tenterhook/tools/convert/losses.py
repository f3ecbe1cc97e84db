"""What a conversion costs: losses, notes, and differences found by firing both sides."""

from __future__ import annotations

from msgspec import Struct

LOST, NOTE = "lost", "note"


class Loss(Struct, frozen=True):
    """Something that changed (`lost`), or that was written differently to stay the same (`note`).

    `number` is that of a hazard (rules.py), 0 for others. The position is that of the converted entry.
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


class HookFate(Struct, frozen=True):
    """What became of one hook: `works` as before, is `changed` so that it works, or is `broken`."""

    hook: str
    file: str
    line: int
    state: str


class Difference(Struct, frozen=True):
    """One case in which both sides behave differently."""

    event: str
    to: str
    case: str
    before: str
    after: str
    hazard: int = 0
    advice: str = ""

"""Whether somebody asked for the real clients, and what there is to know about this run: scripts/clients.py says it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

VARIABLE = "TENTERHOOK_CLIENTS"
# The kind of a note that tells of predictions: how many were made of what, which were wrong, which known to be.
DRAWN = "drawn"


class Asked(NamedTuple):
    """`missing` tells of packages why they could not be fetched; `record` is where a run writes down what it saw.

    `seed` is what cases are drawn by, `case` the name of the only one that is wanted.
    """

    missing: dict[str, str]
    record: str
    seed: int = 1
    case: str = ""

    def written(self) -> str:
        return json.dumps(self._asdict())

    def note(self, **seen: Any) -> None:
        """One line: several processes may write at once."""
        with open(self.record, "a") as file:
            file.write(json.dumps(seen) + "\n")

    def why_not(self, names: list[str]) -> str:
        return "; ".join(self.missing[name] for name in names if name in self.missing)


def asked() -> Asked | None:
    said = os.environ.get(VARIABLE)
    return Asked(**json.loads(said)) if said else None


def noted(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summary(notes: list[dict[str, Any]]) -> str:
    """How many predictions a run made, and each that was wrong; empty where it drew nothing."""
    drawn = [note for note in notes if note["kind"] == DRAWN]
    if not drawn:
        return ""
    lines = [counted(f"{note['client']}, {note['of']}", [note]) for note in drawn]
    told = [text for note in drawn for text in (*note["wrong"], *note["known"])]
    return "\n".join((*lines, *told, counted("all drawn cases", drawn)))


def counted(what: str, notes: list[dict[str, Any]]) -> str:
    made = sum(note["made"] for note in notes)
    wrong, known = (sum(len(note[name]) for note in notes) for name in ("wrong", "known"))
    return f"{what}: {made} predictions, {wrong} wrong, {known} differ as is known"

"""Whether somebody asked for the real clients, and what there is to know about this run: scripts/clients.py says it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

VARIABLE = "TENTERHOOK_CLIENTS"


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

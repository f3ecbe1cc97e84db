"""A behaviour that a dialect chooses by its name: the code, and a sentence about it for people.

The module that owns a behaviour has a table of strategies by name. `scripts/words.py` writes the names into
`dialects/schema/words.py`, for the check of dialects, and the sentences into the documentation.
"""

from __future__ import annotations

from typing import Generic, TypeVar

Code = TypeVar("Code")


class Strategy(Generic[Code]):
    """What runs, and what it does in words that go on after its name."""

    __slots__ = ("about", "run")

    def __init__(self, run: Code, about: str) -> None:
        self.run, self.about = run, about

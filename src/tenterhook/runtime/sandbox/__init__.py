"""Hook processes, confined: what they may read, write and reach, and how this machine can see to it."""

from __future__ import annotations


class Unavailable(Exception):
    """This process cannot be confined as asked. `refused`: it must not run with weaker confinement either."""

    def __init__(self, reason: str, refused: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused

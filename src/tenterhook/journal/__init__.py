"""Where every outcome of an event that had hooks is kept: one line of JSON each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenterhook.hookset import HookSet
    from tenterhook.types import Event, Outcome


class Journal:
    """One engine's view of the journal."""

    @classmethod
    def of(cls, owner: HookSet, folder: str) -> Journal | None:
        """The journal in that folder, or in the user's state folder; None where there is no place for one."""
        return None

    def keep(self, event: Event, outcome: Outcome) -> None:
        """What hooks decided, did or failed at is written before anybody acts on it."""

    def later(self, event: Event, outcome: Outcome) -> None:
        """What no hook ran for is written with the next line."""

    def flush(self) -> None:
        """Write what waits."""

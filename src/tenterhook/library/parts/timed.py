"""An event with a time limit: what its hook starts must end before the agent gives up."""

from __future__ import annotations

import os
import time

from tenterhook.author.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class TimedEvent(Event):
    """An author's event whose time limit starts now; its project is an absolute path."""

    __slots__ = ("began", "deadline", "limit")

    def __init__(self, event: Event, seconds: float = 0.0) -> None:
        super().__init__(
            event.kind,
            {**event.data, "project": os.path.abspath(event.project)},
            raw=event.raw,
            name=event.name,
            agent=event.agent,
            target=event.target,
            between=event.between,
            served=event.served,
            takes=event.takes,
        )
        self.begin(seconds)

    def begin(self, seconds: float, limit: Callable[[], float] | None = None) -> None:
        """Start the clock. `limit` finds the real limit in seconds, which is slow: only `settle` calls it."""
        self.began = time.monotonic()
        self.deadline = self.began + seconds
        self.limit = limit

    def settle(self) -> None:
        """Use the hook's own time-out as the limit, before running something that may take all of the time."""
        found = self.limit() if self.limit else 0.0
        self.limit = None
        if found:
            self.deadline = self.began + found

    def left(self) -> float:
        """The seconds that are left."""
        return max(0.0, self.deadline - time.monotonic())

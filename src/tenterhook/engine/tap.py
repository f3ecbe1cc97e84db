"""A listener for outcomes. It cannot change them; what it raises goes to the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenterhook.types import Outcome


class Tap:
    """One listener; the same function may listen twice."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Outcome], object]) -> None:
        self.function = function

    def tell(self, outcome: Outcome) -> None:
        try:
            self.function(outcome)
        except Exception:
            from tenterhook.support import logs

            name = str(__package__)
            logs.redacting_logger(name).exception(f"a tap failed on {outcome.event}; the outcome counts")

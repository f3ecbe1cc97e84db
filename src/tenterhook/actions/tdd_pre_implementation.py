"""Before code is written: a test for it is there (red comes before green)."""

from __future__ import annotations

from tenterhook.project.before import has_test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return has_test(event, settings)

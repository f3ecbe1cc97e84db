"""Before code is written: a test for it is there (red comes before green)."""

from __future__ import annotations

from tenterhook.library.project.tests.before import has_test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return has_test(event, settings)

"""At the end of work that began with tests: what changed, what was tested, what is not green."""

from __future__ import annotations

from tenterhook.library.project.report import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return report(event, settings, "Test-first work")

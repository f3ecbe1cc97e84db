"""Before a change of existing code: tests hold what it does now, and pass. A new file has nothing to preserve."""

from __future__ import annotations

from tenterhook.library.project.tests.before import is_characterized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return is_characterized(event, settings)

"""Before a change of existing code: tests hold what it does now, and pass. A new file has nothing to preserve."""

from __future__ import annotations

from tenterhook.project.before import is_characterized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return is_characterized(event, settings)

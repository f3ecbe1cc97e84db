"""At the end of work on documents: what changed, and whether every link leads somewhere."""

from __future__ import annotations

from tenterhook.library.project.sound import Documents, at_the_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return at_the_end(event, Documents, "Documentation")

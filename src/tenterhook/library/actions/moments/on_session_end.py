"""At the end of a session: forgets the results that were kept for it."""

from __future__ import annotations

from tenterhook.library.actions.said import fine
from tenterhook.library.project.ledger import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return fine("forgot the session's results" if Ledger(event).forget() else "nothing was kept for the session")

"""At the end of a session: forgets the results that were kept for it."""

from __future__ import annotations

from tenterhook.actions.said import fine
from tenterhook.project.ledger import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return fine("forgot the session's results" if Ledger(event).forget() else "nothing was kept for the session")

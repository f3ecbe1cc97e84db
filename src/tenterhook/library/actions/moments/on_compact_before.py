"""Before the conversation is shortened: what changed and what is red goes into what the model keeps. Nothing is run."""

from __future__ import annotations

from tenterhook.library.actions.said import fine
from tenterhook.library.project.report import Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    standing = Standing(event)
    if not standing.changed and not standing.states:
        return fine("nothing changed and nothing was tested")
    return fine("kept what changed and what is red", context=f"State of the work so far:\n{standing.text()}")

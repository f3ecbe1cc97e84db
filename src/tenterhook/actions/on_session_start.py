"""At the start of a session: tells the model the project's commands, the branch, and how much is changed already."""

from __future__ import annotations

from tenterhook.actions.said import fine
from tenterhook.project.changed import changes
from tenterhook.project.overview import overview
from tenterhook.project.wording import counted, limited, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    lines = overview(event.project, settings)
    found = changes(event)
    if found.branch:
        lines.append(f"branch: {plain(found.branch)}, {counted(len(found.files), 'changed file')}")
    if not lines:
        return fine("no commands and no repository found")
    return fine(f"told the agent {counted(len(lines), 'fact')} about the project", context=limited(lines))

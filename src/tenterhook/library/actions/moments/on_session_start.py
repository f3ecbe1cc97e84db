"""At the start of a session: tells the model the project's commands, the branch, and how much is changed already."""

from __future__ import annotations

from tenterhook.library.actions.said import fine
from tenterhook.library.project.changed import changes
from tenterhook.library.project.overview import overview
from tenterhook.library.project.wording import count_with_noun, plain, truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    lines = overview(event.project, settings)
    found = changes(event)
    if found.branch:
        lines.append(f"branch: {plain(found.branch)}, {count_with_noun(len(found.files), 'changed file')}")
    if not lines:
        return fine("no commands and no repository found")
    return fine(
        f"told the agent {count_with_noun(len(lines), 'fact')} about the project", context=truncate_lines(lines)
    )

"""A project's own commands for an author's event: what project/ needs to find and run them."""

from __future__ import annotations

import os

from tenterhook.library.actions.settings import ActionSettings
from tenterhook.library.project.subject import subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Event
    from tenterhook.library.project.subject import Subject

# Kinds of files with checks that run; any other file is only read.
CODE = ("source", "test", "declaration", "style", "support")


def settings(**commands: str) -> ActionSettings:
    """Settings from the hook's options only: the project's are not read. Commands that are empty are detected."""
    made = ActionSettings()
    made.commands = {kind: command for kind, command in commands.items() if command}
    return made


def written_code_files(event: Event) -> list[Subject]:
    """The files of code that a tool wrote, if they exist in the project."""
    found = (subject(event.project, path) for path in event.paths)
    return [one for one in found if one and one.kind in CODE and os.path.isfile(one.path)]

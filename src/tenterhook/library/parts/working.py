"""A project's own commands for an author's event: what project/ needs to find and run them."""

from __future__ import annotations

import os

from tenterhook.library.actions.settings import Settings
from tenterhook.library.project.subject import subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Event
    from tenterhook.library.project.subject import Subject

# What can be run; anything else is only read.
CODE = ("source", "test", "declaration", "style", "support")


def settings(**commands: str) -> Settings:
    """Those of the project are not read: what a hook of the library does its options say. Empty commands are found."""
    made = Settings()
    made.commands = {kind: command for kind, command in commands.items() if command}
    return made


def written_code_files(event: Event) -> list[Subject]:
    """The files of code that a tool wrote, of those that are in the project and there."""
    found = (subject(event.project, path) for path in event.paths)
    return [one for one in found if one and one.kind in CODE and os.path.isfile(one.path)]

"""The file that an event is about: its place in the project, its kind, and its package."""

from __future__ import annotations

import os

from tenterhook.author.inputs import PATHS, given_texts
from tenterhook.library.project import kinds
from tenterhook.library.project.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author.event import Event


class Subject:
    """A file in the project. `name` is relative to the project; links are resolved."""

    __slots__ = ("kind", "language", "name", "path", "project")

    def __init__(self, project: str, path: str) -> None:
        self.project, self.path = project, path
        self.name = os.path.relpath(path, project)
        self.kind, self.language = kinds.kind_of(self.name), kinds.language_of(path)

    @property
    def shown(self) -> str:
        return plain(self.name)

    def folders(self) -> list[str]:
        """The folders from the nearest enclosing package up to the project."""
        return enclosing(self.project, os.path.dirname(self.path), self.language)


def subject(project: str, path: str) -> Subject | None:
    """None for a file outside of the project, even if only a link makes it look inside."""
    project, path = os.path.realpath(project), os.path.realpath(path)
    return Subject(project, path) if path.startswith(project.rstrip(os.sep) + os.sep) else None


def resolve_written_subject(event: Event) -> Subject | str:
    """The file that the tool writes or wrote; if it is not in the project, why there is nothing to check."""
    given_texts(event.input, PATHS)
    if not event.texts or not event.path:
        return "nothing to check: the tool wrote no file"
    found = subject(event.project, event.path)
    return found or f"nothing to check: {plain(event.path)} is outside of the project"


def enclosing(project: str, folder: str, language: str) -> list[str]:
    """The folders from the first one with a manifest of the language up to the project; else the project alone."""
    from tenterhook.library.project import languages

    module = languages.of(language)
    manifests = module.MANIFESTS if module else ("Makefile",)
    while len(folder) > len(project):
        if any(os.path.isfile(os.path.join(folder, name)) for name in manifests):
            return upwards(project, folder)
        folder = os.path.dirname(folder)
    return [project]


def upwards(project: str, folder: str) -> list[str]:
    folders = [folder]
    while len(folder) > len(project):
        folder = os.path.dirname(folder)
        folders.append(folder)
    return folders

"""The input of a reader, and its result."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec import Struct, field

# Among the names of a folder: all modules of Python's standard library.
STANDARD = "(standard library)"


class SourceText(Struct, frozen=True):
    """A text of the project, and where it runs.

    `path` is where it was found and `real` its real path; a text without a file has neither. `roads` are the folders of
    the project in which Python looks for modules; `first` says that they come before the standard library. `main` is
    the script whose process this is.
    """

    path: str
    real: str
    text: bytes
    language: str
    project: str
    cwd: str
    variables: Mapping[str, str]
    roads: tuple[str, ...] = ()
    first: bool = True
    main: str = ""
    title: str = ""

    @property
    def name(self) -> str:
        return self.title or os.path.relpath(self.path, self.project)


class LoadedFile(Struct, frozen=True):
    """A file that is loaded: its language, if the loader decides that, and the module folders in the same process."""

    path: str
    language: str = ""
    roads: tuple[str, ...] = ()
    first: bool = True
    main: str = ""


class Loads(Struct):
    """What a text loads.

    `files` may be missing ones: then their creation is a change. `names` are looked for in a folder. `commands` are
    programs that it starts, as words with the folder they run in. `unknown` is what only the running program knows.
    """

    files: list[LoadedFile] = field(default_factory=list)
    names: dict[str, set[str]] = field(default_factory=dict)
    commands: list[tuple[list[str], str]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def note(self, source: SourceText, text: str, line: int = 0) -> None:
        where = f"{source.name}:{line}" if line else source.name
        note = f"{where}: {text}"
        if note not in self.unknown:
            self.unknown.append(note)

    def look(self, folder: str, *names: str) -> None:
        self.names.setdefault(folder, set()).update(names)

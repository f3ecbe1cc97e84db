"""What is known about each language, one file each, found by its name. A language is a module with

MANIFESTS                        files that make a folder a package
commands(folders, tests)         its commands by kind; `folders` lead from the package up to the project
graph(paths, folder)             what each of the files imports of the others; or
concerns(source, test, text)     whether the test, a path with that text, names the source
to_write(source, folder)         the test to write for the source, from its package's folder
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def of(language: str) -> ModuleType | None:
    from importlib import import_module

    return import_module(f"{__name__}.{language}") if language else None


def found_in(folders: list[str], name: str) -> str:
    """The first of the folders' files of that name."""
    places = (os.path.join(folder, name) for folder in folders)
    return next((place for place in places if os.path.exists(place)), "")

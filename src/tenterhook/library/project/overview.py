"""The commands of a project, one line each, for a reader who begins to work in it."""

from __future__ import annotations

import os
from itertools import islice

from tenterhook.library.actions.settings import KINDS
from tenterhook.library.project import commands, kinds, languages
from tenterhook.library.project.checks import format_check_command
from tenterhook.library.project.walk import walk
from tenterhook.library.project.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.settings import ActionSettings

LANGUAGES = ("python", "node", "go", "rust")
MOST_PACKAGES, MOST_TESTS = 6, 12


def overview(project: str, settings: ActionSettings) -> list[str]:
    """The commands of the project; if it has no manifest, also those of the packages directly below it."""
    project = os.path.realpath(project)
    found = [(project, language) for language in LANGUAGES if is_package(project, language)]
    if not found:
        folders = sorted(entry.path for entry in os.scandir(project) if entry.is_dir() and entry.name[0] != ".")
        found = [(folder, language) for folder in folders for language in LANGUAGES if is_package(folder, language)]
    lines: list[str] = []
    for folder, language in found[:MOST_PACKAGES] or [(project, "")]:
        folders = [folder] if folder == project else [folder, project]
        found_here = commands.find(folders, language, settings, tests_in(folder, language))
        for kind, command in sorted(found_here.items(), key=by_kind):
            state = f" ({command.absent})" if command.absent else ""
            lines.append(f"{kind}: {format_check_command(command, [], project)}{state}")
    return [plain(line) for line in dict.fromkeys(lines)]


def tests_in(folder: str, language: str) -> list[str]:
    """Some tests of a package: if no config does, they tell which tool runs them."""
    files = (path for path in walk(folder) if language and kinds.language_of(path) == language)
    return list(islice((path for path in files if kinds.kind_of(os.path.relpath(path, folder)) == "test"), MOST_TESTS))


def by_kind(item: tuple[str, commands.Command]) -> int:
    return KINDS.index(item[0])


def is_package(folder: str, language: str) -> bool:
    module = languages.of(language)
    return module is not None and any(os.path.isfile(os.path.join(folder, name)) for name in module.MANIFESTS)

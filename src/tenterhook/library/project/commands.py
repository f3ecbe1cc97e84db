"""A project's test, lint, type and build commands: from its settings, its manifests, or its Makefile."""

from __future__ import annotations

import os
import re

from tenterhook.errors import ConfigError
from tenterhook.library.project.wording import plain
from tenterhook.support import files as regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.settings import ActionSettings

FILES = "{files}"
REPORT = "{report}"  # a file of ours, for a report in JUnit's form
MAKE_TARGETS = {
    "test": ("test", "tests", "check"),
    "lint": ("lint",),
    "types": ("typecheck", "types", "type-check", "mypy"),
    "build": ("build",),
}
LONGEST = 1 << 20


class Command:
    """One command as words. `{files}` is replaced by the files; without it the command is about the whole project.

    `flags` keep its output short and its caches away; people do not see them. `absent` is the text if the tool is not
    installed. A `go` command takes packages, not files: `by_folder`. `ours`: we chose its options, so we know what it
    prints.
    """

    __slots__ = ("absent", "by_folder", "flags", "folder", "kind", "ours", "tool", "whole", "words")

    def __init__(
        self,
        kind: str,
        tool: str,
        folder: str,
        words: list[str],
        *,
        flags: tuple[str, ...] = (),
        whole: tuple[str, ...] = (),
        by_folder: bool = False,
        absent: str = "",
        ours: bool = True,
    ) -> None:
        self.kind, self.tool, self.folder, self.words = kind, tool, folder, words
        self.flags, self.whole, self.by_folder, self.absent = flags, whole, by_folder, absent
        self.ours = ours

    @property
    def takes_files(self) -> bool:
        return any(FILES in word for word in self.words)

    def shown(self, files: list[str]) -> list[str]:
        """The command as a person would type it; without files, about the whole."""
        return expand_file_placeholder(self.words, files or list(self.whole))

    def run(self, files: list[str]) -> list[str]:
        at = next((at for at, word in enumerate(self.words) if FILES in word), len(self.words))
        return expand_file_placeholder([*self.words[:at], *self.flags, *self.words[at:]], files or list(self.whole))


def expand_file_placeholder(words: list[str], files: list[str]) -> list[str]:
    found: list[str] = []
    for word in words:
        found += [word.replace(FILES, file) for file in files] if FILES in word else [word]
    return found


def find(folders: list[str], language: str, settings: ActionSettings, tests: list[str]) -> dict[str, Command]:
    """The commands by kind for a package; `folders` lead from it up to the project. The settings come first.

    `tests` are the tests concerned: how they are written can tell which tool runs them.
    """
    from tenterhook.library.project import languages

    module = languages.of(language)
    found = module.commands(folders, tests) if module else {}
    return {**find_make_commands(folders), **found, **load_configured_commands(folders[-1], settings)}


def load_configured_commands(project: str, settings: ActionSettings) -> dict[str, Command]:
    import shlex

    from tenterhook.library.project.failures import LINES

    found: dict[str, Command] = {}
    for kind, given in settings.commands.items():
        try:
            words = shlex.split(given) if isinstance(given, str) else list(given)
        except ValueError as exc:
            raise ConfigError(f"actions.commands.{kind} cannot be split into words: {exc}: {given!r:.80}") from None
        if not words:
            raise ConfigError(f"actions.commands.{kind} is empty: name a program")
        names = [os.path.basename(word) for word in words]
        tool = next((name for name in names if name in LINES), names[0])  # `uv run pytest` prints what pytest does
        found[kind] = Command(kind, tool, project, words, ours=False)
    return found


def find_make_commands(folders: list[str]) -> dict[str, Command]:
    """The targets of the nearest Makefile."""
    for folder in folders:
        text = read(os.path.join(folder, "Makefile")) or read(os.path.join(folder, "makefile"))
        if text:
            targets = set(re.findall(r"(?m)^([\w-]+)\s*:(?!=)", text))
            picked = {kind: next((n for n in names if n in targets), "") for kind, names in MAKE_TARGETS.items()}
            return {
                kind: Command(kind, "make", folder, ["make", target], flags=("-s",), absent=absent("make"))
                for kind, target in picked.items()
                if target
            }
    return {}


def read(path: str) -> str:
    """The beginning of a text file; empty if there is none, or if it is a pipe, which may never be written to."""
    try:
        return regular.beginning(path, LONGEST)
    except (OSError, ValueError):
        return ""


def on_path(name: str) -> str:
    from shutil import which

    return which(name) or ""


def absent(program: str) -> str:
    """The text for a program that is not installed; empty for one that is."""
    return "" if on_path(program) else f"{program} is not installed: not run"


def of_tool(
    kind: str,
    name: str,
    folder: str,
    program: str,
    rest: list[str],
    *,
    flags: tuple[str, ...] = (),
    whole: tuple[str, ...] = (),
    where: str = "",
) -> Command:
    """The command of a tool; `program` is its path, empty if it is not installed, and `where` the text for that."""
    missing = "" if program else f"{name} is not installed for {plain(where or folder)}: not run"
    return Command(kind, name, folder, [program or name, *rest], flags=flags, whole=whole, absent=missing)

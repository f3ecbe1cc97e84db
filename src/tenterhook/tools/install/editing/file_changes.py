"""What an init or an undo would do, before it is done: shown by --dry-run, carried out by `commit`."""

from __future__ import annotations

import difflib
import os

from msgspec import Struct, field

from tenterhook.tools.install.editing.writing import Change


class TouchedFile(Struct, frozen=True):
    """One file: created, changed, replaced, removed, restored; kept if it is not ours to touch any more."""

    what: str
    path: str


class FileChanges(Struct, kw_only=True):
    """The changes of files and notes about them. `by_hand` is what only the user can do."""

    dialect: str
    project: str
    files: list[TouchedFile] = field(default_factory=list)
    diff: str = ""
    notes: list[str] = field(default_factory=list)
    by_hand: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    unwanted: list[str] = field(default_factory=list)

    def touch(self, what: str, path: str) -> None:
        """A file of the project, by its relative path."""
        self.files.append(TouchedFile(what, path))

    def where(self, path: str) -> str:
        return os.path.join(self.project, path)

    def change(self, what: str, path: str, before: bytes | None, after: bytes | None) -> None:
        """A config file, whose diff is shown."""
        self.touch(what, path)
        self.diff += unified_diff_text(path, before, after)
        self.changes.append(Change(self.target(path), before, after))

    def target(self, path: str) -> str:
        """The file itself, if there is a symlink at the path."""
        path = self.where(path)
        return os.path.realpath(path) if os.path.islink(path) else path


def unified_diff_text(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff as patch tools read it."""
    old, new = (lines(one or b"") for one in (before, after))
    was, now = ("/dev/null" if one is None else path for one in (before, after))
    shown = difflib.unified_diff(old, new, was, now)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in shown)


def lines(data: bytes) -> list[str]:
    """Only a line feed ends a line here; difflib leaves the choice to the caller."""
    text = data.decode("utf-8", "backslashreplace")
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [one for one in text.split("\n")[-1:] if one]

"""Lines of JSON that are kept between the calls of one session: outside of the project, for a week.

A line is written in one piece, so hooks of concurrent tool calls do not spoil each other's lines.
"""

from __future__ import annotations

import os
import time

from tenterhook.support import files
from tenterhook.support.paths import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OLDEST = 7 * 24 * 3600.0


class SessionLines:
    """The file of one session in a folder of the user's state; without a home, nothing is kept."""

    __slots__ = ("base", "file", "folder")

    def __init__(self, kind: str, group: str, session: str) -> None:
        base = state_folder(os.environ, os.path.expanduser("~"))
        self.base = os.path.join(base, kind) if os.path.isabs(base) else ""
        self.folder = os.path.join(self.base, group) if self.base else ""
        self.file = os.path.join(self.folder, f"{digest(session)}.jsonl") if self.base else ""

    def append(self, *lines: dict[str, Any]) -> None:
        import json

        if not os.path.exists(self.file):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            prune(self.base)
        append(self.file, *map(json.dumps, lines))

    def read(self, most: int) -> list[dict[str, Any]]:
        """The lines of a file up to that size; those that cannot be parsed are skipped."""
        import json

        found = []
        try:
            texts = files.contents(self.file, most).splitlines() if self.file else []
        except FileNotFoundError:
            return []
        for text in texts:
            try:
                found.append(json.loads(text))
            except ValueError:
                continue
        return [line for line in found if isinstance(line, dict)]


def digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def append(file: str, *lines: str) -> None:
    """Append whole lines to a file that only the user can read; never through a symlink."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(file, flags, 0o600)
    try:
        os.write(descriptor, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
    finally:
        os.close(descriptor)


def prune(base: str) -> None:
    """Delete files that are older than a week, and folders that are empty."""
    from contextlib import suppress

    before = time.time() - OLDEST
    for group in os.scandir(base):
        with suppress(OSError):  # another session may do the same; what cannot be deleted stays
            if group.is_dir(follow_symlinks=False):
                prune_group(group.path, before)


def prune_group(folder: str, before: float) -> None:
    from shutil import rmtree

    is_old = os.stat(folder).st_mtime < before
    found = [one for one in os.scandir(folder) if one.name.endswith(".jsonl")]
    for one in found:
        if one.stat(follow_symlinks=False).st_mtime < before:
            os.unlink(one.path)
    if is_old and not found:
        rmtree(folder, ignore_errors=True)

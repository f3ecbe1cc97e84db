"""The results of a session's checks, kept between calls: one line of JSON each, outside of the project.

It holds names and numbers, never the content of files. If nothing can be kept, the actions work without it.
"""

from __future__ import annotations

import os
import time

from tenterhook.support import files
from tenterhook.support.paths import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author.event import Event
    from tenterhook.library.project.run import Result

LARGEST = 256 << 10
OLDEST = 7 * 24 * 3600.0
CHANGED = "changed"
# The keys that a line must have to count.
TEXTS = ("kind", "of", "state", "tool")


class Entry:
    """One line: the last result of a check, with its start time; or (of the kind CHANGED) a file that was written."""

    __slots__ = ("at", "kind", "of", "state", "tool")

    def __init__(self, line: dict[str, Any]) -> None:
        self.kind, self.of, self.state, self.tool = (line[name] for name in TEXTS)
        self.at = float(line["at"])


class Ledger:
    """One session's file; without a home, nothing is kept."""

    __slots__ = ("file", "folder")

    def __init__(self, event: Event) -> None:
        base = kept_in()
        self.folder = os.path.join(base, digest(os.path.realpath(event.project))) if base else ""
        self.file = os.path.join(self.folder, f"{digest(event.session)}.jsonl") if base else ""

    def cache(self) -> str:
        """A folder for the caches of tools; empty if none can be made."""
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        except OSError:
            return ""
        return self.folder

    def keep(self, results: list[Result], changed: str = "") -> None:
        """Add the results of checks, and the file that was written."""
        lines = [line(CHANGED, changed)] if changed else []
        lines += [line(one.kind, name, one.state, one.tool, one.began) for one in results for name in one.of]
        if self.file and lines:
            try:
                self.append(b"".join(lines))
            except OSError:
                return  # a full disk or a closed folder: the next call only knows less

    def append(self, text: bytes) -> None:
        if not os.path.exists(self.file):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            prune(os.path.dirname(self.folder))
        if os.path.isfile(self.file) and os.path.getsize(self.file) + len(text) > LARGEST:
            self.shrink()
        descriptor = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            os.write(descriptor, text)
        finally:
            os.close(descriptor)

    def shrink(self) -> None:
        """Write the last entry of each check to a new file that replaces the old one."""
        rest = [line(one.kind, one.of, one.state, one.tool, one.at) for one in self.entries()]
        beside = f"{self.file}.{os.getpid()}"
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            kept = b"".join(rest)
            file.write(kept[-(LARGEST // 2) :])  # a reader skips a line that is cut in two
        os.replace(beside, self.file)

    def entries(self) -> list[Entry]:
        """The last entry of each check and each changed file, oldest first; lines that cannot be read are skipped."""
        import json

        last: dict[tuple[str, str], Entry] = {}
        for text in self.lines():
            try:
                entry = Entry(json.loads(text))
            except (ValueError, TypeError, KeyError):
                continue
            if all(isinstance(getattr(entry, name), str) for name in TEXTS):
                last.pop((entry.kind, entry.of), None)
                last[entry.kind, entry.of] = entry
        return list(last.values())

    def lines(self) -> list[bytes]:
        if not self.file:
            return []
        try:
            return files.contents(self.file, 2 * LARGEST).splitlines()
        except OSError:
            return []

    def forget(self) -> bool:
        """Delete the file; return whether there was one."""
        try:
            os.unlink(self.file)
        except OSError:
            return False
        return True


def kept_in() -> str:
    """The folder of all sessions; empty if there is no home."""
    base = state_folder(os.environ, os.path.expanduser("~"))
    return os.path.join(base, "actions") if os.path.isabs(base) else ""


def digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def line(kind: str, of: str, state: str = "", tool: str = "", at: float = 0.0) -> bytes:
    import json

    found = {"kind": kind, "of": of, "state": state, "tool": tool, "at": at or time.time()}
    return json.dumps(found).encode() + b"\n"


def prune(base: str) -> None:
    """Delete files that are older than a week, and folders that are empty."""
    from contextlib import suppress

    before = time.time() - OLDEST
    for project in os.scandir(base):
        with suppress(OSError):  # another session may do the same; what cannot be deleted stays
            if project.is_dir(follow_symlinks=False):
                prune_project(project.path, before)


def prune_project(folder: str, before: float) -> None:
    from shutil import rmtree

    is_old = os.stat(folder).st_mtime < before
    kept = [one for one in os.scandir(folder) if one.name.endswith(".jsonl")]
    for one in kept:
        if one.stat(follow_symlinks=False).st_mtime < before:
            os.unlink(one.path)
    if is_old and not kept:
        rmtree(folder, ignore_errors=True)

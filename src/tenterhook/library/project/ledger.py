"""The results of a session's checks, kept between calls.

They are names and numbers, never the content of files. If nothing can be kept, the actions work without it.
"""

from __future__ import annotations

import os
import time

from tenterhook.library.parts.session_lines import SessionLines, append, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author.event import Event
    from tenterhook.library.project.run import Result

# A larger file is shortened to its last entries.
LARGEST, MOST = 256 << 10, 1000
CHANGED = "changed"
# The keys that a line must have to count.
TEXTS = ("kind", "of", "state", "tool")


class Entry:
    """One line: the last result of a check, with its start time; or (of the kind CHANGED) a file that was written."""

    __slots__ = ("at", "kind", "of", "state", "tool")

    def __init__(self, line: dict[str, Any]) -> None:
        self.kind, self.of, self.state, self.tool = (line[name] for name in TEXTS)
        self.at = float(line["at"])


class Ledger(SessionLines):
    """One session's file for one project."""

    __slots__ = ()

    def __init__(self, event: Event) -> None:
        super().__init__("actions", digest(os.path.realpath(event.project)), event.session)

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
        if not self.file or not lines:
            return
        try:
            self.append(*lines)
            if os.path.getsize(self.file) > LARGEST:
                self.shrink()
        except OSError:
            return  # a full disk or a closed folder: the next call only knows less

    def shrink(self) -> None:
        """Write the last entries to a new file that replaces the old one."""
        import json

        beside = f"{self.file}.{os.getpid()}"
        last = [line(one.kind, one.of, one.state, one.tool, one.at) for one in self.entries()[-MOST:]]
        append(beside, *map(json.dumps, last))
        os.replace(beside, self.file)

    def entries(self) -> list[Entry]:
        """The last entry of each check and each changed file, oldest first; lines that cannot be read are skipped."""
        last: dict[tuple[str, str], Entry] = {}
        try:
            lines = self.read(2 * LARGEST)
        except OSError:
            return []
        for one in lines:
            if all(isinstance(one.get(name), str) for name in TEXTS) and isinstance(one.get("at"), int | float):
                entry = Entry(one)
                last.pop((entry.kind, entry.of), None)
                last[entry.kind, entry.of] = entry
        return list(last.values())

    def forget(self) -> bool:
        """Delete the file; return whether there was one."""
        try:
            os.unlink(self.file)
        except OSError:
            return False
        return True


def line(kind: str, of: str, state: str = "", tool: str = "", at: float = 0.0) -> dict[str, Any]:
    return {"kind": kind, "of": of, "state": state, "tool": tool, "at": at or time.time()}

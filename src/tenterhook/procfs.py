"""Find and end everything a hook started, also what left its process group.

A group misses whatever called setsid or forked twice. On Linux /proc tells the rest: children by their parent, and
those whose parent is gone by a tag in the environment they inherited. Elsewhere the group is all there is.
Not found: a process that both lost its parents and cleared its environment before we looked.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import NamedTuple

__all__ = ["TAG", "Entry", "Family", "Table", "read_table"]

TAG = "TENTERHOOK_RUN"


class Entry(NamedTuple):
    """One line of the process table. The start time tells a process from a later one with the same number."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    start: int

    @property
    def alive(self) -> bool:
        return self.state not in "ZX"


Table = dict[int, Entry]


def read_table() -> Table | None:
    """All processes, None where the system has no /proc. About 20 µs for each."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return None
    table = {}
    for name in names:
        if name.isdigit() and (entry := read_entry(name)):
            table[entry.pid] = entry
    return table or None


def read_entry(pid: str) -> Entry | None:
    text = read(f"/proc/{pid}/stat", 1024)
    # The name stands in brackets and may hold anything, a bracket too.
    fields = text[text.rfind(b")") + 2 :].split()
    if len(fields) < 20:
        return None
    return Entry(int(pid), fields[0].decode(), int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))


def read(path: str, most: int = 1 << 22) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        parts = []
        while most > 0 and (part := os.read(fd, min(most, 65536))):
            parts.append(part)
            most -= len(part)
        return b"".join(parts)
    except OSError:  # it ended while we read
        return b""
    finally:
        os.close(fd)


class Family:
    """A hook's process and all that came from it. Whoever was once found stays known."""

    __slots__ = ("born", "known", "leader", "token")

    def __init__(self, leader: int, token: str) -> None:
        self.leader = leader
        self.token = token.encode()
        self.born = -1
        self.known: set[tuple[int, int]] = set()

    def members(self, table: Table) -> list[Entry]:
        """Those in the table that live. Zombies count as gone, but their children are still found through them."""
        if self.born < 0:
            self.born = table[self.leader].start if self.leader in table else 0
        young = [e for e in table.values() if e.start >= self.born and e.pid > 1 and e.pid != os.getpid()]
        children: dict[int, list[Entry]] = {}
        for entry in young:
            children.setdefault(entry.parent, []).append(entry)
        found: dict[int, Entry] = {}
        waiting = [e for e in young if self.owns(e)]
        while waiting:
            entry = waiting.pop()
            if entry.pid not in found:
                found[entry.pid] = entry
                waiting += children.get(entry.pid, ())
        self.known |= {(e.pid, e.start) for e in found.values()}
        return [e for e in found.values() if e.alive]

    def owns(self, entry: Entry) -> bool:
        if self.leader in (entry.pid, entry.group, entry.session) or (entry.pid, entry.start) in self.known:
            return True
        return entry.alive and self.token in read(f"/proc/{entry.pid}/environ")

    def send(self, number: int, members: list[Entry]) -> None:
        """To the group in one call, so that none of it can fork away in between; then to those outside it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.leader, number)
        for entry in members:
            if entry.group != self.leader:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(entry.pid, number)

    def group_is_empty(self) -> bool:
        """Where there is no /proc. macOS answers EPERM for a group of zombies only."""
        try:
            os.killpg(self.leader, 0)
        except (ProcessLookupError, PermissionError):
            return True
        return False

    def bury(self, table: Table) -> None:
        """Where the host adopts orphans (PID 1, subreaper), those we ended would stay zombies."""
        us = os.getpid()
        for pid, start in self.known:
            entry = table.get(pid)
            if entry and entry.start == start and entry.parent == us and not entry.alive and pid != self.leader:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"

"""Find and end everything a hook started, also what left its process group.

A group misses whatever called setsid or forked twice. On Linux /proc tells the rest: children by their parent, and
those whose parent is gone by a tag in the environment they inherited. Elsewhere the group is all there is.
Not found: a process that both lost its parents and cleared its environment before we looked.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["TAG", "Family", "Table", "Tags", "find_child", "name_of", "read_table"]

TAG = "TENTERHOOK_RUN"

# What was read from the environment of a process, by number and start: it does not change while we look for it.
Tags = dict[tuple[int, int], list[bytes]]


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


class Table:
    """All processes at one moment, found by number, parent, group or session, and tag."""

    __slots__ = ("children", "entries", "tagged", "together")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = {entry.pid: entry for entry in entries}
        self.children: dict[int, list[Entry]] = {}
        self.together: dict[int, list[Entry]] = {}
        self.tagged: dict[bytes, list[Entry]] = {}
        for entry in self.entries.values():
            self.children.setdefault(entry.parent, []).append(entry)
            for number in {entry.group, entry.session}:
                self.together.setdefault(number, []).append(entry)

    def read_tags(self, families: Iterable[Family], tags: Tags) -> None:
        """Of those young enough to matter, each once: with 64 families to end this was most of the time (30 ms)."""
        born = min((self.entries[f.leader].start if f.leader in self.entries else 0 for f in families), default=0)
        young = [entry for entry in self.entries.values() if entry.start >= born and entry.alive]
        fresh = {(e.pid, e.start): tags.get((e.pid, e.start)) for e in young}
        tags.clear()
        for entry in young:
            key = (entry.pid, entry.start)
            known = fresh[key]
            tags[key] = found = read_tokens(entry.pid) if known is None else known
            for token in found:
                self.tagged.setdefault(token, []).append(entry)


def read_table(families: Iterable[Family], tags: Tags) -> Table | None:
    """None where the system has no /proc. About 20 µs for each process."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return None
    table = Table(entry for name in names if name.isdigit() and (entry := read_entry(name)))
    if not table.entries:
        return None
    table.read_tags(families, tags)
    return table


def read_tokens(pid: int) -> list[bytes]:
    """The hooks that this process came from, outermost first."""
    for variable in read(f"/proc/{pid}/environ").split(b"\0"):
        if variable.startswith(TAG.encode() + b"="):
            return variable[len(TAG) + 1 :].split(b";")[:-1]
    return []


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


def find_child(token: str) -> int:
    """A child that this thread has just started and nobody has the number of; 0 if there is none."""
    # Popen comes back a moment before the kernel has laid out the environment of the new program.
    for _ in range(100):
        for pid in read(f"/proc/self/task/{threading.get_native_id()}/children").split():
            if token.encode() in read_tokens(int(pid)):
                return int(pid)
        time.sleep(0.00005)
    return 0


class Family:
    """A hook's process and all that came from it. Whoever was once found stays known."""

    __slots__ = ("born", "known", "leader", "token")

    def __init__(self, leader: int, token: str) -> None:
        assert leader > 1  # 0 would mean our own group
        self.leader = leader
        self.token = token.encode()
        self.born = -1
        self.known: set[tuple[int, int]] = set()

    def members(self, table: Table) -> list[Entry]:
        """Those in the table that live. Zombies count as gone, but their children are still found through them."""
        if self.born < 0:
            self.born = table.entries[self.leader].start if self.leader in table.entries else 0
        waiting = [*table.together.get(self.leader, ()), *table.tagged.get(self.token, ())]
        waiting += [e for pid, start in self.known if (e := table.entries.get(pid)) and e.start == start]
        found: dict[int, Entry] = {}
        us = os.getpid()
        while waiting:
            entry = waiting.pop()
            if entry.pid not in found and entry.start >= self.born and entry.pid not in (us, 1):
                found[entry.pid] = entry
                waiting += table.children.get(entry.pid, ())
        self.known |= {(e.pid, e.start) for e in found.values()}
        return [e for e in found.values() if e.alive]

    def send(self, number: int, members: list[Entry]) -> None:
        """To the group in one call, so that none of it can fork away in between; then to those outside it."""
        self.send_group(number)
        for entry in members:
            if entry.group != self.leader:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(entry.pid, number)

    def send_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.leader, number)

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
            entry = table.entries.get(pid)
            if entry and entry.start == start and entry.parent == us and not entry.alive and pid != self.leader:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"

"""Find and end every process that a hook started, even outside its process group.

A group misses processes that called setsid or forked twice. On Linux /proc shows the rest: children by their parent,
and orphans by a tag in the environment that they inherited. On other systems the group is all there is. Not found: a
process that lost its parents and also cleared its environment before we looked.

The helper process that starts hooks uses this too, so it imports almost nothing.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TAG = "TENTERHOOK_RUN"
# The same on all systems; the module signal would take a quarter of the helper's start.
SIGKILL, SIGTERM = 9, 15

# Tags read from the environment of a process, by number and start time: they do not change while we look.
Tags = dict[tuple[int, int], list[bytes]]


class ProcessEntry:
    """One entry of the process table. The start time tells a process from a later one with the same number."""

    __slots__ = ("alive", "group", "parent", "pid", "session", "start")

    def __init__(self, pid: int, state: bytes, parent: int, group: int, session: int, start: int) -> None:
        self.pid, self.parent, self.group, self.session, self.start = pid, parent, group, session, start
        self.alive = state not in b"ZX"


class ProcessTable:
    """Processes at one moment, indexed by number, parent, group or session, and tag."""

    __slots__ = ("children", "entries", "tagged", "together")

    def __init__(self, entries: Iterable[ProcessEntry]) -> None:
        self.entries = {entry.pid: entry for entry in entries}
        self.children: dict[int, list[ProcessEntry]] = {}
        self.together: dict[int, list[ProcessEntry]] = {}
        self.tagged: dict[bytes, list[ProcessEntry]] = {}
        for entry in self.entries.values():
            self.children.setdefault(entry.parent, []).append(entry)
            for number in {entry.group, entry.session}:
                self.together.setdefault(number, []).append(entry)

    def read_tags(self, families: Iterable[ProcessFamily], tags: Tags) -> None:
        """Read the tags of processes young enough to matter, each once: with 64 families to end this took most time (30
        ms).
        """
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


def read_table(families: Iterable[ProcessFamily], tags: Tags, below: int = 0) -> ProcessTable | None:
    """All processes, or one and its descendants; None if the system has no /proc. About 20 µs for each process."""
    try:
        table = ProcessTable(entries(descendants(below) if below else os.listdir("/proc")))
    except OSError:
        return None
    if not table.entries:
        return None
    table.read_tags(families, tags)
    return table


def entries(names: Iterable[str]) -> Iterable[ProcessEntry]:
    return (entry for name in names if name.isdigit() and (entry := read_entry(name)))


def descendants(pid: int) -> list[str]:
    """The numbers of this process and all its descendants."""
    root = str(pid)
    found = {root}
    below = read_children if has_lists() else children_by_parent(ProcessTable(entries(os.listdir("/proc"))))
    waiting = below(root)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += below(name)
        if not waiting:  # a process that lost its parents meanwhile has become our child
            waiting = [one for one in below(root) if one not in found]
    return [*found]


def has_lists() -> bool:
    """Whether the kernel lists the children of a process."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def read_children(pid: str) -> list[str]:
    """The children of all its threads; empty if it is gone."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [name for task in tasks for name in read(f"/proc/{pid}/task/{task}/children").decode().split()]


def read_own_children() -> set[int]:
    """The children of our only thread; -1 stands for all of them if the kernel does not list them."""
    found = {int(pid) for pid in read(f"/proc/self/task/{os.getpid()}/children").split()}
    return found or {-1}


def children_by_parent(table: ProcessTable) -> Callable[[str], list[str]]:
    return lambda pid: [str(entry.pid) for entry in table.children.get(int(pid), ())]


def read_tokens(pid: int) -> list[bytes]:
    """The tags of the hooks that this process descends from, outermost first."""
    for variable in read(f"/proc/{pid}/environ").split(b"\0"):
        if variable.startswith(TAG.encode() + b"="):
            return variable[len(TAG) + 1 :].split(b";")[:-1]
    return []


def append_process_tag(before: str, token: str) -> str:
    """The tag of a hook. If we run inside a hook ourselves, the tags are joined: our hooks belong to that hook too."""
    return f"{before}{token};"


def read_entry(pid: str) -> ProcessEntry | None:
    text = read(f"/proc/{pid}/stat", 1024)
    # The name is in brackets and may hold anything, even a bracket.
    fields = text[text.rfind(b")") + 2 :].split()
    if len(fields) < 20:
        return None
    return ProcessEntry(int(pid), fields[0], int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))


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


def find_child(token: str, thread: int) -> int:
    """A child that a thread of ours has just started and whose number is not known yet; 0 if there is none."""
    # Popen returns a moment before the kernel has laid out the environment of the new program.
    for _ in range(100):
        for pid in read(f"/proc/self/task/{thread}/children").split():
            if token.encode() in read_tokens(int(pid)):
                return int(pid)
        time.sleep(0.00005)
    return 0


class ProcessFamily:
    """A hook's process and all its descendants. A process that was found once stays known."""

    __slots__ = ("born", "known", "leader", "termed", "token")

    def __init__(self, leader: int, token: str, born: int = -1) -> None:
        assert leader > 1  # 0 would mean our own group
        self.leader = leader
        self.token = token.encode()
        self.born = born
        self.known: set[tuple[int, int]] = set()
        self.termed = False

    def members(self, table: ProcessTable) -> list[ProcessEntry]:
        """Those in the table that live. Zombies count as gone, but their children are still found through them."""
        if self.born < 0:
            self.born = table.entries[self.leader].start if self.leader in table.entries else 0
        waiting = [*table.together.get(self.leader, ()), *table.tagged.get(self.token, ())]
        waiting += [e for pid, start in self.known if (e := table.entries.get(pid)) and e.start == start]
        found: dict[int, ProcessEntry] = {}
        us = os.getpid()
        while waiting:
            entry = waiting.pop()
            if entry.pid not in found and entry.start >= self.born and entry.pid not in (us, 1):
                found[entry.pid] = entry
                waiting += table.children.get(entry.pid, ())
        self.known |= {(e.pid, e.start) for e in found.values()}
        return [e for e in found.values() if e.alive]

    def press(self, members: list[ProcessEntry], *, kill: bool) -> None:
        """Send SIGTERM once to all, then SIGKILL to all that are left."""
        if kill:
            self.send(SIGKILL, members)
        elif not self.termed:
            self.send(SIGTERM, members)
            self.termed = True

    def send(self, number: int, members: list[ProcessEntry]) -> None:
        """Signal the group in one call, so that no member can fork away in between; then the processes outside it."""
        self.send_group(number)
        for entry in members:
            if entry.group != self.leader:
                send(os.kill, entry.pid, number)

    def send_group(self, number: int) -> None:
        send(os.killpg, self.leader, number)

    def group_is_empty(self) -> bool:
        """For systems without /proc. macOS answers EPERM for a group that has only zombies."""
        try:
            os.killpg(self.leader, 0)
        except (ProcessLookupError, PermissionError):
            return True
        return False

    def reap(self, table: ProcessTable) -> None:
        """Reap the processes we ended, if the host adopts orphans (PID 1, subreaper): they would stay zombies."""
        us = os.getpid()
        for pid, start in self.known:
            entry = table.entries.get(pid)
            if entry and entry.start == start and entry.parent == us and not entry.alive and pid != self.leader:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    continue


class SweepClock:
    """When to look for survivors again: soon after a change, then less often, and whenever one is to be killed."""

    __slots__ = ("at", "cost", "ended", "interval")

    def __init__(self) -> None:
        self.at = self.ended = self.cost = 0.0
        self.interval = 0.005

    def hurry(self) -> None:
        """Look again soon, but not constantly: many ends share one look."""
        self.interval = 0.005
        self.at = self.ended + min(2 * self.cost, 0.01)

    def plan_next(self, began: float, kill_times: Iterable[float]) -> None:
        """A look that began then is over; the next one is due later, and at each time to kill."""
        self.ended = time.monotonic()
        self.cost = self.ended - began
        self.interval = min(self.interval * 2, 0.05)
        self.at = min([self.ended + self.interval, *(at for at in kill_times if at > began)])


def send(kill: Callable[[int, int], None], number: int, signal: int) -> None:
    """Signal a process or group that may be gone, or another user's, by now."""
    try:
        kill(number, signal)
    except (ProcessLookupError, PermissionError):
        return

"""The folder of the journal: one file of JSON lines a day, a new number when it is full, the oldest deleted.

Every append is one write, under a lock on the file: each line carries the hash of the line before, so two processes may
not both follow the same one. A process that is stopped could hold that lock: another one waits a moment only, then it
begins the next file. The file is opened each time (3 µs): so it does not matter if it was deleted or replaced, and
nothing is left open in a fork.
"""

from __future__ import annotations

import errno
import os
import stat
from _thread import allocate_lock
from collections.abc import Mapping, Sequence
from time import gmtime, monotonic, sleep, strftime, time

from tenterhook.journal.chain import digest, last_line, link_lines, parts_named, read_tail
from tenterhook.support.clock import minute
from tenterhook.support.paths import state_folder

try:
    import fcntl
except ImportError:  # pragma: no cover - there two processes may follow the same line
    fcntl = None  # type: ignore[assignment, unused-ignore]

SIGNS = ("-", "-", "-", ".jsonl")
OPEN = os.O_RDWR | os.O_APPEND | os.O_CREAT
for flag in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
    OPEN |= getattr(os, flag, 0)  # no system has all of them
# Errors if something else is at its path: use the next number.
OCCUPIED = {errno.ELOOP, errno.EISDIR, errno.EACCES, errno.EPERM, errno.ENXIO}
TRIES = 20
# A file is full at this fraction of the total size, so that deleting the oldest never deletes much.
PART = 16
DAY = 86_400
# The most seconds to wait for another process that writes, and how long between two looks.
PATIENCE, PAUSE = 1.0, 0.0002
NOTHING: Mapping[str, bytes] = {}


def place(home: str, environ: Mapping[str, str]) -> str:
    """The journal in the user's state folder."""
    return os.path.join(state_folder(environ, home), "journal")


def names(folder: str) -> list[str]:
    """The journal's files, the oldest first; none if there is no folder."""
    try:
        found = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(
        (name for name in found if parse_file_number(name)), key=lambda name: (name[:10], parse_file_number(name))
    )


def parse_file_number(name: str) -> int:
    """The number in 2026-11-16-0001.jsonl; 0 if it is not such a name."""
    day, number = name[:10], name[11:-6]
    shape = (day[4:5], day[7:8], name[10:11], name[-6:])
    ours = shape == SIGNS and number.isdecimal() and day.replace("-", "").isdecimal()
    return int(number) if ours else 0


class JournalFiles:
    """Appends lines to the journal's files. Thread-safe."""

    def __init__(self, folder: str, days: int, megabytes: int) -> None:
        self.folder, self.days, self.most = folder, days, megabytes * 1_000_000
        self.day, self.number = "", 1
        self.lock = allocate_lock()
        # The file that was written to last: its identity, where our last line ended, and that line.
        self.path, self.end, self.last = "", (0, 0), b""
        # The hash of the line to follow; empty if it is not known yet, or there is none.
        self.hash = ""
        # The parts that are in that file.
        self.parts: set[str] = set()

    def append(self, lines: Sequence[bytes], parts: Mapping[str, bytes] = NOTHING) -> None:
        """Append whole lines of JSON, in one write; before them the parts that they need, unless the file has them.

        Raises OSError if they cannot be written.
        """
        with self.lock:
            self.append_somewhere(lines, parts)

    def append_somewhere(self, lines: Sequence[bytes], parts: Mapping[str, bytes]) -> None:
        day = minute(int(time()) // 60)[:10]
        if day != self.day:
            self.prepare(day)
        for tries in range(1, TRIES + 1):
            try:
                if self.append_to(self.path or self.file_of_day(day), lines, parts):
                    return
            except FileNotFoundError:  # the folder was deleted since
                self.prepare(day)
            except OSError as exc:
                if exc.errno not in OCCUPIED or tries == TRIES:
                    raise
                self.turn_page()
        raise OSError(errno.EEXIST, "no free file", self.folder)

    def file_of_day(self, day: str) -> str:
        self.path = os.path.join(self.folder, f"{day}-{self.number:04}.jsonl")
        return self.path

    def turn_page(self) -> None:
        self.number, self.path = self.number + 1, ""

    def prepare(self, day: str) -> None:
        """Create the folder, for its owner alone, and find the number to continue with."""
        parent = os.path.dirname(self.folder)
        os.makedirs(os.path.dirname(parent), exist_ok=True)
        for path in (parent, self.folder):
            try:
                os.mkdir(path, 0o700)
            except FileExistsError:
                if os.path.islink(path) and path == self.folder:
                    raise OSError(errno.ELOOP, "is a link, which the journal does not follow", path) from None
        numbers = [parse_file_number(name) for name in names(self.folder) if name.startswith(day)]
        self.day, self.number, self.path = day, max(numbers, default=1), ""

    def append_to(self, path: str, lines: Sequence[bytes], parts: Mapping[str, bytes]) -> bool:
        """Append to this file; returns whether there was room, and no other process in the way."""
        descriptor = os.open(path, OPEN, 0o600)
        try:
            if not take_lock(descriptor):
                self.turn_page()
                return False
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(errno.ENXIO, "is not a file", path)
            size = found.st_size
            if size >= self.most // PART:
                self.turn_page()
                return False
            torn = (found.st_ino, size) != self.end and self.continue_after_others(descriptor, found)
            before = "" if size else self.end_of_file_before(path)
            new = [line for name, line in parts.items() if name not in self.parts]
            linked = link_lines([*new, *lines], self.hash_to_follow(), before)
            text = b"\n" * torn + b"".join(linked)
            if os.write(descriptor, text) != len(text):
                os.ftruncate(descriptor, size)  # no line by half
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            self.end, self.last, self.hash = (found.st_ino, size + len(text)), linked[-1], ""
            self.parts.update(parts)
        finally:
            release_lock(descriptor)
            os.close(descriptor)
        if not size:
            self.prune()
        return True

    def hash_to_follow(self) -> str:
        self.hash = self.hash or (digest(self.last) if self.last else "")
        return self.hash

    def hash_ahead(self) -> None:
        """Hash our last line now, as hooks run: the next line follows it, unless another process comes between."""
        if self.lock.acquire(blocking=False):
            try:
                self.hash_to_follow()
            finally:
                self.lock.release()

    def continue_after_others(self, descriptor: int, found: os.stat_result) -> bool:
        """Find out what to follow in a file that another process has written to; returns whether its end is torn.

        A line names only parts that stand before it: a part that the last lines name need not be written again.
        """
        if found.st_ino != self.end[0] or found.st_size < self.end[1]:
            self.parts.clear()
        tail = read_tail(descriptor, found.st_size) if found.st_size else b""
        self.last, self.hash = last_line(tail), ""
        self.parts |= parts_named(tail)
        return bool(tail) and not tail.endswith(b"\n")

    def end_of_file_before(self, path: str) -> str:
        """The name of the file that a new one continues; the hash of its last line is what the new one follows."""
        own = os.path.basename(path)
        for name in reversed(names(self.folder)):
            try:
                descriptor = os.open(os.path.join(self.folder, name), OPEN & ~(os.O_CREAT | os.O_APPEND))
            except OSError:  # not a file, or gone meanwhile
                continue
            try:
                if name == own or not (size := os.fstat(descriptor).st_size):
                    continue
                self.last, self.hash = last_line(read_tail(descriptor, size)), ""
                return name
            finally:
                os.close(descriptor)
        self.last, self.hash = b"", ""
        return ""

    def prune(self) -> None:
        """Delete old files, then the oldest until there is room for a full file."""
        oldest = strftime("%Y-%m-%d", gmtime(time() - self.days * DAY))
        found = names(self.folder)
        sizes = {name: size(os.path.join(self.folder, name)) for name in found}
        total = sum(sizes.values())
        for name in found[:-1]:
            if name >= oldest and total + self.most // PART <= self.most:
                return
            total -= sizes[name]
            try:
                os.unlink(os.path.join(self.folder, name))
            except OSError:  # another process was faster, or it is not ours: the next one may go
                continue


def size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def take_lock(descriptor: int) -> bool:
    """Wait for the lock on a file, a moment only. Where files cannot be locked there is nothing to wait for."""
    if fcntl is None:
        return True
    end = 0.0
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            now = monotonic()
            end = end or now + PATIENCE
            if now > end:
                return False
            sleep(PAUSE)
        except OSError:  # a file system without locks
            return True
        else:
            return True


def release_lock(descriptor: int) -> None:
    """Closing would not do: a child that was forked meanwhile has the file open, too."""
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except OSError:  # a file system without locks
        return

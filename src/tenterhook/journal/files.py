"""The folder of the journal: one file of JSON lines a day, a new number when it is full, the oldest deleted.

Every append is one write to a descriptor opened for appending, so that several processes can write at once, without a
lock that another process could hold. The file is opened each time (3 µs): so it does not matter if it was deleted or
replaced, and nothing is left open in a fork.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from time import gmtime, strftime, time

from tenterhook.support.clock import minute
from tenterhook.support.paths import state_folder

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
    """Appends lines to the journal's files."""

    def __init__(self, folder: str, days: int, megabytes: int) -> None:
        self.folder, self.days, self.most = folder, days, megabytes * 1_000_000
        self.day, self.number = "", 1
        # The file that was written to last: its identity, and where our last line ended.
        self.path, self.end = "", (0, 0)

    def append(self, lines: bytes) -> None:
        """Append whole lines, in one write. Raises OSError if they cannot be written."""
        day = minute(int(time()) // 60)[:10]
        if day != self.day:
            self.prepare(day)
        for tries in range(1, TRIES + 1):
            try:
                if self.append_to(self.path or self.file_of_day(day), lines):
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

    def append_to(self, path: str, lines: bytes) -> bool:
        """Append to this file; returns whether there was room. An unfinished last line is terminated first.

        If its writer is still writing, an empty line comes between the two.
        """
        descriptor = os.open(path, OPEN, 0o600)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(errno.ENXIO, "is not a file", path)
            if found.st_size >= self.most // PART:
                self.turn_page()
                return False
            size, ours = found.st_size, (found.st_ino, found.st_size) == self.end
            if size and not ours and os.pread(descriptor, 1, size - 1) != b"\n":
                lines = b"\n" + lines
            if os.write(descriptor, lines) != len(lines):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            self.end = found.st_ino, size + len(lines)
        finally:
            os.close(descriptor)
        if not found.st_size:
            self.prune()
        return True

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

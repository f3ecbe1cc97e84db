"""The stat fingerprint of a file: inode, size and times tell a changed file from the one that was read."""

from __future__ import annotations

import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    Stamp = tuple[int, int, int, int, int] | None

# File system clocks are coarse: a file that changed less than this long ago may change again without a trace.
SETTLED = 100_000_000


def stamp(path: str | bytes | int) -> Stamp:
    """None if nothing is there, or it cannot be read."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def is_stamp_reliable(of: Stamp) -> bool:
    """Whether this fingerprint will differ from that of the file's next change."""
    return of is not None and max(of[3:]) < time.time_ns() - SETTLED


def is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False

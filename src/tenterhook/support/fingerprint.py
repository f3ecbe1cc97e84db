"""The stat fingerprint of a file: inode, size and times tell a changed file from the one that was read."""

from __future__ import annotations

import os
import stat
import time

# Empty for a file that is missing or cannot be read.
Stamp = tuple[int, ...]

# File system clocks are coarse: a file that changed less than this long ago may change again without a trace.
SETTLED = 100_000_000


def stamp(path: str | bytes | int) -> Stamp:
    """The fingerprint of the file that a path leads to."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return ()
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def stamp_of(about: os.stat_result) -> Stamp:
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def is_stamp_reliable(of: Stamp) -> bool:
    """Whether this fingerprint will differ from that of the file's next change."""
    return bool(of) and max(of[3:]) < time.time_ns() - SETTLED


def is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False

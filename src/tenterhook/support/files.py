"""Read files of an untrusted project: only regular files, since reading a pipe or a device might never end."""

from __future__ import annotations

import os
import stat
from errno import EINVAL, EISDIR

LARGEST = 4 << 20


def contents(path: str, most: int = LARGEST) -> bytes:
    """A regular file's first bytes; OSError for anything else, as for a missing file."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(EISDIR, "is a folder", path)
        if not stat.S_ISREG(mode):
            raise OSError(EINVAL, "is not a regular file", path)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(descriptor)


def text(path: str, most: int = LARGEST) -> str:
    """The whole of a file as text, line ends as in Python; ValueError if it is not text, or longer."""
    found = contents(path, most + 1)
    if len(found) > most:
        raise ValueError(f"it is longer than {most:,} bytes")
    return found.decode().replace("\r\n", "\n")


def beginning(path: str, most: int) -> str:
    """The beginning of a file as text, whatever is in it."""
    return contents(path, most).decode("utf-8", "replace").replace("\r\n", "\n")

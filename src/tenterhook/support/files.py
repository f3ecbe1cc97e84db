"""Files of a project, read as nobody can trust them to be files: a pipe would never answer, a device never end."""

from __future__ import annotations

import os
import stat
from errno import EINVAL, EISDIR

LARGEST = 4 << 20


def contents(path: str, most: int = LARGEST) -> bytes:
    """A regular file's first bytes; anything else is an OSError, as a file that is not there is."""
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
    """The whole of a file as text, its lines ending as Python's do; a ValueError where it is none, or longer."""
    found = contents(path, most + 1)
    if len(found) > most:
        raise ValueError(f"it is longer than {most:,} bytes")
    return found.decode().replace("\r\n", "\n")


def beginning(path: str, most: int) -> str:
    """So much of a file as text, whatever is in it."""
    return contents(path, most).decode("utf-8", "replace").replace("\r\n", "\n")

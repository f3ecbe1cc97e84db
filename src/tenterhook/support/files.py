"""Read files that are not ours: regular ones only, since reading a pipe or a device might never end; and whole.

Another process may be writing a config, and half of it would silently mean fewer hooks. If the system can tell whether
a process has the file open for writing, it is asked; elsewhere a file that has just changed must stay unchanged for a
moment. A writer that replaces the file atomically never causes a delay: the file that we hold open does not change.
"""

from __future__ import annotations

import os
import stat
import time
from errno import EINVAL, EISDIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader

LARGEST = 4 << 20
USUAL = 64 * 1024  # a buffer for the largest file at once would take 20 µs more
# Seconds since the last change after which the system is not asked any more.
SETTLED = 2.0
# How long a file must stay unchanged before it counts as written: an empty one, longer.
QUIET, EMPTY = 0.05, 0.25
PATIENCE = 1.0
PAUSE = 0.005


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


def whole(stream: BufferedReader, file: str, most: int) -> bytes:
    """The file's content when no process is writing it; an error if it keeps changing."""
    before: tuple[int, int] | None = None
    since = began = 0.0
    while True:
        leased = lease(stream)
        text = stream.read(USUAL)
        if len(text) == USUAL:
            text += stream.read(most - USUAL)
        about = os.fstat(stream.fileno())
        release(stream, leased)
        if len(text) in (about.st_size, most):
            if time.time() - about.st_mtime > SETTLED or (leased and text):
                return text
            now, stamp = time.monotonic(), (about.st_size, about.st_mtime_ns)
            since = since if stamp == before else now
            before = stamp
            if leased is not False and now - since >= (QUIET if text else EMPTY):
                return text
        began = began or time.monotonic()
        if time.monotonic() - began > PATIENCE:
            from tenterhook.errors import ConfigError

            raise ConfigError("is being written to without a pause, so it cannot be read completely", file=file)
        time.sleep(PAUSE)
        stream.seek(0)


def lease(stream: BufferedReader) -> bool | None:
    """Whether no process has the file open for writing, nor can open it for now; None if that cannot be known."""
    if time.time() - os.fstat(stream.fileno()).st_mtime > SETTLED:
        return None
    try:
        from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, fcntl
        from signal import SIGURG
    except ImportError:  # another system than Linux
        return None
    try:
        fcntl(stream.fileno(), F_SETSIG, SIGURG)  # the default signal, sent when another process waits, would end us
        fcntl(stream.fileno(), F_SETLEASE, F_RDLCK)
    except BlockingIOError:
        return False
    except OSError:  # another user's file, or a file system that has no leases
        return None
    return True


def release(stream: BufferedReader, leased: bool | None) -> None:
    if leased:
        from fcntl import F_SETLEASE, F_UNLCK, fcntl

        fcntl(stream.fileno(), F_SETLEASE, F_UNLCK)

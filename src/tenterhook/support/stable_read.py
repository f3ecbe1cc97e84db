"""A file that somebody writes while we read it: half of a config would be fewer hooks, and nobody would know.

Where the system can tell whether anybody has the file open for writing it is asked; elsewhere a file that was changed
this moment must keep still for a moment. Who writes a new file and puts it in place of the old one is never in the way:
the file that we hold open does not change any more.
"""

from __future__ import annotations

import os
import time
from io import BufferedReader

from tenterhook.errors import ConfigError

USUAL = 64 * 1024  # a buffer for the largest file at once would take 20 µs more
# Seconds since the last change after which nobody is asked any more.
SETTLED = 2.0
# How long a file keeps still before it counts as written: one that has only been emptied, longer.
QUIET, EMPTY = 0.05, 0.25
PATIENCE = 1.0
PAUSE = 0.005


def whole(stream: BufferedReader, file: str, most: int) -> bytes:
    """What the file holds when nobody is writing it; an error where it never keeps still."""
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
            raise ConfigError("is being written to without a pause, so it cannot be read completely", file=file)
        time.sleep(PAUSE)
        stream.seek(0)


def lease(stream: BufferedReader) -> bool | None:
    """Whether nobody has the file open for writing, and nobody can open it so for now; None where nobody can tell."""
    if time.time() - os.fstat(stream.fileno()).st_mtime > SETTLED:
        return None
    try:
        from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, fcntl
        from signal import SIGURG
    except ImportError:  # another system than Linux
        return None
    try:
        fcntl(stream.fileno(), F_SETSIG, SIGURG)  # the usual one, sent to us when somebody waits, would end the process
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

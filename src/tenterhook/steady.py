"""A file that somebody writes while we read it: half of a config would be fewer hooks, and nobody would know.

A file that was changed this moment is looked at again a moment later. Who writes a new file and puts it in place of the
old one is never in the way: the file that we hold open does not change any more.
"""

from __future__ import annotations

import os
import time
from io import BufferedReader

from tenterhook.errors import ConfigError

USUAL = 64 * 1024  # a buffer for the largest file at once would take 20 µs more
# Seconds: who is in the middle of writing goes on within the first; who has only emptied the file, within the second.
QUIET, EMPTY = 0.025, 0.25
PATIENCE = 1.0


def whole(stream: BufferedReader, file: str, most: int) -> bytes:
    """What the file holds when nobody is writing it; an error where it never keeps still."""
    deadline = 0.0
    while True:
        text = stream.read(USUAL)
        if len(text) == USUAL:
            text += stream.read(most - USUAL)
        about = os.fstat(stream.fileno())
        complete = len(text) == about.st_size or len(text) == most
        if complete and time.time() - about.st_mtime > (QUIET if text else EMPTY):
            return text
        time.sleep(QUIET)
        now = os.fstat(stream.fileno())
        still = (now.st_size, now.st_mtime_ns) == (about.st_size, about.st_mtime_ns)
        if complete and still and text:
            return text
        deadline = deadline or time.monotonic() + PATIENCE
        if time.monotonic() > deadline:
            if complete and still:  # empty, and its clock is ahead of ours
                return text
            raise ConfigError("is being written to without a pause, so it cannot be read whole", file=file)
        stream.seek(0)

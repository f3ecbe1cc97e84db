"""The chain of lines: each begins with the hash of the line before it, so that a reader sees what was changed.

The hash is SHA-256 over the bytes of a line without its end. The first line of a file names the file before it, too.
"""

from __future__ import annotations

import os

# hashlib would load OpenSSL, 3 ms of every `tenter fire`; these are the same function.
try:
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]  # from Python 3.12 on
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:  # pragma: no cover
        from hashlib import sha256

__all__ = ["digest", "last_line", "link_lines", "parts_named", "previous_file", "previous_hash", "read_tail", "sha256"]

START, AFTER = b'{"prev":"', b',"after":"'
# What is read of a file's end to find its last line: enough for several.
TAIL = 16_384
# Where a line goes on after the hash of the one before.
LINKED = len(START) + 66


def digest(line: bytes) -> str:
    """The hash of a line; whether its end is there does not matter."""
    found: str = sha256(line.rstrip(b"\n")).hexdigest()
    return found


def link_lines(lines: list[bytes], before: str, file: str = "") -> list[bytes]:
    """Lines of JSON that carry the hash of the line before.

    `file` is the file before, if the first of them begins a new one.
    """
    linked: list[bytes] = []
    for line in lines:
        before = digest(linked[-1]) if linked else before
        head = f'"after":"{file}",' if file and not linked else ""
        linked.append(START + f'{before}",{head}'.encode() + line[1:])
    return linked


def previous_hash(line: bytes) -> str | None:
    """The hash of the line before, as this line says it; None if it says nothing of it."""
    end = line.find(b'"', len(START))
    return line[len(START) : end].decode("ascii", "replace") if line.startswith(START) and end > 0 else None


def previous_file(line: bytes) -> str:
    """The file before, as the first line of a file says it; empty if there was none."""
    start = line.find(b'"', len(START)) + 1
    if not line.startswith(START) or not line.startswith(AFTER, start):
        return ""
    start += len(AFTER)
    return line[start : line.find(b'"', start)].decode("ascii", "replace")


def read_tail(descriptor: int, size: int) -> bytes:
    """The end of a file, from the beginning of a line on; at least its last line."""
    length = min(TAIL, size)
    while True:
        tail = read_at(descriptor, length, size - length)
        whole = length >= size
        start = 0 if whole else tail.find(b"\n") + 1
        if whole or 0 < start < len(tail.rstrip(b"\n")):
            return tail[start:]
        length = min(length * 4, size)


def read_at(descriptor: int, length: int, start: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, start)
    os.lseek(descriptor, start, os.SEEK_SET)  # writing appends, wherever we are
    return os.read(descriptor, length)


def last_line(tail: bytes) -> bytes:
    return tail.rstrip(b"\n").rpartition(b"\n")[2]


def parts_named(tail: bytes) -> set[str]:
    """The parts that these lines hold or refer to, all of which are in the file. The last line may be torn.

    Only the beginning of a line counts, which `lines.py` writes: what follows may be the agent's own words.
    """
    found = set()
    for line in tail.split(b"\n")[:-1]:
        words = line[LINKED:].split(b'"', 10)
        if len(words) > 5 and words[1] == b"schema" and words[3] in (b"part", b"context"):
            found.add(words[5].decode("ascii", "replace"))
            if len(words) > 9 and words[7] == b"plan":
                found.add(words[9].decode("ascii", "replace"))
    return found

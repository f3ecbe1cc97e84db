"""The pipes of a child: what it is given on stdin, what is kept of its stdout and stderr.

Our ends never block. We do not wait for a pipe whose other end a grandchild holds.
"""

from __future__ import annotations

import os

CHUNK = 65536
# The largest pipe that an ordinary user may have. A flood of 1 GB then takes a thousand turns instead of 16,000.
WIDE = 1 << 20
# What JSON begins with that may be, or hold, an answer.
JSON = '{["'


def close(*fds: int) -> None:
    """Forget the number first, then close: if interrupted in between, a file stays open instead of being closed
    twice.
    """
    for fd in fds:
        if fd >= 0:
            os.close(fd)


class Feed:
    """stdin. What fits into the pipe is written right after the start: for most events, everything."""

    __slots__ = ("data", "fd", "other", "sent")

    def __init__(self, data: bytes) -> None:
        self.data = memoryview(data)
        self.sent = 0
        self.fd = self.other = -1

    def open(self, gated: bool) -> int:
        """Returns the child's end. If there is a gate, a first line opens it."""
        self.other, self.fd = os.pipe()
        os.set_blocking(self.fd, False)
        if gated:
            self.data = memoryview(b"\n" + self.data)
        return self.other

    def push(self) -> None:
        """Write what the pipe takes; close it when all is written.

        While we write, we hold the child's end too: so there is no EPIPE, nor a SIGPIPE in hosts that die of it.
        """
        try:
            while self.sent < len(self.data):
                self.sent += os.write(self.fd, self.data[self.sent : self.sent + WIDE])
        except BlockingIOError:
            return
        self.close()

    def close(self) -> None:
        fds = self.fd, self.other
        self.fd = self.other = -1
        close(*fds)


class OutputStream:
    """stdout or stderr. The first `room` bytes are kept; the rest is read and dropped, so that the child is not
    blocked.

    With a `tail` the last bytes are kept too, after the first. What begins like JSON is kept up to `whole` bytes.
    """

    __slots__ = ("fd", "last", "more", "parts", "room", "sink", "tail", "truncated", "wide")

    def __init__(self, cap: int, tail: int = 0, whole: int = 0) -> None:
        self.fd = self.sink = -1
        self.room, self.tail, self.more = cap, tail, max(0, whole - cap)
        self.parts: list[bytes] = []
        self.last = b""
        self.truncated = self.wide = False

    def open(self) -> int:
        """Returns the child's end."""
        self.fd, other = os.pipe()
        os.set_blocking(self.fd, False)
        return other

    def drain(self) -> int:
        """Read once. Returns the number of bytes; 0 at the end of the stream; -1 if there is nothing now."""
        try:
            if self.room <= 0 and not self.has_more_room():
                return self.shift() if self.tail else self.drop()
            part = os.read(self.fd, min(CHUNK, self.room))
        except BlockingIOError:
            return -1
        self.parts.append(part)
        self.room -= len(part)
        if len(part) == CHUNK and not self.wide:
            self.widen()
        return len(part)

    def has_more_room(self) -> bool:
        """Decided when the first bytes are there: a flood of text is dropped from now on, an answer is not."""
        if self.more and is_like_json(self.parts):
            self.room = self.more
        self.more = 0
        return self.room > 0

    def widen(self) -> None:
        self.wide = True
        try:
            import fcntl

            fcntl.fcntl(self.fd, fcntl.F_SETPIPE_SZ, WIDE)
        except (ImportError, AttributeError, OSError):  # not Linux, or the user has too many pipes
            return

    def drop(self) -> int:
        """Move bytes to /dev/null inside the kernel, without a copy; by reading if there is no splice."""
        if self.sink == -1:
            self.widen()
            self.sink = open_sink()
        if self.sink >= 0:
            count = os.splice(self.fd, self.sink, WIDE, flags=os.SPLICE_F_NONBLOCK)
        else:
            count = len(os.read(self.fd, CHUNK))
        self.truncated = self.truncated or count > 0
        return count

    def shift(self) -> int:
        """Keep the latest bytes in place of earlier ones."""
        part = os.read(self.fd, CHUNK)
        self.last += part
        if len(self.last) > self.tail:
            self.last = self.last[-self.tail :]
            self.truncated = True
        return len(part)

    def drain_rest(self) -> None:
        """Read what is in the pipe already, and no more: a grandchild may hold it open, or write for ever."""
        left = WIDE
        while self.fd >= 0 and left > 0 and (count := self.drain()) > 0:
            left -= count

    def content(self) -> bytes:
        if self.last:
            return b"".join((*self.parts, self.last))
        return self.parts[0] if len(self.parts) == 1 else b"".join(self.parts)

    def close(self) -> None:
        fds = self.fd, self.sink
        self.fd = self.sink = -1
        close(*fds)


def is_like_json(parts: list[bytes]) -> bool:
    """Whether the text begins like an object, a list or a string; blanks alone may still become one."""
    text = b"".join(parts).decode("utf-8", "replace").lstrip("\ufeff").lstrip()
    return not text or text[0] in JSON


def open_sink() -> int:
    """A descriptor of /dev/null; -2 if dropping must be done by reading."""
    if not hasattr(os, "splice"):
        return -2
    try:
        return os.open("/dev/null", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return -2

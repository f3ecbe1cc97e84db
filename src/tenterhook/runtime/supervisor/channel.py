"""The host's ends of its connections to the helper."""

from __future__ import annotations

import contextlib
import os
import select

from tenterhook.runtime.supervisor.wire import CONFINED, HEAD, NOTE, PACKET, REFUSED, UNCONFINED, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # A profile's packed form, None for no sandbox; and which warm interpreter serves, None for an ordinary spawner.
    Key = tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]


class HelperConnection:
    """One end of a connection, in a host that may close files it does not know."""

    __slots__ = ("inode", "sound", "wire")

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.inode = inode(wire.fileno())
        self.sound = True

    @property
    def usable(self) -> bool:
        """False if the host has closed our file, and may have opened another one under its number."""
        if self.sound and self.inode != inode(self.wire.fileno()):
            self.wire.detach()
            self.sound = False
        return self.sound

    def close(self) -> None:
        if self.usable:
            self.wire.close()
        self.sound = False


class Channel(HelperConnection):
    """A connection to the spawner of one profile. Used by one loop at a time; given back when nothing runs on it.

    `notes` is the file in which the spawner records what it starts.
    """

    __slots__ = ("key", "mechanism", "notes", "notes_inode", "roused")

    def __init__(self, wire: Wire, notes: int, key: Key) -> None:
        super().__init__(wire)
        self.key, self.mechanism, self.roused = key, "", False
        self.notes, self.notes_inode = notes, inode(notes)

    def has_reached(self, number: int) -> bool:
        """Whether the spawner reached the start of this hook; True if that cannot be known."""
        if inode(self.notes) != self.notes_inode:
            return True
        return NOTE.unpack(os.pread(self.notes, NOTE.size, 0).ljust(NOTE.size, b"\0")) >= (number,)

    def close(self) -> None:
        if self.sound and inode(self.notes) == self.notes_inode:
            os.close(self.notes)
        super().close()


def first_word(wire: Wire, seconds: float) -> bytes | None:
    """The first message; empty if the other end was closed, None if nothing came in time."""
    poller = select.poll()
    poller.register(wire.fileno(), select.POLLIN)
    if not poller.poll(seconds * 1000):
        return None
    with contextlib.suppress(OSError):
        data = wire.recv(PACKET)
        if len(data) >= HEAD.size and data[:1] in (CONFINED, UNCONFINED, REFUSED):
            return data
    return b""


def inode(file: int) -> int:
    try:
        return os.fstat(file).st_ino
    except OSError:
        return -1

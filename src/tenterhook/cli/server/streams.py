"""stdout and stderr of a process that serves many clients: what a thread prints goes to its client."""

from __future__ import annotations

import io
import os
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from tenterhook.cli.server.protocol import ClientConnection

ERRORS = "backslashreplace"


class ClientStreams:
    """The streams of a thread's current client. Threads keep the object; clients come and go."""

    __slots__ = ("connection", "out")

    def __init__(self) -> None:
        self.connection: ClientConnection | None = None
        # Output of the command itself; None while hooks run, whose output all goes to stderr.
        self.out: bytearray | None = None


STREAMS: ContextVar[ClientStreams | None] = ContextVar("tenterhook.cli.server.seat", default=None)


class RoutedStream(io.RawIOBase):
    """stdout or stderr, routed to the thread's client."""

    def __init__(self, own: int) -> None:
        self.own = own

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        """Code that writes to the descriptor itself writes to the server's stderr."""
        return 2

    def isatty(self) -> bool:
        return False

    def write(self, data: ReadableBuffer) -> int:
        text = bytes(data)
        streams = STREAMS.get()
        if streams is None:
            os.write(2, text)
        elif self.own == 1 and streams.out is not None:
            streams.out += text
        elif streams.connection is not None:
            try:
                streams.connection.warn(text)
            except OSError:  # the client has gone
                streams.connection = None
        return len(text)


def route(codings: list[str]) -> None:
    """Replace the streams, once, when the process becomes a worker; they use the clients' encodings."""
    made = [
        io.TextIOWrapper(RoutedStream(number), encoding=coding or "utf-8", errors=ERRORS, write_through=True)  # type: ignore[type-var]
        for number, coding in zip((1, 2), codings, strict=True)
    ]
    sys.stdout, sys.stderr = made

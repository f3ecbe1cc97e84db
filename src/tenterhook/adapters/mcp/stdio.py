"""A server that is a child process, and the client at our own stdin and stdout: two threads, one for each way."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tenterhook.errors import UsageError

if TYPE_CHECKING:
    from tenterhook.adapters.mcp.relay import McpRelay

# Bytes that are read at once, and of the longest message.
PIECE, LARGEST = 1 << 18, 1 << 28
# Seconds for requests to be answered after one end has gone, for the server to end by itself, and after SIGTERM.
LAST_ANSWERS, ENDING, TERMINATING = 5.0, 5.0, 3.0


class TooLong(Exception):
    """A line is longer than any message may be."""


class ChildServer:
    """The server's process. `relay.connect` takes `send`; `serve` passes messages until one end has gone."""

    def __init__(self, command: list[str]) -> None:
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except OSError as exc:
            raise UsageError(f"the server {command[0]!r} cannot be started: {exc.strerror}") from None
        assert self.process.stdin
        assert self.process.stdout
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        widen(self.input, self.output)

    def send(self, line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # the reader of its output sees that it ended
            write_all(self.input, line)

    def serve(self, relay: McpRelay, client: int) -> int:
        """Returns the exit code: the server's own, if it ended first."""
        over = threading.Event()
        client_left = threading.Event()

        def pass_to_server() -> None:
            try:
                pump(client, relay.from_client, self.send if relay.quiet else None, relay.tell)
            finally:
                client_left.set()
                over.set()

        def pass_to_client() -> None:
            try:
                pump(self.output, relay.from_server, write_client if relay.quiet else None, relay.tell)
            finally:
                relay.server_left("the server has ended")
                over.set()

        threads = [threading.Thread(target=work, daemon=True) for work in (pass_to_server, pass_to_client)]
        with ending_on_signals(over):
            for thread in threads:
                thread.start()
            over.wait()
        if client_left.is_set():
            relay.wait(LAST_ANSWERS)
        self.end()
        threads[1].join(TERMINATING)
        relay.client_left()
        relay.wait(LAST_ANSWERS)
        code = self.process.returncode
        return code if code is not None and code >= 0 else 0 if client_left.is_set() else 1

    def end(self) -> None:
        """As the protocol wants it: close its input, wait, SIGTERM, wait, SIGKILL."""
        assert self.process.stdin
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        for stop, seconds in ((self.process.terminate, ENDING), (self.process.kill, TERMINATING)):
            try:
                self.process.wait(seconds)
                return
            except subprocess.TimeoutExpired:
                stop()
        self.process.wait()


def write_client(data: bytes) -> None:
    write_all(1, data)


def write_all(file: int, data: bytes) -> None:
    count = os.write(file, data)
    if count < len(data):
        view = memoryview(data)
        while count < len(data):
            count += os.write(file, view[count:])


def widen(*pipes: int) -> None:
    """Let a pipe hold more, where the system can, so that a big message takes fewer turns."""
    import fcntl

    if hasattr(fcntl, "F_SETPIPE_SZ"):
        for pipe in pipes:
            with contextlib.suppress(OSError):  # more than this user may have
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)


def pump(
    file: int, take: Callable[[bytes], None], copy: Callable[[bytes], None] | None, tell: Callable[[str], object]
) -> None:
    """Pass on what comes, line by line; with `copy` as it comes, because no hook wants to see it."""
    with contextlib.suppress(BrokenPipeError):
        if copy is not None:
            while data := os.read(file, PIECE):
                copy(data)
            return
        try:
            for line in lines_of(lambda: os.read(file, PIECE)):
                take(line)
        except TooLong:
            tell(f"a message is longer than {LARGEST >> 20} MB, so the connection ends")


def lines_of(read: Callable[[], bytes]) -> Iterator[bytes]:
    """Whole lines. Half a line at the end is not a message, and is dropped."""
    pieces: list[bytes] = []
    size = 0
    while data := read():
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            line = data[start : end + 1]
            start = end + 1
            if pieces:
                pieces.append(line)
                line = b"".join(pieces)
                pieces, size = [], 0
            yield line
        if rest := data[start:]:
            pieces.append(rest)
            size += len(rest)
            if size > LARGEST:
                raise TooLong


@contextlib.contextmanager
def ending_on_signals(over: threading.Event) -> Iterator[None]:
    """SIGTERM, SIGINT and SIGHUP end the relay, and the server with it."""
    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: over.set()) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""The door itself: a process that accepts calls, each in a thread of its own, and ends with the server."""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress

from tenterhook.cli.server.door.relay import Relay
from tenterhook.cli.server.door.reply import answer, refusal
from tenterhook.cli.server.door.request import CallerLeft, Refused, read_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.cli.server.door.keeper import CallCounts

# Seconds that a caller may take to read its response; bytes and seconds of a request that is read but not used.
READING, LEFTOVER, DRAINING = 30.0, 1 << 20, 1.0
# Seconds to wait where the process has no descriptor left.
BREATH = 0.1


class DoorProcess:
    """`alive` is the end of a pipe that hangs up with the server."""

    def __init__(
        self, listener: socket.socket, relay: Relay, token: str, alive: int, parallel: int, counts: CallCounts
    ) -> None:
        self.listener, self.relay, self.token, self.alive, self.counts = listener, relay, token, alive, counts
        self.port = listener.getsockname()[1]
        self.slots = threading.BoundedSemaphore(parallel)
        self.busy = 0
        self.empty = threading.Condition()

    def serve(self) -> None:
        """Until the server is gone; calls that are there are answered."""
        poller = select.poll()
        for file in (self.listener.fileno(), self.alive):
            poller.register(file, select.POLLIN)
        while True:
            ready = {file for file, _ in poller.poll()}
            if self.alive in ready:
                break
            self.slots.acquire()  # further callers wait in the kernel's queue
            self.accept()
        self.listener.close()
        with self.empty:
            self.empty.wait_for(lambda: not self.busy)

    def accept(self) -> None:
        try:
            wire, _ = self.listener.accept()
        except OSError as exc:  # another process took it, or no descriptor is left
            self.slots.release()
            if not isinstance(exc, BlockingIOError):
                time.sleep(BREATH)
            return
        with self.empty:
            self.busy += 1
        try:
            threading.Thread(target=self.serve_caller, args=(wire,), name="tenterhook door", daemon=True).start()
        except RuntimeError:  # no more threads: the caller is hung up on
            wire.close()
            self.leave()

    def leave(self) -> None:
        self.slots.release()
        with self.empty:
            self.busy -= 1
            self.empty.notify_all()

    def serve_caller(self, wire: socket.socket) -> None:
        try:
            with wire, suppress(OSError, CallerLeft):
                self.respond(wire, self.reply_to(wire))
        finally:
            self.leave()

    def reply_to(self, wire: socket.socket) -> bytes:
        try:
            request = read_request(wire, self.port, self.token)
            self.counts.count(served=1)
            said = self.relay.answer(request, wire)
        except Refused as exc:
            self.counts.count(refused=1)
            return refusal(exc.status, exc.text)
        except CallerLeft:
            raise
        except Exception as exc:  # a bug of ours: an error, by which an entry that fails closed refuses
            traceback.print_exc()
            return refusal(500, f"this cannot be checked: {type(exc).__name__}")
        if said.err and not said.code:
            print(said.err, file=sys.stderr, flush=True)
        return answer(said)

    def respond(self, wire: socket.socket, data: bytes) -> None:
        wire.settimeout(READING)
        wire.sendall(data)
        wire.shutdown(socket.SHUT_WR)
        # What was sent and not read would reset the connection, and the response would be lost with it.
        until, left = time.monotonic() + DRAINING, LEFTOVER
        while left > 0 and (seconds := until - time.monotonic()) > 0:
            wire.settimeout(seconds)
            part = wire.recv(min(left, 1 << 16))
            if not part:
                return
            left -= len(part)


def run_door(listener: socket.socket, relay: Relay, token: str, alive: int, parallel: int, counts: CallCounts) -> None:
    os.chdir("/")
    DoorProcess(listener, relay, token, alive, parallel, counts).serve()

"""The server's side of the door: the listening socket, and the process that accepts."""

from __future__ import annotations

import contextlib
import mmap
import os
import socket
import struct
import sys
import threading
import time
from typing import Any

from tenterhook.cli.server.auto_start import own_words
from tenterhook.support.http_door import HOST, make_token, token_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.cli.server.server import HookServer

# Seconds after which a door that died is started again: at once would be a loop, if it dies of its start.
AGAIN = 1.0
NUMBERS = struct.Struct("QQ")


class CallCounts:
    """How many calls were served and how many refused, in memory that the server and the door share."""

    def __init__(self) -> None:
        self.table = mmap.mmap(-1, NUMBERS.size)
        self.lock = threading.Lock()

    def count(self, served: int = 0, refused: int = 0) -> None:
        with self.lock:
            before = self.numbers
            NUMBERS.pack_into(self.table, 0, before[0] + served, before[1] + refused)

    @property
    def numbers(self) -> tuple[int, int]:
        found = NUMBERS.unpack_from(self.table, 0)
        return int(found[0]), int(found[1])


class DoorKeeper:
    """An open door of a server. The listening socket is the server's, so a door that dies refuses no call."""

    def __init__(self, server: HookServer, listener: socket.socket) -> None:
        self.server, self.listener = server, listener
        self.listener.setblocking(False)
        self.port = listener.getsockname()[1]
        self.token = make_token(token_path(os.environ, os.environ.get("HOME") or os.path.expanduser("~")))
        self.counts = CallCounts()
        self.pid = self.file = self.held = -1
        self.started = -AGAIN

    def start(self) -> None:
        """Fork the process that accepts."""
        self.started = time.monotonic()
        alive, held = os.pipe2(os.O_CLOEXEC)
        try:
            pid = os.fork()
        except OSError:  # no more processes: it is tried again
            os.close(alive)
            os.close(held)
            return
        if pid == 0:
            self.become_door(alive, held)
        os.close(alive)
        self.pid, self.held, self.file = pid, held, os.pidfd_open(pid)

    def become_door(self, alive: int, held: int) -> None:
        code = 1
        try:
            os.close(held)
            self.server.leave_server()
            from tenterhook.cli.server.door.process import run_door
            from tenterhook.cli.server.door.relay import Relay

            program = [sys.executable, *own_words()]
            folder = os.path.dirname(token_path(os.environ, os.environ.get("HOME") or os.path.expanduser("~")))
            relay = Relay(self.server.folder, self.server.code, folder, program)
            run_door(self.listener, relay, self.token, alive, self.server.parallel, self.counts)
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)

    def files(self) -> list[int]:
        return [self.file] if self.file >= 0 else []

    def keep(self, ready: list[int]) -> None:
        """Start the door, also if it has ended."""
        if self.file in ready:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
            self.release()
        if self.file < 0 and time.monotonic() - self.started > AGAIN:
            self.start()

    def release(self) -> None:
        for file in (self.file, self.held):
            if file >= 0:
                os.close(file)
        self.pid = self.file = self.held = -1

    def forget(self) -> None:
        """In a worker: close what belongs to the server."""
        self.listener.close()
        self.release()

    def close(self) -> None:
        """The door answers the calls that are there, and ends."""
        self.listener.close()
        self.release()

    def status(self) -> dict[str, Any]:
        served, refused = self.counts.numbers
        return {"url": f"http://{HOST}:{self.port}", "port": self.port, "pid": self.pid} | {
            "served": served,
            "refused": refused,
        }

"""`tenter hook` in a worker: each call in its own fork, with the client's streams.

Whatever an action does to its process ends with the fork, and everything is imported already. When the client goes, the
fork gets SIGTERM, as the command itself would.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import select
import signal
import socket
import sys
import time
import traceback

from tenterhook.cli import main
from tenterhook.cli.server.client import NOT_HERE
from tenterhook.cli.server.client_context import ClientContext
from tenterhook.cli.server.preload import OF_HOOKS, get_ready
from tenterhook.cli.server.protocol import STREAMS, BrokenRequest, ClientConnection, Request
from tenterhook.cli.server.streams import ERRORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.cli.server.server import WorkerPost

LOOK = 1000.0


class ForkingWorker:
    """A process with one thread: it accepts clients and forks."""

    def __init__(self, post: WorkerPost, context: ClientContext, listener: socket.socket) -> None:
        self.post, self.context, self.listener = post, context, listener
        self.listener.setblocking(False)
        self.children: dict[int, int] = {}
        self.used = time.monotonic()

    def serve(self, connection: ClientConnection, request: Request) -> None:
        self.fork(connection, request)
        get_ready(OF_HOOKS)  # while the first one runs
        while True:
            ready = self.wait()
            self.reap(ready)
            if self.listener.fileno() in ready:
                self.accept()
            idle = not self.children and time.monotonic() - self.used > self.post.idle
            if self.post.server in ready or idle:
                break
        self.post.withdraw()
        while self.accept():  # clients that connected before
            pass

    def wait(self) -> list[int]:
        poller = select.poll()
        for file in (self.post.server, *self.children):
            poller.register(file, select.POLLIN)
        if len(self.children) < self.post.parallel:
            poller.register(self.listener, select.POLLIN)
        return [file for file, _ in poller.poll(min(LOOK, self.post.idle * 1000))]

    def accept(self) -> bool:
        try:
            wire, _ = self.listener.accept()
        except OSError:
            return False
        wire.setblocking(True)
        self.fork(ClientConnection(wire))
        return True

    def fork(self, connection: ClientConnection, request: Request | None = None) -> None:
        self.used = time.monotonic()
        with contextlib.suppress(OSError):
            if request is None:
                connection.greet()
            child = os.fork()
            if child == 0:
                self.begin_flow(connection, request)
            self.children[os.pidfd_open(child)] = child
        connection.close()
        for file in request.files if request else ():
            os.close(file)

    def begin_flow(self, connection: ClientConnection, request: Request | None) -> None:
        """Run the request in the fork, which then exits."""
        code = 1
        try:
            self.listener.close()
            known = request is not None or self.context.knows(connection.wire)
            request = request or connection.request(self.post.key)
            if not known or request.context != self.context.context or len(request.files) != STREAMS:
                connection.say(NOT_HERE)
                return
            self.post.note(time.monotonic())
            code = run_hook_command(connection, request, self.context.codings)
        except (OSError, BrokenRequest):
            code = 1
        finally:
            os._exit(code)

    def reap(self, ready: list[int]) -> None:
        for file in [file for file in ready if file in self.children]:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.children.pop(file), 0)
            os.close(file)


def run_hook_command(connection: ClientConnection, request: Request, codings: list[str]) -> int:
    end_with(connection.wire)
    take_streams(request.files, codings)
    sys.argv = ["tenter", "hook", *request.words]
    try:
        code = main.run("hook", request.words)
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    # From here on the end of the connection must not end us.
    fcntl.fcntl(connection.wire, fcntl.F_SETFL, fcntl.fcntl(connection.wire, fcntl.F_GETFL) & ~os.O_ASYNC)
    connection.end(code)
    return code


def end_with(wire: socket.socket) -> None:
    """Send us SIGTERM when the client hangs up; exit now if it has."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    fcntl.fcntl(wire, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(wire, fcntl.F_SETSIG, signal.SIGTERM)
    fcntl.fcntl(wire, fcntl.F_SETFL, fcntl.fcntl(wire, fcntl.F_GETFL) | os.O_ASYNC)
    with contextlib.suppress(BlockingIOError):
        if not wire.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
            os._exit(1)


def take_streams(files: list[int], codings: list[str]) -> None:
    """Make the standard streams as the interpreter does at its start: line-buffered on a terminal."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    made = [
        io.TextIOWrapper(
            open(number, mode, closefd=False), encoding=coding, errors=ERRORS, line_buffering=os.isatty(number)
        )
        for number, (mode, coding) in enumerate(zip(("rb", "wb", "wb"), ("utf-8", *codings), strict=True))
    ]
    sys.stdin, sys.stdout, sys.stderr = made

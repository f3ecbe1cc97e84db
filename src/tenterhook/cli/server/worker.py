"""A worker: one process for one context. Each of its threads accepts a client, reads its request, fires and answers.

A client stays with one thread, because waking another takes as long as everything else. A thread that gets a client
makes sure that another thread waits for the next one.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections.abc import Callable
from functools import partial

from tenterhook.cli.server import streams
from tenterhook.cli.server.client import AGAIN, NOT_HERE
from tenterhook.cli.server.client_context import ClientContext
from tenterhook.cli.server.event_thread import Overtaken, Watchdog, WatchedCall
from tenterhook.cli.server.fire_worker import FireWorker
from tenterhook.cli.server.protocol import BrokenRequest, ClientConnection, Request
from tenterhook.cli.server.run_worker import RunWorker
from tenterhook.runtime.process.client_gone import CallerGone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.cli.server.server import WorkerPost

# Milliseconds between two checks for idleness.
LOOK = 1000.0
# What answers a request, by the command.
WORKERS = {"fire": FireWorker, "run": RunWorker}


class EngineWorker:
    """Serves until it is idle, the server ends, or the process is no longer like a new one."""

    def __init__(self, post: WorkerPost, context: ClientContext, listener: socket.socket) -> None:
        self.post, self.context, self.listener = post, context, listener
        self.watchdog = Watchdog(self.take_over)
        self.fire_worker = WORKERS[context.command](context, self.watchdog)
        self.lock = threading.Lock()
        self.threads = self.free = 0
        # Clients being served, by whichever thread.
        self.serving = 0
        self.empty = threading.Condition(self.lock)
        self.retired = threading.Event()
        self.used = time.monotonic()

    def serve(self, connection: ClientConnection, request: Request) -> None:
        """Serve from the first request, for which the worker was forked, until the last one is answered."""
        streams.route(self.context.codings)
        self.watchdog.start()
        with self.lock:
            self.serving += 1
            self.add_thread(connection, request)
        poller = select.poll()
        poller.register(self.post.server, select.POLLIN)
        while not self.retired.is_set():
            gone = poller.poll(min(LOOK, self.post.idle * 1000))
            idle = not self.serving and time.monotonic() - self.used > self.post.idle
            if gone or idle:
                self.retire()
        with self.empty:
            self.empty.wait_for(lambda: not self.serving)
        self.fire_worker.engines.close()

    def add_thread(self, connection: ClientConnection | None = None, request: Request | None = None) -> None:
        """Start a thread. Called with the lock held, so that it is counted before it accepts."""
        thread = threading.Thread(
            target=self.thread_loop, args=(connection, request), name="tenterhook client", daemon=True
        )
        thread.start()
        self.threads += 1
        self.free += 0 if connection else 1

    def thread_loop(self, connection: ClientConnection | None, request: Request | None) -> None:
        """Accept and serve clients, one after another."""
        if connection and request:
            self.keep_one_waiting(0)
            self.serve_client(connection, request)
        while True:
            try:
                wire, _ = self.listener.accept()
            except OSError:  # the listener is closed, and all clients were served
                return
            self.keep_one_waiting(1)
            self.serve_client(ClientConnection(wire))

    def keep_one_waiting(self, less: int) -> None:
        """Count the client before it is greeted, and make sure that a thread waits for the next. A client that is not
        counted when we end runs its command itself.
        """
        with self.lock:
            self.free -= less
            self.serving += less
            if not self.free and self.threads < self.post.parallel and not self.retired.is_set():
                with contextlib.suppress(RuntimeError):  # no more threads: the next client waits for one of these
                    self.add_thread()

    def serve_client(self, connection: ClientConnection, request: Request | None = None) -> None:
        self.work_for_client(connection, partial(self.answer, connection, request))
        with self.lock:
            self.free += 1

    def work_for_client(self, connection: ClientConnection, work: Callable[[], None]) -> None:
        """Work for a client until it is done. If another thread has taken over, that thread ends the client."""
        try:
            work()
        except Overtaken:
            return
        except (OSError, BrokenRequest, CallerGone):  # the client has gone
            pass
        except BaseException:
            self.end_client(connection)
            raise
        self.end_client(connection)

    def end_client(self, connection: ClientConnection) -> None:
        connection.close()
        self.used = time.monotonic()
        with self.lock:
            self.serving -= 1
            self.empty.notify_all()

    def take_over(self, watched: WatchedCall) -> None:
        """Take over from a late thread. Retire the worker: the late call may do anything to this process."""
        self.retire()
        connection = watched.run.connection
        thread = threading.Thread(
            target=self.work_for_client,
            args=(connection, watched.finish_timed_out),
            name="tenterhook client",
            daemon=True,
        )
        try:
            thread.start()
        except RuntimeError:  # no more threads: the client is told that the result is unknown
            self.end_client(connection)

    def answer(self, connection: ClientConnection, request: Request | None) -> None:
        if request is None:
            connection.greet()
            known = self.context.knows(connection.wire)  # while the client sends
            request = connection.request(self.post.key)
            if not known or request.context != self.context.context:
                connection.say(NOT_HERE)
                return
        if self.fire_worker.is_spoiled() or not self.fire_worker.modules.current:
            self.retire()
            connection.say(AGAIN)
            return
        self.post.note(time.monotonic())
        self.fire_worker(request, connection)
        if self.fire_worker.spoiled:
            self.retire()

    def retire(self) -> None:
        """Stop accepting; finish current clients. From here on a new worker may use our name."""
        with self.lock:
            if self.retired.is_set():
                return
            self.retired.set()
            self.post.withdraw()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)

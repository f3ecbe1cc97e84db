"""A worker: one process for one context. Its threads accept, read, fire and answer, each a client from end to end.

No client is handed from one thread to another, because to wake a thread takes as long as all the rest. A thread that
gets a client makes sure that another one waits for the next.
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
from tenterhook.runtime.process.client_gone import CallerGone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.cli.server.server import WorkerPost

# Milliseconds between two looks at the clock.
LOOK = 1000.0


class EngineWorker:
    """Serves until nobody came for a while, the server ends, or something is not as it would be in a new process."""

    def __init__(self, post: WorkerPost, context: ClientContext, listener: socket.socket) -> None:
        self.post, self.context, self.listener = post, context, listener
        self.watchdog = Watchdog(self.take_over)
        self.fire_worker = FireWorker(context, self.watchdog)
        self.lock = threading.Lock()
        self.threads = self.free = 0
        # Clients, whichever thread has them by now.
        self.serving = 0
        self.empty = threading.Condition(self.lock)
        self.retired = threading.Event()
        self.used = time.monotonic()

    def serve(self, connection: ClientConnection, request: Request) -> None:
        """From the first request, for which the worker was made, to the end of the last one."""
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
        """With the lock held, so that it is counted before it looks."""
        thread = threading.Thread(
            target=self.thread_loop, args=(connection, request), name="tenterhook client", daemon=True
        )
        thread.start()
        self.threads += 1
        self.free += 0 if connection else 1

    def thread_loop(self, connection: ClientConnection | None, request: Request | None) -> None:
        """What each thread does."""
        if connection and request:
            self.keep_one_waiting(0)
            self.serve_client(connection, request)
        while True:
            try:
                wire, _ = self.listener.accept()
            except OSError:  # nobody can come any more, and whoever came was served
                return
            self.keep_one_waiting(1)
            self.serve_client(ClientConnection(wire))

    def keep_one_waiting(self, less: int) -> None:
        """Before a client is greeted: who was not counted when we end does it himself."""
        with self.lock:
            self.free -= less
            self.serving += less
            if not self.free and self.threads < self.post.parallel and not self.retired.is_set():
                with contextlib.suppress(RuntimeError):  # no more threads: whoever comes waits for one of these
                    self.add_thread()

    def serve_client(self, connection: ClientConnection, request: Request | None = None) -> None:
        self.work_for_client(connection, partial(self.answer, connection, request))
        with self.lock:
            self.free += 1

    def work_for_client(self, connection: ClientConnection, work: Callable[[], None]) -> None:
        """Until nothing more comes for a client; where another thread has gone on with him, that is for it to say."""
        try:
            work()
        except Overtaken:
            return
        except (OSError, BrokenRequest, CallerGone):  # whoever it was has gone
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
        """Go on in place of a thread that is late. Nobody else is to come here, where that one may do anything."""
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
        except RuntimeError:  # no more threads: the client is told that nobody knows how far it came
            self.end_client(connection)

    def answer(self, connection: ClientConnection, request: Request | None) -> None:
        if request is None:
            connection.greet()
            known = self.context.knows(connection.wire)  # while it sends
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
        """Nobody finds us any more; those who have are served. A new worker may take our name from here on."""
        with self.lock:
            if self.retired.is_set():
                return
            self.retired.set()
            self.post.withdraw()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)

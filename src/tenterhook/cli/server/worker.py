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

    def __init__(self, post: WorkerPost, world: ClientContext, listener: socket.socket) -> None:
        self.post, self.world, self.listener = post, world, listener
        self.clock = Watchdog(self.overtake)
        self.firing = FireWorker(world, self.clock)
        self.lock = threading.Lock()
        self.threads = self.free = 0
        # Clients, whichever thread has them by now.
        self.serving = 0
        self.empty = threading.Condition(self.lock)
        self.retired = threading.Event()
        self.used = time.monotonic()

    def serve(self, line: ClientConnection, request: Request) -> None:
        """From the first request, for which the worker was made, to the end of the last one."""
        streams.route(self.world.codings)
        self.clock.start()
        with self.lock:
            self.serving += 1
            self.more(line, request)
        poller = select.poll()
        poller.register(self.post.server, select.POLLIN)
        while not self.retired.is_set():
            gone = poller.poll(min(LOOK, self.post.idle * 1000))
            idle = not self.serving and time.monotonic() - self.used > self.post.idle
            if gone or idle:
                self.retire()
        with self.empty:
            self.empty.wait_for(lambda: not self.serving)
        self.firing.engines.close()

    def more(self, line: ClientConnection | None = None, request: Request | None = None) -> None:
        """With the lock held, so that it is counted before it looks."""
        thread = threading.Thread(target=self.attend, args=(line, request), name="tenterhook client", daemon=True)
        thread.start()
        self.threads += 1
        self.free += 0 if line else 1

    def attend(self, line: ClientConnection | None, request: Request | None) -> None:
        """What each thread does."""
        if line and request:
            self.follow(0)
            self.done(line, request)
        while True:
            try:
                wire, _ = self.listener.accept()
            except OSError:  # nobody can come any more, and whoever came was served
                return
            self.follow(1)
            self.done(ClientConnection(wire))

    def follow(self, less: int) -> None:
        """Before a client is greeted: who was not counted when we end does it himself."""
        with self.lock:
            self.free -= less
            self.serving += less
            if not self.free and self.threads < self.post.parallel and not self.retired.is_set():
                with contextlib.suppress(RuntimeError):  # no more threads: whoever comes waits for one of these
                    self.more()

    def done(self, line: ClientConnection, request: Request | None = None) -> None:
        self.served(line, partial(self.answer, line, request))
        with self.lock:
            self.free += 1

    def served(self, line: ClientConnection, work: Callable[[], None]) -> None:
        """Until nothing more comes for a client; where another thread has gone on with him, that is for it to say."""
        try:
            work()
        except Overtaken:
            return
        except (OSError, BrokenRequest, CallerGone):  # whoever it was has gone
            pass
        except BaseException:
            self.over(line)
            raise
        self.over(line)

    def over(self, line: ClientConnection) -> None:
        line.close()
        self.used = time.monotonic()
        with self.lock:
            self.serving -= 1
            self.empty.notify_all()

    def overtake(self, watched: WatchedCall) -> None:
        """Go on in place of a thread that is late. Nobody else is to come here, where that one may do anything."""
        self.retire()
        line = watched.turn.line
        thread = threading.Thread(target=self.served, args=(line, watched.go_on), name="tenterhook client", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # no more threads: the client is told that nobody knows how far it came
            self.over(line)

    def answer(self, line: ClientConnection, request: Request | None) -> None:
        if request is None:
            line.greet()
            known = self.world.knows(line.wire)  # while it sends
            request = line.request(self.post.key)
            if not known or request.context != self.world.context:
                line.say(NOT_HERE)
                return
        if self.firing.is_spoiled() or not self.firing.modules.current:
            self.retire()
            line.say(AGAIN)
            return
        self.post.note(time.monotonic())
        self.firing(request, line)
        if self.firing.spoiled:
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

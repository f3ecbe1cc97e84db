"""`tenter run` in a worker: an agent's call is answered by an engine that is kept for the next one."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tenterhook.author.forms import REFUSED, Said
from tenterhook.cli.commands.run import usage
from tenterhook.cli.server.client import AGAIN
from tenterhook.cli.server.event_thread import EventRun
from tenterhook.cli.server.fire_worker import FireWorker
from tenterhook.cli.server.streams import ERRORS, STREAMS, ClientStreams
from tenterhook.hosts.gate.answer import answer_call
from tenterhook.runtime.process.client_gone import CALLER, CallerGone

if TYPE_CHECKING:
    from tenterhook.cli.server.engines import CachedEngine
    from tenterhook.cli.server.protocol import ClientConnection, Request
    from tenterhook.engine.engine import Engine
    from tenterhook.types import Outcome


class NotHere(BaseException):
    """This worker must not run the engine's Python hooks; not an Exception, so that no error handler answers."""


class RunWorker(FireWorker):
    """What one worker needs to answer agents."""

    def __call__(self, request: Request, connection: ClientConnection) -> None:
        streams = ClientStreams()
        streams.connection = connection
        before = STREAMS.set(streams)
        caller = CALLER.set(connection.wire.fileno())
        try:
            RunCall(self, request, connection).answer()
        except NotHere:
            connection.say(AGAIN)
        finally:
            CALLER.reset(caller)
            STREAMS.reset(before)
            streams.connection = None
            self.check_process()


class RunCall:
    """One call of an agent, with engines of its own for that time."""

    def __init__(self, worker: RunWorker, request: Request, connection: ClientConnection) -> None:
        self.worker, self.request, self.connection = worker, request, connection
        self.taken: list[CachedEngine] = []

    def answer(self) -> None:
        words = self.request.words
        if "-h" in words or "--help" in words:
            self.connection.end(0, f"{usage().help()}\n".encode())
            return
        try:
            said = answer_call(words, self.request.stdin, os.environ, self.engine, self.fire)
        except Exception:  # a bug of ours: refuse, as the command itself does with its exit code
            traceback.print_exc()
            said = Said(REFUSED)
        self.send(said)
        for cached in self.taken:
            if cached.engine.journal is not None:
                cached.engine.journal.flush()  # events without a hook: the agent need not wait for that

    def send(self, said: Said) -> None:
        if said.err:
            self.connection.warn(f"{said.err}\n".encode("utf-8", ERRORS))
        self.connection.end(said.code, f"{said.out}\n".encode("utf-8", ERRORS) if said.out else b"")

    @contextmanager
    def engine(self, options: dict[str, Any]) -> Iterator[Engine]:
        """A kept engine. It is given back before the answer is sent, so that the next client can use it."""
        session = options.pop("session", "")
        cached = self.worker.engines.take(options)
        self.taken.append(cached)
        before = STREAMS.get()
        try:
            if not self.worker.serves_project(cached):
                self.worker.spoiled = True
                raise NotHere
            cached.streams.connection = self.connection
            STREAMS.set(cached.streams)
            cached.begin(session)
            if cached.engine.journal is not None:
                cached.engine.journal.awake = True  # we flush it ourselves: no thread is needed
            yield cached.engine
        except CallerGone:
            cached.files = None
            raise
        finally:
            STREAMS.set(before)
            self.worker.give_back(cached)

    def fire(self, engine: Engine, kind: str, data: dict[str, Any], finish: Callable[[Outcome], Said]) -> Outcome:
        def finish_late(produce: Callable[[], Outcome]) -> None:
            """Finish the call in another thread: the hook's own thread is late. It may need the engines when we are
            back, so they are not kept.
            """
            self.worker.spoiled = True
            for cached in self.taken:
                cached.files = None
            self.send(finish(produce()))

        return EventRun(engine, self.worker.watchdog, self.connection, finish_late).fire(kind, data)

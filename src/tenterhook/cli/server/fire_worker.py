"""`tenter fire` in a worker: the same options and the same outcome, from a cached engine."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from tenterhook.cli.commands import fire
from tenterhook.cli.main import complain
from tenterhook.cli.server.client import AGAIN
from tenterhook.cli.server.engines import Engines
from tenterhook.cli.server.event_thread import EventRun
from tenterhook.cli.server.fingerprints import Modules
from tenterhook.cli.server.streams import ERRORS, STREAMS, ClientStreams
from tenterhook.errors import TenterhookError
from tenterhook.pipeline.target_index import Memo
from tenterhook.runtime.process.client_gone import CALLER, CallerGone
from tenterhook.runtime.warm import EACH_TIME

if TYPE_CHECKING:
    from tenterhook.cli.server.client_context import ClientContext
    from tenterhook.cli.server.engines import CachedEngine, Options
    from tenterhook.cli.server.event_thread import Watchdog
    from tenterhook.cli.server.protocol import ClientConnection, Request
    from tenterhook.types import Outcome

# Exit code and stdout.
Answer = tuple[int, bytes]
Result = TypeVar("Result")


class FireWorker:
    """What one worker needs to fire events. `spoiled`: the process is no longer like a new one, so it must not serve
    on.
    """

    def __init__(self, context: ClientContext, watchdog: Watchdog) -> None:
        self.context, self.watchdog = context, watchdog
        self.engines = Engines()
        self.modules = Modules()
        # Threads that ran a Python hook and have not yet checked what it changed in the process.
        self.unchecked: set[int] = set()
        # Parsed options by argument list: agents send the same ones all the time.
        self.read: Memo[tuple[str, ...], Options] = Memo()
        self.spoiled = False
        self.lock = threading.Lock()
        self.project = ""

    def __call__(self, request: Request, connection: ClientConnection) -> None:
        """Answer one request. Raises CallerGone if the client has gone."""
        streams = ClientStreams()
        streams.connection, streams.out = connection, bytearray()
        before = STREAMS.set(streams)
        try:
            options = self.parse_words(request, connection, streams)
            if options is not None:
                self.fire(options, request, connection)
        finally:
            STREAMS.reset(before)
            streams.connection = None
            self.check_process()

    def parse_words(self, request: Request, connection: ClientConnection, streams: ClientStreams) -> Options | None:
        words = tuple(request.words)
        known = self.read.get(words)
        if known is not None:
            return known
        try:
            options = fire.USAGE.parse(request.words)
        except TenterhookError as exc:
            connection.end(complain(str(exc)))
            return None
        if options is None:
            connection.end(0, bytes(streams.out or b""))
            return None
        return self.read.keep(words, options)

    def fire(self, options: Options, request: Request, connection: ClientConnection) -> None:
        answer = answer_or_complain(partial(self.answer, options, request, connection))
        if answer is None:
            connection.say(AGAIN)
        else:
            connection.end(*answer)

    def answer(self, options: Options, request: Request, connection: ClientConnection) -> Answer | None:
        """The answer; None if another worker has to give it."""
        stdin = request.stdin
        data = fire.read_input(options["input"]) if options.get("input") else fire.parse_event_data(stdin, "stdin")
        cached = self.engines.take(fire.engine_arguments(options))
        if self.serves_project(cached):
            return FireCall(self, cached, options, request, connection).run(data)
        self.spoiled = True
        self.give_back(cached)
        return None

    def serves_project(self, cached: CachedEngine) -> bool:
        """Whether this worker may run the engine's Python hooks: those of one project only, since modules of two
        projects may have the same names.
        """
        if not cached.functions:
            return True
        with self.lock:
            self.project = self.project or cached.engine.project
            return self.project == cached.engine.project

    def give_back(self, cached: CachedEngine) -> None:
        """Return the engine. A Python hook may have changed the process in a way that a new process would not have."""
        cached.streams.connection = None
        self.engines.give_back(cached)
        if cached.engine.abandoned or not self.modules.learn():
            self.spoiled = True
        if cached.functions:
            self.unchecked.add(threading.get_ident())

    def check_process(self) -> None:
        """Check what hooks changed in the process. It takes a while, so after the answer, but before the next
        client.
        """
        if threading.get_ident() in self.unchecked:
            self.spoiled = self.spoiled or self.context.changed
            self.unchecked.discard(threading.get_ident())

    def is_spoiled(self) -> bool:
        """Also if a thread has answered and not yet checked."""
        return self.spoiled or (bool(self.unchecked) and self.context.changed)


class FireCall:
    """One event of one client, with an engine of its own for that time."""

    def __init__(
        self, worker: FireWorker, cached: CachedEngine, options: Options, request: Request, connection: ClientConnection
    ) -> None:
        self.worker, self.cached, self.options, self.request, self.connection = (
            worker,
            cached,
            options,
            request,
            connection,
        )

    def run(self, data: dict[str, object]) -> Answer:
        self.cached.streams.connection = self.connection
        STREAMS.set(self.cached.streams)
        return self.answer_client(partial(self.begin_flow, data))

    def begin_flow(self, data: dict[str, object]) -> Outcome:
        engine = self.cached.engine
        self.cached.begin(self.options.get("session", ""))
        fire.warn_of_bypass(engine)
        return EventRun(engine, self.worker.watchdog, self.connection, self.finish_late).fire(
            self.options["EVENT"], data
        )

    def finish_late(self, outcome: Callable[[], Outcome]) -> None:
        """Finish the event in another thread: the hook's own thread is late."""
        self.worker.spoiled = True
        self.connection.end(*self.answer_client(outcome))

    def answer_client(self, outcome: Callable[[], Outcome]) -> Answer:
        """Produce the answer. The engine is returned before the answer is sent, so that the next client can use it."""
        caller = CALLER.set(self.connection.wire.fileno())
        try:
            answer = answer_or_complain(partial(self.render_outcome, outcome))
        except CallerGone:
            self.cached.files = None
            self.worker.give_back(self.cached)
            raise
        finally:
            CALLER.reset(caller)
        self.worker.give_back(self.cached)
        return answer

    def render_outcome(self, produce: Callable[[], Outcome]) -> Answer:
        outcome = produce()
        if any(one.error == "import" for one in outcome.attempts):
            self.worker.spoiled = True  # it may have been imported partly
        if not self.cached.own(outcome):
            outcome = replace(outcome, id=self.cached.engine.new_id())
        if outcome.warnings:
            outcome = as_without_a_server(outcome)
        fire.warn_of_untrusted(outcome, self.options.get("project", ""))
        code = fire.exit_code(outcome, require_trusted="require-trusted" in self.options)
        if "json" in self.options or not self.request.readable:
            return code, fire.as_json(outcome) + b"\n"
        return code, (fire.as_text(outcome) + "\n").encode(sys.stdout.encoding, ERRORS)


def as_without_a_server(outcome: Outcome) -> Outcome:
    """Drop notes about scripts that cannot run in a fork: without a server none would be made."""
    return replace(
        outcome,
        attempts=tuple(replace(one, notes=plain(one.notes)) for one in outcome.attempts),
        warnings=plain(outcome.warnings),
    )


def plain(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if EACH_TIME not in text)


def answer_or_complain(answer: Callable[[], Result]) -> Result | Answer:
    """Report errors as the command itself would, with its exit code."""
    try:
        return answer()
    except (TenterhookError, OSError) as exc:
        return complain(str(exc)), b""
    except Exception:
        traceback.print_exc()
        return 1, b""

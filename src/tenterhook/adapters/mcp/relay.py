"""READ FIRST: which message concerns a hook. All others are passed on as the bytes that came, in their order.

A request that concerns a hook is held, in a thread of its own, until its hooks let it go on; so it delays no other
message. Its response is held in the same way. What cannot be read with certainty is refused while hooks listen.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tenterhook.adapters.mcp import client_side, server_side
from tenterhook.adapters.mcp.exchange import End, Exchange
from tenterhook.adapters.mcp.messages import (
    CAPABILITIES,
    REFUSED,
    Doubtful,
    RpcMessage,
    batch_of,
    check_params,
    error_line,
    key_of,
    read_message,
)
from tenterhook.pipeline.deliver import for_user
from tenterhook.support import logs

if TYPE_CHECKING:
    from tenterhook.adapters.mcp.server_side import SuspendedCall
    from tenterhook.engine.engine import Engine
    from tenterhook.types import Outcome

log = logs.redacting_logger("tenterhook.mcp")

# Requests that hooks work on at once; each has a thread.
MOST = 500
# Every event that the relay fires.
EVENTS = (*server_side.EVENTS, *client_side.EVENTS)

Handler = Callable[["McpRelay", Exchange, dict[str, Any]], bytes | None]


class McpRelay:
    """Between a client and a server. `from_client` and `from_server` take what each sends, a line at a time.

    `server` is the name by which hooks know the server; `tell` gets texts for the user.
    """

    def __init__(self, engine: Engine, server: str, tell: Callable[[str], object]) -> None:
        self.engine, self.name, self.tell = engine, server, tell
        # Nothing passes a hook: then no line is even read.
        self.quiet = not any(engine.listens(event) for event in EVENTS)
        self.can_elicit = False  # what the client said when it began
        # The tools that hooks left in the last list; None before one was narrowed.
        self.allowed: frozenset[str] | None = None
        # Calls that wait for a person, in the stateless protocol, by the state that the client gives back.
        self.suspended: dict[str, SuspendedCall] = {}
        self.token = os.urandom(8).hex()
        self.slots = threading.BoundedSemaphore(MOST)
        self.active: set[threading.Thread] = set()
        self.watches_inputs = any(engine.listens(event) for event in client_side.EVENTS)

    def connect(self, to_client: Callable[[bytes], None], to_server: Callable[[bytes], None]) -> None:
        self.client, self.server = End("client", to_client), End("server", to_server)

    # ---- what the client sends

    def from_client(self, line: bytes) -> None:
        if self.quiet or not line.strip():
            self.server.write(line)
            return
        try:
            if (batch := batch_of(line)) is not None:
                self.split_batch(line, batch, self.take_from_client, self.server)
            else:
                self.take_from_client(line, read_message(line))
        except Doubtful as doubt:
            self.client.write(error_line(doubt.id, doubt.code, f"tenterhook does not pass this on: {doubt}"))

    def take_from_client(self, line: bytes, message: RpcMessage) -> None:
        if message.is_response:
            self.take_response(line, message, self.client, self.server)
        elif message.method == "notifications/cancelled":
            self.cancel(line, message, self.server)
        elif message.is_request:
            handler = self.handler_of_request(message)
            if handler is None:
                self.server.write(line)
            else:
                self.start(handler, message, self.client, self.server)
        elif message.method in server_side.HANDLERS:
            # A call without an id: the server might run it, and could never be asked to answer.
            self.tell(f"a {message.method} without an id was not passed on")
        else:
            self.server.write(line)

    def handler_of_request(self, message: RpcMessage) -> Handler | None:
        """What hooks have to do with a request of the client; None if nothing."""
        method = str(message.method)
        if method == "initialize":
            capabilities = message.read_params().get("capabilities")
            self.can_elicit = isinstance(capabilities, dict) and isinstance(capabilities.get("elicitation"), dict)
            return None
        listens = server_side.CONCERNS.get(method)
        if listens is None or not (listens(self, message) or self.watches_inputs):
            return None
        return server_side.HANDLERS[method]

    # ---- what the server sends

    def from_server(self, line: bytes) -> None:
        if self.quiet or not line.strip():
            self.client.write(line)
            return
        try:
            if (batch := batch_of(line)) is not None:
                self.split_batch(line, batch, self.take_from_server, self.client)
            else:
                self.take_from_server(line, read_message(line))
        except Doubtful as doubt:
            if b"{" not in line:  # what servers print by mistake; no client takes it for a message
                self.client.write(line)
            else:
                self.tell(f"a line of the server was not passed on: {doubt}")

    def take_from_server(self, line: bytes, message: RpcMessage) -> None:
        if message.is_response:
            self.take_response(line, message, self.server, self.client)
        elif message.method == "notifications/cancelled":
            self.cancel(line, message, self.client)
        elif message.is_request and self.listens(client_side.CONCERNS.get(str(message.method), ())):
            self.start(client_side.HANDLERS[str(message.method)], message, self.server, self.client)
        else:
            self.client.write(line)

    # ---- both ways

    def listens(self, events: tuple[str, ...]) -> bool:
        return any(self.engine.listens(event) for event in events)

    def take_response(self, line: bytes, message: RpcMessage, source: End, other: End) -> None:
        key = message.key
        exchange = source.waiting.get(key) if key is not None else None
        if exchange is not None and not exchange.is_over:
            exchange.receive(message)
        elif key not in source.cancelled:
            other.write(line)

    def cancel(self, line: bytes, message: RpcMessage, target: End) -> None:
        """A request is not wanted any more: its hooks' decision does not count, and it is not passed on."""
        exchange = target.waiting.get(key_of(message.read_params().get("requestId")))  # type: ignore[arg-type]
        if exchange is None or exchange.cancel():
            target.write(line)

    def start(self, handler: Handler, message: RpcMessage, origin: End, target: End) -> None:
        """Handle a request in a thread, so that messages behind it do not wait for its hooks."""
        if message.key is None:
            raise Doubtful("the id of a request is a text or a number")
        exchange = Exchange(message, origin, target)
        if not target.expect(exchange):
            raise Doubtful("a request with this id has no answer yet", id=None)
        if not self.slots.acquire(blocking=False):
            target.forget(exchange)
            exchange.reply(error_line(message.id, REFUSED, f"more than {MOST} requests wait for hooks"))
            return
        thread = threading.Thread(target=self.handle, args=(handler, exchange), name="tenterhook-mcp", daemon=True)
        self.active.add(thread)
        thread.start()

    def handle(self, handler: Handler, exchange: Exchange) -> None:
        message = exchange.message
        try:
            check_params(message)
            answer = handler(self, exchange, message.read_params())
        except Doubtful as doubt:
            answer = error_line(message.id, doubt.code, f"tenterhook does not pass this on: {doubt}")
        except Exception:
            log.exception("hooks could not be run for %s, so it is refused", message.method)
            answer = error_line(message.id, REFUSED, "tenterhook could not run the hooks for this; its log says why")
        try:
            if answer is not None:
                exchange.reply(answer)
        except OSError:
            log.debug("the %s left before its answer", exchange.origin.name)
        finally:
            exchange.target.forget(exchange)
            self.slots.release()
            self.active.discard(threading.current_thread())

    def split_batch(
        self, line: bytes, batch: list[bytes], take: Callable[[bytes, RpcMessage], None], target: End
    ) -> None:
        """A batch of which one message concerns a hook is passed on message by message; else as it is."""
        messages = [read_message(one) for one in batch]
        if not any(self.is_concerned(one) for one in messages):
            target.write(line)
            return
        for one, message in zip(batch, messages, strict=True):
            take(one, message)

    def is_concerned(self, message: RpcMessage) -> bool:
        if message.is_response:
            key = message.key
            return any(key in end.waiting or key in end.cancelled for end in (self.client, self.server))
        known = (*server_side.HANDLERS, *client_side.HANDLERS, "initialize", "notifications/cancelled")
        return message.method in known

    # ---- for handlers

    def fire(self, event: str, /, **data: Any) -> Outcome:
        outcome = self.engine.fire(event, **data)
        self.tell_user(outcome)
        return outcome

    def tell_user(self, *outcomes: Outcome) -> None:
        for outcome in outcomes:
            for message in outcome.messages:
                if message.to == "user":
                    self.tell(for_user(message, self.engine.hookset.label))

    def tool_name(self, name: str) -> str:
        """The name by which hooks know a tool of the server."""
        return self.engine.dialect.tools.mcp_tool.format(server=self.name, tool=name)

    def client_elicits(self, params: dict[str, Any]) -> bool:
        """Whether the client can ask a person. In the stateless protocol every request says it."""
        meta = params.get("_meta")
        if isinstance(meta, dict) and isinstance(capabilities := meta.get(CAPABILITIES), dict):
            return isinstance(capabilities.get("elicitation"), dict)
        return self.can_elicit

    def wait(self, seconds: float) -> None:
        """Wait for the requests that hooks work on."""
        until = time.monotonic() + seconds
        for thread in [*self.active]:
            thread.join(max(0.0, until - time.monotonic()))

    def server_left(self, why: str) -> None:
        self.server.leave(why)

    def client_left(self) -> None:
        self.client.leave("the client has gone")

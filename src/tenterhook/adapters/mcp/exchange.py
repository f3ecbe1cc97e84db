"""One request that hooks work on, from its arrival to its answer, and the two ends that it goes between."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from queue import Empty, SimpleQueue

from tenterhook.adapters.mcp.messages import Key, RpcMessage, error_line

# Requests that were cancelled after they were passed on. A late response to one of them is dropped.
REMEMBERED = 1000
GONE_CODE = -32000


class End:
    """The client or the server: what is written to it, and the requests that wait for its response."""

    def __init__(self, name: str, write: Callable[[bytes], None]) -> None:
        self.name, self.pass_on = name, write
        self.lock = threading.Lock()
        self.waiting: dict[Key, Exchange] = {}
        self.cancelled: OrderedDict[Key, None] = OrderedDict()
        self.gone = ""

    def write(self, line: bytes) -> None:
        """Write a whole line; lines of several threads do not mix."""
        with self.lock:
            self.pass_on(line)

    def expect(self, exchange: Exchange) -> bool:
        """Wait for the response to a request. False if a request with this id is waiting already."""
        with self.lock:
            earlier = self.waiting.get(exchange.key)
            if earlier is not None and not earlier.is_over:
                return False
            self.waiting[exchange.key] = exchange
            if self.gone:
                exchange.end()
            return True

    def forget(self, exchange: Exchange) -> None:
        with self.lock:
            if self.waiting.get(exchange.key) is exchange:
                del self.waiting[exchange.key]
            if exchange.is_cancelled and exchange.passed_on:
                self.cancelled[exchange.key] = None
                while len(self.cancelled) > REMEMBERED:
                    self.cancelled.popitem(last=False)

    def leave(self, why: str) -> None:
        """The end has gone: no response will come."""
        with self.lock:
            self.gone = why
            waiting = list(self.waiting.values())
        for exchange in waiting:
            exchange.end()


class Exchange:
    """A request from one end to the other, held until hooks let it go on.

    Only the first response counts, and none before the request was passed on: a server that guesses an id cannot get a
    response past the hooks.
    """

    def __init__(self, message: RpcMessage, origin: End, target: End) -> None:
        key = message.key
        assert key is not None
        self.message, self.origin, self.target, self.key = message, origin, target, key
        self.lock = threading.Lock()
        self.box: SimpleQueue[RpcMessage | None] = SimpleQueue()
        self.is_cancelled = self.passed_on = self.answered = self.is_over = False
        # A question to the client on behalf of this request; it ends with the request.
        self.question: Exchange | None = None

    def ask_target(self, line: bytes, seconds: float | None = None) -> RpcMessage | None:
        """Pass the request on and wait for its response; None if it was cancelled or none will come in time."""
        with self.lock:
            if self.is_cancelled:
                return None
            self.passed_on = True
        try:
            self.target.write(line)
        except OSError:
            return None
        try:
            return self.box.get(timeout=seconds)
        except Empty:
            return None

    def receive(self, response: RpcMessage) -> None:
        with self.lock:
            if not self.passed_on or self.answered:
                return
            self.answered = True
        self.box.put(response)

    def cancel(self) -> bool:
        """The sender does not want the answer any more. Returns whether the other end knows of the request."""
        with self.lock:
            self.is_cancelled = True
            passed_on, question = self.passed_on, self.question
        self.end()
        if question is not None:
            question.end()
        return passed_on

    def end(self) -> None:
        self.box.put(None)

    def reply(self, line: bytes) -> None:
        """Answer the sender, unless it has cancelled. From then on it may use the id again."""
        self.is_over = True
        if not self.is_cancelled:
            self.origin.write(line)

    def reply_nothing_came(self) -> bytes:
        why = self.target.gone or f"the {self.target.name} did not answer"
        return error_line(self.message.id, GONE_CODE, why)

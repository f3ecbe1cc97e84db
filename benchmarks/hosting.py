"""Rows 9 and 10: what the host's side costs where nobody listens, for a tool and for a stream."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import perf_counter
from timeit import Timer
from typing import Any

from engines import GIVEN
from figures import Line, Measured, Pairs, Rounds, Row, in_turn, part
from inside import calling
from tenterhook.engine.engine import Engine

CHUNKS = 10_000

PLUGGY = "the bare call and two pluggy calls"
TOOL = Line("a wrapped tool, no hooks", PLUGGY, 1.0)
ASYNC_TOOL = Line("a wrapped async tool, no hooks", PLUGGY, 1.0)


def of_stream(source: str, limit: float | None = None) -> Line:
    return Line(f"a stream of {CHUNKS:,} chunks, no hooks: {source}", "the bare stream", limit)


DECODED = of_stream("lines decoded one by one", 1.05)
READY = of_stream("ready chunks", 1.05)
DECODED_COLLECTED = of_stream("lines decoded one by one, collected")
CLIENT = of_stream("openai's client", 1.05)
CLIENT_COLLECTED = of_stream("openai's client, collected")


def bare(command: str) -> str:
    return command


async def abare(command: str) -> str:
    return command


def wrapped_tool(rounds: Rounds) -> Measured:
    """Beside it the bare one, with two calls of pluggy's."""
    call = calling()
    names = {"tool": Engine(files=False).tool("Bash")(bare), "bare": bare, "call": call, "given": GIVEN}
    two = "bare(command='ls')" + "; call(tool_name='Bash', tool_input=given)" * 2
    ours, theirs = Timer("tool(command='ls')", globals=names), Timer(two, globals=names)
    yield TOOL.key, in_turn(ours, theirs, number=20_000, rounds=rounds(15))
    yield ASYNC_TOOL.key, async_tool(call, number=3_000, rounds=rounds(15))


def async_tool(call: Callable[..., Any], *, number: int, rounds: int) -> Pairs:
    tool = Engine(files=False).tool("Bash")(abare)

    async def ours() -> float:
        began = perf_counter()
        for _ in range(number):
            await tool(command="ls")
        return (perf_counter() - began) / number

    async def theirs() -> float:
        began = perf_counter()
        for _ in range(number):
            await abare(command="ls")
            call(tool_name="Bash", tool_input=GIVEN)
            call(tool_name="Bash", tool_input=GIVEN)
        return (perf_counter() - began) / number

    async def both() -> Pairs:
        await ours(), await theirs()
        return [(await ours(), await theirs()) for _ in range(rounds)]

    return asyncio.run(both())


def chunk(n: int) -> dict[str, Any]:
    """One chunk of a chat completion, as it comes over the wire."""
    choice = {"index": 0, "delta": {"content": f"word {n} "}, "finish_reason": "stop" if n == CHUNKS - 1 else None}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def drained(stream: Any) -> float:
    """The seconds it takes to read all of a stream, for each chunk."""
    began = perf_counter()
    last: deque[Any] = deque(stream, maxlen=1)
    seconds = perf_counter() - began
    assert last
    return seconds / CHUNKS


def paired(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> Pairs:
    drained(ours()), drained(theirs())
    return [(drained(ours()), drained(theirs())) for _ in range(rounds)]


def wrapped_stream(rounds: Rounds) -> Measured:
    """The same stream wrapped and bare: from decoded lines, from a generator that does nothing, from an SDK."""
    lines = [json.dumps(chunk(n)) for n in range(CHUNKS)]
    chunks = [json.loads(line) for line in lines]

    def decoded(**call: Any) -> Iterator[Any]:
        for line in lines:
            yield json.loads(line)

    def ready(**call: Any) -> Iterator[Any]:
        yield from chunks

    yield DECODED.key, streamed(decoded, rounds(15))
    yield READY.key, streamed(ready, rounds(15))
    yield DECODED_COLLECTED.key, streamed(decoded, rounds(15), collect=True)
    openai = part("openai")
    with served() as url, openai.OpenAI(base_url=url, api_key="none") as client:
        create = client.chat.completions.create
        yield CLIENT.key, streamed(create, rounds(15))
        yield CLIENT_COLLECTED.key, streamed(create, rounds(15), collect=True)


def streamed(create: Callable[..., Any], rounds: int, *, collect: bool = False) -> Pairs:
    wrapped = Engine(files=False).model(create, format="openai", collect=collect)
    call: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": True}
    return paired(lambda: iter(wrapped(**call)), lambda: create(**call), rounds)


@contextmanager
def served() -> Iterator[str]:
    """A model on the loopback, for the real client."""
    body = "".join(f"data: {json.dumps(chunk(n))}\n\n" for n in range(CHUNKS)).encode() + b"data: [DONE]\n\n"

    class Api(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


ROWS = {
    9: Row((TOOL, ASYNC_TOOL), wrapped_tool),
    10: Row((DECODED, READY, DECODED_COLLECTED, CLIENT, CLIENT_COLLECTED), wrapped_stream, long=True),
}

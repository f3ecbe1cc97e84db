"""What the host's side costs where nobody listens: rows 9 and 10 of the benchmarks, a tool and a stream."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import perf_counter
from timeit import Timer
from typing import Any

from tenterhook.engine import Engine

CHUNKS = 10_000
ROUNDS = 15
Pairs = list[tuple[float, float]]


def bare(command: str) -> str:
    return command


async def abare(command: str) -> str:
    return command


def tool_timers(call: Callable[..., Any], given: dict[str, Any]) -> tuple[Timer, Timer]:
    """A wrapped tool; and the bare one with two calls of pluggy's beside it."""
    engine = Engine(files=False)
    names = {"tool": engine.tool("Bash")(bare), "bare": bare, "call": call, "given": given}
    two = "bare(command='ls')" + "; call(tool_name='Bash', tool_input=given)" * 2
    return Timer("tool(command='ls')", globals=names), Timer(two, globals=names)


def async_tool_pairs(call: Callable[..., Any], given: dict[str, Any], number: int = 3_000) -> Pairs:
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
            call(tool_name="Bash", tool_input=given)
            call(tool_name="Bash", tool_input=given)
        return (perf_counter() - began) / number

    async def rounds() -> Pairs:
        await ours(), await theirs()
        return [(await ours(), await theirs()) for _ in range(ROUNDS)]

    return asyncio.run(rounds())


def chunk(n: int) -> dict[str, Any]:
    """One chunk of a chat completion, as it comes over the wire."""
    choice = {"index": 0, "delta": {"content": f"word {n} "}, "finish_reason": "stop" if n == CHUNKS - 1 else None}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def drained(stream: Any) -> float:
    """The seconds it takes to read all of a stream."""
    began = perf_counter()
    last: deque[Any] = deque(stream, maxlen=1)
    seconds = perf_counter() - began
    assert last
    return seconds


def paired(ours: Callable[[], Any], theirs: Callable[[], Any]) -> Pairs:
    drained(ours()), drained(theirs())
    return [(drained(ours()) / CHUNKS, drained(theirs()) / CHUNKS) for _ in range(ROUNDS)]


def stream_pairs() -> Iterator[tuple[str, float | None, Pairs]]:
    """The same stream wrapped and bare: from an SDK, from decoded lines, and from a generator that does nothing."""
    engine = Engine(files=False)
    lines = [json.dumps(chunk(n)) for n in range(CHUNKS)]
    chunks = [json.loads(line) for line in lines]

    def decoded(**call: Any) -> Iterator[Any]:
        for line in lines:
            yield json.loads(line)

    def ready(**call: Any) -> Iterator[Any]:
        yield from chunks

    for what, limit, function, collect in (
        ("lines decoded one by one", 1.05, decoded, False),
        ("ready chunks", 1.05, ready, False),
        ("lines decoded one by one, collected", None, decoded, True),
    ):
        wrapped = engine.model(function, format="openai", collect=collect)
        yield what, limit, paired(lambda m=wrapped: iter(m(stream=True)), lambda f=function: f())  # type: ignore[misc]


def sdk_pairs(*, collect: bool) -> Pairs:
    """The real client against a server on the loopback."""
    import openai

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
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        with openai.OpenAI(base_url=url, api_key="none") as client:
            create: Any = client.chat.completions.create
            wrapped = Engine(files=False).model(create, format="openai", collect=collect)
            call: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": True}
            return [(drained(iter(wrapped(**call))) / CHUNKS, drained(create(**call)) / CHUNKS) for _ in range(ROUNDS)]
    finally:
        server.shutdown()
        server.server_close()

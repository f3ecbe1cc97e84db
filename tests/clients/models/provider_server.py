"""A model's API on the loopback: real HTTP and server-sent events, with errors, cuts, and streams that wait."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, TypeVar

Some = TypeVar("Some", bound="Api")


class Reply(NamedTuple):
    """What a request gets: an object with a status, or a stream that ends, breaks off, or waits for its reader."""

    status: int = 200
    body: Any = None
    events: tuple[str, ...] | None = None
    end: str = "whole"
    headers: tuple[tuple[str, str], ...] = ()


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Api:
    """Each request takes the next reply; the last one stays. `gone` is set when the reader of a stream goes away."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.replies: list[Reply] = []
        self.gone = threading.Event()
        self.url = ""

    def events(self, texts: list[str], end: str = "whole") -> None:
        self.replies.append(Reply(events=tuple(texts), end=end))

    def error(self, status: int, body: Any, **headers: str) -> None:
        named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        self.replies.append(Reply(status, body, headers=named))

    def reply(self, request: Request) -> Reply:
        """What this request gets."""
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    @property
    def last(self) -> dict[str, Any]:
        return self.requests[-1].body


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    api: Api

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, json.loads(body or b"{}"))
        self.api.requests.append(request)
        reply = self.api.reply(request)
        if reply.events is None:
            self.whole(reply)
        else:
            self.stream(reply.events, reply.end)

    do_GET = do_POST  # noqa: N815 - the name that the base class looks for

    def whole(self, reply: Reply) -> None:
        data = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
        self.send_response(reply.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def stream(self, texts: tuple[str, ...], end: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for text in texts:
            data = text.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        if end == "whole":
            self.wfile.write(b"0\r\n\r\n")
            return
        if end == "held" and self.connection.recv(1) == b"":
            self.api.gone.set()
        self.close_connection = True
        self.connection.close()

    def log_message(self, *words: Any) -> None:
        return


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *request: Any) -> None:
        """Readers that go away are what some tests are about."""


@contextmanager
def serving() -> Iterator[Api]:
    with listening(Api()) as api:
        yield api


@contextmanager
def listening(api: Some) -> Iterator[Some]:
    """An API with replies of its own kind."""
    server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {"api": api}))
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

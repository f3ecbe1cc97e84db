"""A model's API on the loopback: real HTTP, real server-sent events, answers that a test lays out beforehand."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Loopback:
    """What was asked stands in `requests` as (path, JSON body); each request takes the next reply."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.replies: list[tuple[str, Any]] = []
        self.url = ""

    def json(self, body: Any) -> None:
        """The next request gets this object."""
        self.replies.append(("json", body))

    def events(self, *texts: str, cut: bool = False) -> None:
        """The next request gets a stream of these texts, as they are; `cut` breaks the connection after them."""
        self.replies.append(("cut" if cut else "events", texts))

    @property
    def last(self) -> dict[str, Any]:
        return self.requests[-1][1]


def sse(data: Any, event: str = "") -> str:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {event}\n" if event else "") + f"data: {text}\n\n"


@contextmanager
def loopback() -> Iterator[Loopback]:
    api = Loopback()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each small chunk waits for the last one's acknowledgement

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            api.requests.append((self.path, json.loads(body)))
            how, reply = api.replies.pop(0) if api.replies else ("none", None)
            if how == "none":
                self.whole(500, {"error": {"message": "the test laid out no reply"}})
            elif how == "json":
                self.whole(200, reply)
            else:
                self.stream(reply, cut=how == "cut")

        def whole(self, status: int, reply: Any) -> None:
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self, texts: tuple[str, ...], *, cut: bool) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for text in texts:
                data = text.encode()
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()
            if cut:
                self.close_connection = True
                self.connection.close()
            else:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *words: Any) -> None:
            return

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *request: Any) -> None:
            """Clients that go away in the middle of a stream are what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

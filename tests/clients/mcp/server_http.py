"""The server of server_tools.py over HTTP, in a thread of its own."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from .server_tools import server


@contextmanager
def http_server(kind: str) -> Iterator[str]:
    """Its URL. `kind` is http or sse."""
    app = server.streamable_http_app() if kind == "http" else server.sse_app()
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/{'mcp' if kind == 'http' else 'sse'}"
    finally:
        running.should_exit = True
        thread.join(10)
        listening.close()

"""A server on the loopback that says exactly the bytes a test lays out, and keeps what it was asked."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address

import pytest
from msgspec import Struct

Reply = bytes | Callable[[socket.socket], None]


class Asked(Struct):
    """One request as it came over the wire."""

    line: str
    headers: dict[str, str]
    body: bytes


class Server:
    """Each connection reads one request and gets the reply: bytes, or a function that is given the connection."""

    def __init__(self, reply: Reply, tls: ssl.SSLContext | None) -> None:
        self.reply, self.tls = reply, tls
        self.asked: list[Asked] = []
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}/hook"

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.one, args=(connection,), daemon=True).start()

    def one(self, connection: socket.socket) -> None:
        with suppress(OSError, ValueError):
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            self.asked.append(request(connection))
            if isinstance(self.reply, bytes):
                connection.sendall(self.reply)
            else:
                self.reply(connection)
        connection.close()


def request(connection: socket.socket) -> Asked:
    with connection.makefile("rb") as file:
        line = file.readline().decode().strip()
        headers = {}
        while text := file.readline().decode("latin-1").strip():
            name, _, value = text.partition(": ")
            headers[name.lower()] = value
        return Asked(line, headers, file.read(int(headers.get("content-length", 0))))


@contextmanager
def serving(reply: Reply, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server(reply, tls)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.listener.shutdown(socket.SHUT_RDWR)
        server.listener.close()
        thread.join()


def response(body: bytes | str = b"", status: str = "200 OK", *headers: str) -> bytes:
    body = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1") + b"\r\n" + body


def chunked(*chunks: bytes) -> bytes:
    framed = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + framed


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every address that anything in this process tries to connect to. Only the loopback can really be reached."""
    tried: list[str] = []
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: tuple[str, int]) -> None:
        tried.append(address[0])
        own = ip_address(address[0])
        if not (getattr(own, "ipv4_mapped", None) or own).is_loopback:
            raise ConnectionRefusedError("a test must not leave this machine")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    return tried

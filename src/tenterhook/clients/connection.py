"""One connection to a vetted address, with one deadline for everything: lookup, connecting, TLS, each read.

A socket's own time-out would begin again with every byte, so a server that drips could hold a hook for hours.
"""

from __future__ import annotations

import contextlib
import io
import math
import time
from functools import cache
from typing import TYPE_CHECKING

from tenterhook.clients import ip_rules

if TYPE_CHECKING:
    import socket
    import ssl
    from queue import SimpleQueue

    from _typeshed import WriteableBuffer

    Found = list[str] | OSError

# The most addresses of a name that are tried.
TRIED = 8


class TooMuch(Exception):
    """More was received than any sane server would send."""


class Connection:
    """Can be used by http.client in place of a socket. `end` may be called from another thread."""

    def __init__(self, seconds: float, most: int) -> None:
        self.began = time.monotonic()
        self.total, self.deadline, self.most = seconds, self.began + seconds, most
        self.received = 0
        self.sock: socket.socket | None = None
        self.found: SimpleQueue[Found] | None = None
        self.connected = self.ended = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def seconds_left(self, until: float = math.inf) -> float:
        """The seconds that are left; never 0, which to a socket would mean not to wait at all."""
        left = min(until, self.deadline) - time.monotonic()
        if left <= 0 or self.ended:
            raise TimeoutError
        return left

    def open(self, host: str, port: int, *, tls: bool, within: float, loopback: bool, private: bool) -> None:
        """Connect to the host, within that many seconds."""
        until = self.began + within
        texts = ip_rules.numeric(host) or self.looked_up(host, until)
        vetted = ip_rules.vet_addresses(host, texts, loopback=loopback, private=private)
        self.connect(vetted[:TRIED], port, until)
        if tls:
            self.encrypt(host, until)
        self.connected = True

    def looked_up(self, host: str, until: float) -> list[str]:
        """In its own thread, because the system's resolver cannot be interrupted: the thread may be left behind."""
        import threading
        from queue import Empty, SimpleQueue

        found: SimpleQueue[Found] = SimpleQueue()
        self.found = found
        look_up = ip_rules.look_up

        def work() -> None:
            try:
                found.put(look_up(host))
            except OSError as exc:
                found.put(exc)
            except UnicodeError as exc:
                found.put(OSError(str(exc)))

        threading.Thread(target=work, name="tenterhook-resolver", daemon=True).start()
        try:
            result = found.get(timeout=self.seconds_left(until))
        except Empty:
            raise TimeoutError from None
        if not isinstance(result, list):
            raise result
        return result

    def connect(self, vetted: list[ip_rules.Address], port: int, until: float) -> None:
        """Connect to the first address that accepts; they share the time."""
        import socket

        problem = OSError("it has no address")
        for number, address in enumerate(vetted):
            share = self.seconds_left(until) / (len(vetted) - number)
            family = socket.AF_INET if address.version == 4 else socket.AF_INET6
            try:
                self.sock = socket.socket(family, socket.SOCK_STREAM)
                self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.sock.settimeout(share)
                self.sock.connect((str(address), port))
                return
            except OSError as exc:
                problem = exc
                self.close()
        raise problem

    def encrypt(self, host: str, until: float) -> None:
        """Start TLS. The certificate must be for the host name, whichever address was used."""
        assert self.sock
        tls = context().wrap_socket(self.sock, server_hostname=host, do_handshake_on_connect=False)
        self.sock = tls
        tls.settimeout(self.seconds_left(until))
        tls.do_handshake()

    def sendall(self, data: bytes) -> None:
        assert self.sock
        view = memoryview(data)
        while view:
            self.sock.settimeout(self.seconds_left())
            view = view[self.sock.send(view[:65536]) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(Incoming(self))

    def receive(self, buffer: WriteableBuffer) -> int:
        assert self.sock
        self.sock.settimeout(self.seconds_left())
        count = self.sock.recv_into(buffer)
        self.received += count
        if self.received > self.most:
            raise TooMuch
        return count

    def allow(self, count: int) -> None:
        """Limit the bytes from here on."""
        self.most = self.received + count

    def hurry(self, seconds: float) -> None:
        """Limit the time from here on."""
        self.deadline = min(self.deadline, time.monotonic() + seconds)

    def end(self) -> None:
        """Make whatever the connection is waiting for fail now."""
        import socket

        self.ended = True
        if self.found:
            self.found.put(TimeoutError())
        if sock := self.sock:
            with contextlib.suppress(OSError):  # a TLS socket's own shutdown would change its state under the reader
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def close(self) -> None:
        sock, self.sock = self.sock, None
        if sock:
            sock.close()


class Incoming(io.RawIOBase):
    """What the connection receives, as a file."""

    def __init__(self, line: Connection) -> None:
        self.line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        return self.line.receive(buffer)


@cache
def context() -> ssl.SSLContext:
    """The system's certificate authorities; loaded once, because that takes longer than a call on a local network."""
    import ssl

    made = ssl.create_default_context()
    made.set_alpn_protocols(["http/1.1"])
    return made

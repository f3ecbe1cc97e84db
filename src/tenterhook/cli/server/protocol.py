"""The server's side of the protocol: requests in, frames out.

There are two clients: `client` in Python, and `native/tenter_client.c`. All numbers are little-endian.

    the server's greeting   HELLO, one byte, at once
    the client's request    the key (KEY bytes), the name of the context (DIGEST bytes), three lengths of 8 bytes each,
                            then so many bytes of context, of the call, and of stdin
    the server's frames     one byte for the kind, a length of 8 bytes, then so many bytes

- The native client sends a small request without waiting for the greeting. The server begins nothing before it has
  greeted: a client that waits in vain hangs up, and a greeting after that cannot be sent.
- The context is `client.context()`: parts between NUL bytes, at the end the sorted environment. The same bytes are the
  same context. Its name is the SipHash-1-3 of it, with the key 0; a worker's socket is named by that.
- The call is `1` or `0`, whether stdout is a terminal, and the arguments after the command, between NUL bytes.
- `tenter hook` sends no stdin: it passes the descriptors 0, 1 and 2 with the first byte.
- Frames: STDERR has text to print. END has the exit code in one byte, then what to print on stdout. NOT_HERE and AGAIN
  come before anything was done: run the command yourself, or connect anew.
- A client that hangs up, or closes its sending side, ends its hooks.
- A connection that ends early, after the server had the whole request, leaves the result unknown: nothing is repeated.
"""

from __future__ import annotations

import hmac
import marshal
import os
import socket
import threading
from array import array
from typing import Any

from tenterhook.cli.server.client import DIGEST, END, HEAD, HELLO, KEY, LENGTH, STDERR

# Seconds that a client may pause while it sends its request.
PATIENCE = 30.0
# A larger context or call is not from our client.
LARGEST = 64 << 20
BACKLOG = 1024
STREAMS = 3
FIRST = 1 << 16


class BrokenRequest(Exception):
    """Not a valid request: the peer does not know the key, or hung up."""


class Request:
    """A client's request: its context, its arguments, stdin, and whether it prints readable text."""

    __slots__ = ("context", "files", "readable", "stdin", "words")

    def __init__(self, context: bytes, call: bytes, stdin: bytes, files: list[int]) -> None:
        self.context, self.stdin, self.files = context, stdin, files
        readable, *words = call.split(b"\0")
        self.readable = readable == b"1"
        self.words = [os.fsdecode(word) for word in words]


class ClientConnection:
    """A client's connection. Several threads of one event may write to it."""

    def __init__(self, wire: socket.socket) -> None:
        self.wire = wire
        self.lock = threading.Lock()

    def greet(self) -> None:
        self.wire.sendall(HELLO)

    def say(self, kind: bytes, text: bytes = b"") -> None:
        frame = kind + len(text).to_bytes(LENGTH, "little") + text
        with self.lock:
            self.wire.sendall(frame)

    def warn(self, text: bytes) -> None:
        self.say(STDERR, text)

    def end(self, code: int, out: bytes = b"") -> None:
        self.say(END, bytes((code & 255,)) + out)

    def request(self, key: bytes) -> Request:
        """Receive the whole request, or raise BrokenRequest. Nothing is parsed before the key is verified."""
        self.wire.settimeout(PATIENCE)
        files: list[int] = []
        try:
            data = self.first(files)
            if len(data) < HEAD or not hmac.compare_digest(data[:KEY], key):
                raise BrokenRequest("it does not know the key")
            sizes = lengths(data)
            if max(sizes) > LARGEST:
                raise BrokenRequest("it is too large")
            parts = memoryview(data + self.rest(HEAD + sum(sizes) - len(data)))[HEAD:]
            self.wire.settimeout(None)
            context, call = sizes[0], sizes[0] + sizes[1]
            return Request(bytes(parts[:context]), bytes(parts[context:call]), bytes(parts[call:]), files)
        except (OSError, ValueError, EOFError, TypeError, BrokenRequest) as exc:
            for file in files:
                os.close(file)
            raise BrokenRequest(str(exc)) from exc

    def first(self, files: list[int]) -> bytes:
        """The first chunk, usually the whole request, and the descriptors that come with it."""
        data = b""
        while len(data) < HEAD:
            part, told, _, _ = self.wire.recvmsg(FIRST, socket.CMSG_SPACE(STREAMS * 4), socket.MSG_CMSG_CLOEXEC)
            for level, kind, given in told:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    files += array("i", given[: len(given) // 4 * 4])
            if not part:
                break
            data += part
        return data

    def rest(self, count: int) -> bytes:
        if count <= 0:
            return b""
        data = bytearray(count)
        view = memoryview(data)
        while view:
            got = self.wire.recv_into(view)
            if not got:
                raise BrokenRequest("it hung up")
            view = view[got:]
        return bytes(data)

    def close(self) -> None:
        self.wire.close()


def lengths(head: bytes) -> list[int]:
    places = range(KEY + DIGEST, HEAD, LENGTH)
    return [int.from_bytes(head[place : place + LENGTH], "little") for place in places]


def name_in(head: bytes) -> bytes:
    return head[KEY : KEY + DIGEST]


def listener(folder: int, name: str) -> socket.socket:
    """A listening socket that appears under its name in one step, ready for connections."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        made.bind(inside(folder, f"{name}.new"))
    finally:
        os.umask(before)
    made.listen(BACKLOG)
    os.rename(f"{name}.new", name, src_dir_fd=folder, dst_dir_fd=folder)
    return made


def inside(folder: int, name: str) -> str:
    """A path for a socket may have 107 bytes; this one is always shorter."""
    return f"/proc/self/fd/{folder}/{name}"


def query_server(folder: int, name: str, words: list[str]) -> Any:
    """What the server answers to `tenter serve --status` and --stop; None if no server answers."""
    from tenterhook.cli.server import client

    try:
        wire = client.connect_to_server(inside(folder, name))
    except OSError:
        return None
    if wire is None:
        return None
    call = client.pack_call(words, False)
    with_key = client.head(client.key(folder), bytes(DIGEST), b"", call, b"")
    try:
        wire.sendall(with_key + call)
        wire.settimeout(client.ENDING)
        frame = client.receive_exactly(wire, client.FRAME)
        if frame[:1] != END:  # it is just ending
            return None
        return marshal.loads(client.receive_exactly(wire, int.from_bytes(frame[1:], "little"))[1:])
    except (OSError, client.ConnectionLost):
        return None
    finally:
        wire.close()

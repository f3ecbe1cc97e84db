"""Messages between host, supervisor and spawners: packets over Unix sockets, with open files.

A packet is sent whole or not at all, so that an exception leaves no half message. A host accepts only numbers and a
line of text from a spawner: hooks run beside it.
"""

from __future__ import annotations

import _socket  # the module socket would take a third of the helper's start
import errno
import os
import struct
from itertools import starmap

from tenterhook.runtime.process_tree import TAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Kind, number of the hook, and a value.
HEAD = struct.Struct("<cQq")
# The variable that holds a hook's tag; for a hook inside a hook it holds both tags.
NAME = TAG.encode()
# The number of the last hook that a spawner was about to start.
NOTE = struct.Struct("<Q")

# Host to spawner. START's value is the number of words in the command; END's the grace in microseconds. After START the
# spawner waits for the next message on its channel: GO, or the start is cancelled. Meanwhile the host checks approvals.
# HARK comes first: a spawner takes as long to wake up as the host takes to prepare a START.
HARK, START, START_KEEPING, GO, END = b"H", b"S", b"K", b"G", b"E"
# Spawner to host: the errno, the exit code or minus the signal, the same of a hook that left nothing running, nothing
# more to come. A start is recorded in a memory file instead, before it happens: a message would wake the host for
# nothing (0.1 ms).
FAILED, EXITED, EXITED_ALONE, GONE = b"f", b"x", b"X", b"g"
# The first message on a channel: how its hooks are confined, or why they are not; REFUSED must not be overruled.
CONFINED, UNCONFINED, REFUSED = b"c", b"u", b"r"
MECHANISMS = ("", "namespace", "landlock")
# Host to supervisor with one end of a channel, and supervisor to spawner; the same for an existing spawner only; and:
# let go of what hooks left running.
CHANNEL, JOIN, RELEASE = b"C", b"J", b"R"
# Host to warm interpreter: prepare for a script, within so many microseconds. Back, with its number: ready, or why it
# never will be, or preparing again; and, about itself: what it has loaded is not what is installed any more.
PREPARE, READY, UNFIT, AGAIN, STALE = b"P", b"y", b"n", b"a", b"o"
# The same for a file that a script of ours runs: copies may run it before there is an event.
PREPARE_FILE = b"F"
# Supervisor to host: its process number.
HERE = b"h"

PACKET = 1 << 16
# Longer data, an environment or the paths of a profile, goes through a memory file.
INLINE = 1 << 15
# The most files sent with a packet.
FILES = 4
# If a host closed our file without telling us.
CLOSED = (errno.EBADF, errno.ENOTSOCK, errno.ENOTCONN)


class Wire(_socket.socket):
    """One end of a connection. Closed when it is dropped, without a warning."""

    # Not a Python function: an interrupt that came in one would be lost there.
    __del__ = _socket.socket.close

    def send_packet(self, data: bytes, files: Sequence[int] = (), *, wait: bool = False) -> None:
        """Send a packet. ConnectionError if the other end is closed; BlockingIOError, unless `wait`, if it does not
        keep up.
        """
        flags = _socket.MSG_NOSIGNAL | (0 if wait else _socket.MSG_DONTWAIT)
        try:
            if files:
                rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack(f"{len(files)}i", *files))
                self.sendmsg([data], [rights], flags)
            else:
                self.send(data, flags)
        except OSError as exc:
            if exc.errno in CLOSED:
                raise BrokenPipeError(exc.errno, exc.strerror) from None
            raise

    def receive_packet(self) -> tuple[bytes, list[int]]:
        """The next packet and the files that came with it; empty if the other end is closed. Does not wait."""
        flags = _socket.MSG_CMSG_CLOEXEC | _socket.MSG_DONTWAIT
        data, rights, _, _ = self.recvmsg(PACKET, _socket.CMSG_SPACE(FILES * 4), flags)
        return data, [fd for *_, content in rights for (fd,) in struct.iter_unpack("i", content)]


def pair() -> tuple[Wire, Wire]:
    made: list[tuple[_socket.socket, _socket.socket]] = []
    try:
        # Stored before an interrupt can come: one between the call and its result would leave both open.
        made.extend(starmap(_socket.socketpair, [(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)]))
        one, other = made[0]
        return wire(one.detach()), wire(other.detach())
    except BaseException:
        for end in made[0] if made else ():
            end.close()
        raise


def wire(fd: int) -> Wire:
    return Wire(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, fd)


def note(file: int, number: int) -> None:
    os.pwrite(file, NOTE.pack(number), 0)


def start_packet(
    number: int, token: str, cwd: str, argv: Sequence[str], env: Mapping[str, str], *, keep: bool
) -> tuple[bytes, bytes]:
    """Head and body of a START. ValueError for what no program can be given."""
    items = [token, cwd, *argv, ""]
    body = os.fsencode("\0".join(items))
    if body.count(b"\0") != len(items) - 1:
        raise ValueError("embedded null byte")
    return HEAD.pack(START_KEEPING if keep else START, number, len(argv)), body + encode_environment(dict(env))


def decode_start(words: int, body: bytes) -> tuple[str, bytes, list[bytes], dict[bytes, bytes]]:
    """Token, working directory, command and environment, with the hook's tag in it."""
    token, cwd, *argv, env = body.split(b"\0", 2 + words)
    before = decode_environment(env)
    return token.decode(), cwd, argv, {**before, NAME: before.get(NAME, b"") + token + b";"}


# The last environment, and its encoded form: it hardly ever changes from one hook to the next, and converting it takes
# longer than the rest of a packet.
encoded: tuple[dict[str, str], bytes] = ({}, b"")
decoded: tuple[bytes, dict[bytes, bytes]] = (b"", {})


def encode_environment(env: dict[str, str]) -> bytes:
    global encoded
    known, made = encoded
    if env != known:
        made = os.fsencode("\0".join(f"{key}={value}" for key, value in env.items()))
        if made.count(b"\0") != max(0, len(env) - 1):
            raise ValueError("embedded null byte")
        if any("=" in key or not key for key in env):
            raise ValueError("illegal environment variable name")
        encoded = env, made
    return made


def decode_environment(env: bytes) -> dict[bytes, bytes]:
    global decoded
    known, made = decoded
    if env != known:
        items = env.split(b"\0") if env else []
        made = {key: value for key, _, value in (item.partition(b"=") for item in items)}
        decoded = env, made
    return made


def send_long(channel: Wire, head: bytes, body: bytes, files: Sequence[int], *, wait: bool = False) -> None:
    if len(body) <= INLINE:
        channel.send_packet(head + body, files, wait=wait)
        return
    memory = os.memfd_create("start")
    try:
        view = memoryview(body)
        while view:
            view = view[os.write(memory, view) :]
        channel.send_packet(head, (*files, memory), wait=wait)
    finally:
        os.close(memory)


def read_long_body(data: bytes, head: int, files: list[int], usual: int) -> bytes:
    """The body of a packet. If it came in a memory file, after the usual ones, that file is closed and removed from the
    list.
    """
    if len(files) <= usual:
        return data[head:]
    memory = files.pop()
    try:
        parts, at = [], 0
        while part := os.pread(memory, 1 << 20, at):
            parts.append(part)
            at += len(part)
        return b"".join(parts)
    finally:
        os.close(memory)

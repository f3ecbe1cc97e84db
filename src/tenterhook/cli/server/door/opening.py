"""Open the door: bind the socket, or take the one that a service manager or our own earlier version has bound."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tenterhook.cli.server.auto_start import own_words
from tenterhook.errors import UsageError
from tenterhook.support.http_door import HOST, LOCK, PORT
from tenterhook.support.paths import make_server_folder, own_server_folders

BACKLOG = 1024
# How service managers hand over sockets: their number, whose they are, and the first one's descriptor.
FILES, WHOSE, FIRST = "LISTEN_FDS", "LISTEN_PID", 3
# Seconds that an upgrade may take until the new version can be started.
UPGRADE = 60.0


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait for other commands that open the door. The lock is this process's: a server that it forks has it not."""
    import fcntl

    folder = own_server_folders()[-1]
    if not make_server_folder(folder):
        yield
        return
    file = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def bind_door(port: int) -> socket.socket:
    """A listening socket on the loopback. Raises UsageError with what to do."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
        made.listen(BACKLOG)
    except OSError as exc:
        made.close()
        raise UsageError(
            f"{HOST}:{port} cannot be listened on: {exc.strerror}; another port is `tenter serve --http PORT`, and "
            "`tenter install --http --port PORT` for agents that call it"
        ) from None
    return made


def inherited_door() -> socket.socket | None:
    """The socket that we were started with; None if there is none. It is ours alone: the variables are taken out."""
    count, whose = os.environ.pop(FILES, ""), os.environ.pop(WHOSE, "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if whose != str(os.getpid()):
        return None
    if count != "1":
        raise UsageError(f"the service manager passed {count} sockets; the door is one: ListenStream={HOST}:{PORT}")
    os.set_inheritable(FIRST, False)
    made = socket.socket(fileno=FIRST)
    bound = made.getsockname() if made.family == socket.AF_INET else made.family.name
    if not isinstance(bound, tuple) or bound[0] != HOST or made.type != socket.SOCK_STREAM:
        raise UsageError(
            f"the service manager passed a socket that is bound to {bound}; it must be ListenStream={HOST}:{PORT}"
        )
    return made


def start_again(listener: socket.socket, words: list[str]) -> None:
    """Become the new version of this program, with the same socket: callers wait meanwhile, and none is refused."""
    program = [sys.executable, *own_words()]
    until = time.monotonic() + UPGRADE
    while subprocess.run([*program, "--version"], capture_output=True).returncode:
        if time.monotonic() > until:
            raise UsageError("tenter was changed, and the new version does not start")
        time.sleep(1.0)
    file = os.dup(listener.fileno())
    listener.close()
    if file != FIRST:
        os.dup2(file, FIRST)
        os.close(file)
    os.set_inheritable(FIRST, True)
    os.environ |= {FILES: "1", WHOSE: str(os.getpid())}
    os.execv(program[0], [*program, "serve", *words])

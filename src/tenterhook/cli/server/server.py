"""The server: listens, forks a worker for each context, tracks the workers, and stops when idle."""

from __future__ import annotations

import contextlib
import gc
import hmac
import marshal
import mmap
import os
import select
import signal
import socket
import struct
import sys
import time
from typing import Any

from tenterhook.cli.server import client, protocol
from tenterhook.cli.server.client import AGAIN, HEAD, KEY, NOT_HERE
from tenterhook.cli.server.fingerprints import stamp
from tenterhook.cli.server.preload import own_files
from tenterhook.cli.server.protocol import BrokenRequest, ClientConnection
from tenterhook.errors import TenterhookError
from tenterhook.support import http_door

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.cli.server.door.keeper import DoorKeeper

MOST = 16
# Seconds that a client may take for its request, and seconds between two checks of our own files.
PATIENCE, LOOK = 5.0, 2.0
# New objects before a garbage collection: a command never collects, a resident process must.
SOON = 5_000
NOTE = struct.Struct("dQ")
ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class WorkerPost:
    """What the server gives to a worker: the folder, the socket's name, the key, and a table entry for its use
    counts.
    """

    def __init__(self, server: HookServer, name: str, number: int) -> None:
        self.folder, self.key, self.name = server.folder, server.key, name
        self.idle, self.parallel = server.idle, server.parallel
        self.table, self.number = server.table, number
        # Closed when the server exits, or wants the worker to end.
        self.server, self.held = os.pipe2(os.O_CLOEXEC)
        # The socket exists before the worker, so that clients that come meanwhile wait for this worker and cause no
        # second one.
        try:
            self.listener = protocol.listener(self.folder, name)
        except OSError:
            release(self.server)
            release(self.held)
            raise
        self.inode = inode(self.folder, name)
        self.note(time.monotonic(), 0)

    def withdraw(self) -> None:
        """Remove the socket, unless a newer worker has its name."""
        if self.inode == inode(self.folder, self.name):
            with contextlib.suppress(OSError):
                os.unlink(self.name, dir_fd=self.folder)

    def note(self, when: float, more: int = 1) -> None:
        count = self.noted[1] + more if more else 0
        NOTE.pack_into(self.table, self.number * NOTE.size, when, count)

    @property
    def noted(self) -> tuple[float, int]:
        when, count = NOTE.unpack_from(self.table, self.number * NOTE.size)
        return when, count


class WorkerHandle:
    """A worker as the server sees it."""

    def __init__(self, pid: int, post: WorkerPost) -> None:
        self.pid, self.post = pid, post
        self.file = os.pidfd_open(pid)


class HookServer:
    """Everything is in its folder: the key, the sockets of the server and of its workers, and the lock."""

    def __init__(self, path: str, folder: int, lock: int, idle: float, parallel: int) -> None:
        self.path, self.folder, self.lock = path, folder, lock
        self.idle, self.parallel = idle, parallel
        self.code = client.code()
        self.files = {file: stamp(file) for file in own_files()}
        self.key = os.urandom(KEY)
        self.table = mmap.mmap(-1, 2 * MOST * NOTE.size)
        self.pending: dict[int, tuple[ClientConnection, float]] = {}
        self.workers: dict[int, WorkerHandle] = {}
        self.used = time.monotonic()
        self.over, self.done = False, 0
        # Open with `--http`; then the server does not end for want of clients, since an http hook cannot start it.
        self.door: DoorKeeper | None = None
        self.outdated = False
        self.bell = socket.socketpair()
        self.bell[1].setblocking(False)
        self.tidy()
        self.write_key()
        self.listener = protocol.listener(folder, self.code)
        self.listener.setblocking(False)
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()} {self.code}\n".encode(), 0)

    def tidy(self) -> None:
        """Remove what a killed server left behind. Its workers end by themselves."""
        for name in os.listdir(self.folder):
            if name not in ("lock", http_door.FILE, http_door.LOCK):
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=self.folder)

    def write_key(self) -> None:
        file = os.open("key", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=self.folder)
        try:
            os.fchmod(file, 0o600)
            os.write(file, self.key)
        finally:
            os.close(file)

    def serve(self) -> None:
        signal.set_wakeup_fd(self.bell[1].fileno())
        for number in ENDS:
            signal.signal(number, self.stop)
        gc.freeze()  # existing objects stay, shared with the workers
        gc.set_threshold(SOON)
        try:
            if self.door:
                self.door.keep([])
            while not self.over:
                ready = self.wait()
                self.reap(ready)
                if self.listener.fileno() in ready:
                    self.accept()
                for file in [file for file in ready if file in self.pending]:
                    self.read_request(file)
                if self.door:
                    self.door.keep(ready)
                self.drop_idle()
        finally:
            self.end()

    def stop(self, number: int, frame: object) -> None:
        self.over = True

    def wait(self) -> list[int]:
        poller = select.poll()
        own = (self.listener.fileno(), self.bell[0].fileno(), *(self.door.files() if self.door else ()))
        for file in (*own, *self.pending, *self.workers):
            poller.register(file, select.POLLIN)
        return [file for file, _ in poller.poll(min(LOOK, self.idle) * 1000)]

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                wire, _ = self.listener.accept()
                wire.setblocking(False)
                connection = ClientConnection(wire)
                with contextlib.suppress(OSError):
                    connection.greet()
                self.pending[wire.fileno()] = connection, time.monotonic() + PATIENCE
                self.used = time.monotonic()

    def read_request(self, file: int) -> None:
        """Read the head of a request, which names the context; a worker reads the rest."""
        connection, _ = self.pending[file]
        try:
            head = connection.wire.recv(HEAD, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            head = b""
        if len(head) == HEAD and hmac.compare_digest(head[:KEY], self.key):
            with contextlib.suppress(OSError, BrokenRequest):
                try:
                    self.assign(connection, protocol.name_in(head))
                except OSError:  # no more processes or descriptors
                    connection.say(NOT_HERE)
        self.pending.pop(file, None)
        connection.close()

    def assign(self, connection: ClientConnection, digest: bytes) -> None:
        if not any(digest):
            self.send_status(connection)
            return
        name = f"{self.code}.{digest.hex()}"
        if inode(self.folder, name):
            connection.say(AGAIN)
            return
        taken = {worker.post.number for worker in self.workers.values()}
        number = next((one for one in range(2 * MOST) if one not in taken), -1)
        if number < 0:
            connection.say(NOT_HERE)
            return
        if len(self.workers) >= MOST:
            self.dismiss()
        self.fork_worker(connection, WorkerPost(self, name, number))

    def dismiss(self) -> None:
        """Ask the least recently used worker to end, of those not yet asked."""
        post = min((worker.post for worker in self.workers.values()), key=lambda post: (post.held < 0, post.noted[0]))
        post.held = release(post.held)

    def fork_worker(self, connection: ClientConnection, post: WorkerPost) -> None:
        pid = -1
        try:
            pid = os.fork()
            if pid == 0:
                try:
                    self.leave(connection, post)
                    work(connection, post)
                finally:
                    os._exit(0)
            worker = WorkerHandle(pid, post)
            self.workers[worker.file] = worker
        finally:
            post.listener.close()
            os.close(post.server)
            if pid < 0:  # no more processes
                post.withdraw()
                release(post.held)

    def leave(self, connection: ClientConnection, post: WorkerPost) -> None:
        os.close(post.held)
        self.leave_server(connection)

    def leave_server(self, connection: ClientConnection | None = None) -> None:
        """In a worker or the door: close what belongs to the server, and leave its terminal, so that Ctrl-C there does
        not end clients' hooks.
        """
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in ENDS:
            signal.signal(number, signal.SIG_DFL)
        for end in self.bell:
            end.close()
        self.listener.close()
        os.close(self.lock)
        if self.door and connection:
            self.door.forget()
        for other, _ in self.pending.values():
            if other is not connection:
                other.close()
        for worker in self.workers.values():
            os.close(worker.file)
            release(worker.post.held)

    def reap(self, ready: list[int]) -> None:
        for file in [file for file in ready if file in self.workers]:
            worker = self.workers.pop(file)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(worker.pid, 0)
            os.close(file)
            release(worker.post.held)
            self.done += worker.post.noted[1]
            worker.post.withdraw()  # if it was killed
            self.used = time.monotonic()

    def drop_idle(self) -> None:
        """Drop clients that send nothing; stop if the server is idle or its code has changed."""
        now = time.monotonic()
        for file, (connection, until) in list(self.pending.items()):
            if now > until:
                del self.pending[file]
                connection.close()
        idle = not self.workers and not self.pending and not self.door and now - self.used > self.idle
        # Never reset: a signal handler may set it at any moment.
        self.outdated = any(stamp(file) != known for file, known in self.files.items())
        # A server with a door never idles: where its folder is gone, nothing could stop it.
        lost = self.door and not inode(self.folder, self.code)
        if idle or self.outdated or lost:
            self.over = True

    def send_status(self, connection: ClientConnection) -> None:
        """Answer `tenter serve --status`, --stop, and --http, which opens the door of a server that runs."""
        connection.wire.setblocking(True)
        words = connection.request(self.key).words
        problem = self.open_door(int(words[1])) if words[:1] == ["http"] else ""
        connection.end(0, marshal.dumps({**self.status(), "problem": problem}))
        if words == ["stop"]:
            self.over = True

    def open_door(self, port: int, listener: socket.socket | None = None) -> str:
        """Listen for http hooks, too. Returns why not."""
        from tenterhook.cli.server.door.keeper import DoorKeeper
        from tenterhook.cli.server.door.opening import bind_door

        if self.door is None:
            try:
                self.door = DoorKeeper(self, listener or bind_door(port))
            except TenterhookError as exc:
                return str(exc)
        return ""

    def status(self) -> dict[str, Any]:
        now = time.monotonic()
        workers: list[dict[str, Any]] = []
        for worker in self.workers.values():
            used, count = worker.post.noted
            cwd = ""
            with contextlib.suppress(OSError):
                cwd = os.readlink(f"/proc/{worker.pid}/cwd")
            workers.append({"pid": worker.pid, "folder": cwd, "requests": count, "idle": round(now - used, 1)})
        about = {"pid": os.getpid(), "folder": self.path, "idle": self.idle, "parallel": self.parallel}
        about["http"] = self.door.status() if self.door else None
        return {**about, "requests": self.done + sum(one["requests"] for one in workers), "workers": workers}

    def end(self) -> None:
        """Stop. Workers notice it, and end after they have answered their clients."""
        for name in (self.code, "key"):
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=self.folder)
        self.listener.close()
        for connection, _ in self.pending.values():  # greeted, but no request read: nothing was done for them
            with contextlib.suppress(OSError):
                connection.say(NOT_HERE)
            connection.close()
        if self.door and self.outdated:  # its socket is for the new version
            self.door.release()
        elif self.door:
            self.door.close()
        os.ftruncate(self.lock, 0)


def work(connection: ClientConnection, post: WorkerPost) -> None:
    """The main function of a worker, beginning with its first client."""
    from tenterhook.cli.server.client_context import ClientContext, ContextMismatch, about, peer
    from tenterhook.cli.server.hook_worker import ForkingWorker
    from tenterhook.cli.server.worker import EngineWorker

    connection.wire.setblocking(True)
    sys.argv = ["tenter"]
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    request = connection.request(post.key)
    try:
        if about(peer(connection.wire)) != about(os.getpid()):
            raise ContextMismatch("confined in another way")
        context = ClientContext(request.context)
    except (ContextMismatch, OSError, ValueError):
        post.withdraw()
        connection.say(NOT_HERE)
        return
    kind = ForkingWorker if context.command == "hook" else EngineWorker
    kind(post, context, post.listener).serve(connection, request)


def inode(folder: int, name: str) -> int:
    """The inode of the file with this name; 0 if there is none."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino
    except OSError:
        return 0


def release(file: int) -> int:
    if file >= 0:
        os.close(file)
    return -1

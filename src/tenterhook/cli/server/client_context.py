"""Take on the process context of a client in its worker, and verify a client's identity through the kernel."""

from __future__ import annotations

import os
import resource
import signal
import socket
import struct
import time
from itertools import pairwise

from tenterhook.cli.server.client import NAMESPACES

# As /proc names them. Limits on what a process itself uses are left out: a worker is larger and lives longer than its
# clients.
LIMITS = {
    b"Max file size": resource.RLIMIT_FSIZE,
    b"Max stack size": resource.RLIMIT_STACK,
    b"Max core file size": resource.RLIMIT_CORE,
    b"Max processes": resource.RLIMIT_NPROC,
    b"Max open files": resource.RLIMIT_NOFILE,
    b"Max locked memory": resource.RLIMIT_MEMLOCK,
    b"Max pending signals": resource.RLIMIT_SIGPENDING,
    b"Max msgqueue size": resource.RLIMIT_MSGQUEUE,
    b"Max nice priority": resource.RLIMIT_NICE,
    b"Max realtime priority": resource.RLIMIT_RTPRIO,
    b"Max realtime timeout": resource.RLIMIT_RTTIME,
}
OWN = (b"Max cpu time", b"Max data size", b"Max address space", b"Max resident set")
# A worker needs a few descriptors for itself and for each client.
FEWEST = 256
COLUMNS = (26, 47, 68)
PEER = struct.Struct("iII")
# Sections of /proc/PID/status, each with its start and end: identity and capabilities.
STATUS = ((b"\nUid:", b"\nFDSize:"), (b"\nGroups:", b"\nNStgid:"), (b"\nCapInh:", b"\nCpus_allowed"))
IGNORED, UMASK = (b"\nSigIgn:", b"\nSigCgt:"), (b"\nUmask:", b"\nState:")
SIGNALS = sorted({int(one) for one in signal.valid_signals()} - {signal.SIGKILL, signal.SIGSTOP})
SPACES = ("mnt", "net", "user", "pid")
# In a context, after the first six parts: the namespaces, two encodings, the limits, then the environment.
FIRST_CODING, LAST = len(NAMESPACES), len(NAMESPACES) + 3


class ContextMismatch(Exception):
    """Why this process cannot take on a context exactly."""


class ClientContext:
    """The context of one kind of client, taken on by this process, which was forked for it."""

    def __init__(self, context: bytes) -> None:
        self.context = context
        command, cwd, place, root, ignored, manners, *others = context.split(b"\0")
        spaces, (*codings, limits), environ = others[:FIRST_CODING], others[FIRST_CODING:LAST], others[LAST:]
        self.command, self.codings = command.decode(), [coding.decode() for coding in codings]
        umask, niceness, processors = manners.split()
        if whereabouts(root) != identity("/") or spaces != [
            os.readlink(f"/proc/self/ns/{n}".encode()) for n in NAMESPACES
        ]:
            raise ContextMismatch("another root folder, or other namespaces")
        self.limit(limits)
        self.behave(ignored, int(niceness), [int(one) for one in processors.split(b",")])
        try:
            os.chdir(cwd)
        except OSError as exc:
            raise ContextMismatch(f"the folder cannot be entered: {exc.strerror}") from None
        # A folder that was created again under the same name is a different context.
        self.place = identity(".")
        if self.place != whereabouts(place):
            raise ContextMismatch("another folder has its name now")
        os.umask(int(umask))
        os.environ.clear()
        for entry in environ:
            name, _, value = os.fsdecode(entry).partition("=")
            os.environ[name] = value
        time.tzset()
        self.given = dict(raw_environment())
        self.own = about(os.getpid())
        self.bounds = bounds()

    def limit(self, text: bytes) -> None:
        for line in text.splitlines()[1:]:
            name = line[: COLUMNS[0]].rstrip()
            soft, hard = (number(line[start:end]) for start, end in pairwise(COLUMNS))
            if name in OWN and (soft, hard) != (resource.RLIM_INFINITY,) * 2:
                raise ContextMismatch(f"a limit of its own: {name.decode()}")
            if name == b"Max open files" and 0 <= soft < FEWEST:
                raise ContextMismatch("too few open files")
            if name in LIMITS and resource.getrlimit(LIMITS[name]) != (soft, hard):
                try:
                    resource.setrlimit(LIMITS[name], (soft, hard))
                except (OSError, ValueError) as exc:
                    raise ContextMismatch(f"{name.decode()}: {exc}") from None

    def behave(self, ignored: bytes, niceness: int, processors: list[int]) -> None:
        """Ignore the signals that the client ignores; take on its niceness and CPU affinity."""
        mask, ours = int(ignored, 16), int(status(os.getpid(), IGNORED)[0].split()[1], 16)
        for number in SIGNALS:
            bit = 1 << (number - 1)
            if mask & bit != ours & bit:
                signal.signal(number, signal.SIG_IGN if mask & bit else signal.SIG_DFL)
        try:
            if os.getpriority(os.PRIO_PROCESS, 0) != niceness:
                os.setpriority(os.PRIO_PROCESS, 0, niceness)
            if os.sched_getaffinity(0) != {*processors}:
                os.sched_setaffinity(0, processors)
        except OSError as exc:
            raise ContextMismatch(f"its share of the machine: {exc.strerror}") from None

    def knows(self, wire: socket.socket) -> bool:
        """Whether the kernel reports the same user, groups, capabilities and namespaces for the client as for us.

        A process that learned the key and was confined afterwards is refused.
        """
        try:
            return about(peer(wire)) == self.own
        except (OSError, ValueError):
            return False

    @property
    def changed(self) -> bool:
        """Whether a Python hook in this process changed its folder, environment, umask or limits."""
        return raw_environment() != self.given or identity(".") != self.place or bounds() != self.bounds


def raw_environment() -> dict[bytes, bytes]:
    """The environment as stored; decoding all of it takes longer than an event."""
    return os.environ._data  # type: ignore[attr-defined,no-any-return]


def bounds() -> tuple[object, ...]:
    """Limits, niceness, CPU affinity and umask of this process. /proc has the umask; os.umask() would have to set
    it.
    """
    limits = map(resource.getrlimit, LIMITS.values())
    return *limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), *status(os.getpid(), UMASK)


def number(text: bytes) -> int:
    text = text.strip()
    return resource.RLIM_INFINITY if text == b"unlimited" else int(text)


def peer(wire: socket.socket) -> int:
    """The process at the other end; ValueError if it belongs to another user."""
    pid, uid, _ = PEER.unpack(wire.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))
    if uid != os.geteuid() or pid <= 0:
        raise ValueError("another user")
    return int(pid)


def about(pid: int) -> tuple[bytes | int, ...]:
    return *status(pid, *STATUS), *(os.stat(f"/proc/{pid}/ns/{name}").st_ino for name in SPACES)


def status(pid: int, *parts: tuple[bytes, bytes]) -> list[bytes]:
    """Sections of /proc/PID/status, each between two markers."""
    file = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = os.read(file, 1 << 14)
    finally:
        os.close(file)
    return [text[text.index(start) : text.find(end)] for start, end in parts]


def whereabouts(text: bytes) -> tuple[int, int]:
    """A device and an inode, as a context has them."""
    device, number = text.split()
    return int(device), int(number)


def identity(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino

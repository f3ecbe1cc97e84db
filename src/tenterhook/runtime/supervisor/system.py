"""What a helper process asks of the kernel: adopt orphans, protect its memory, signal the exit of a child."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # the enums of the module signal take 5 ms
import ctypes
import errno
import os
import select
import time

from tenterhook.runtime.process_tree import SIGKILL, descendants, read, send
from tenterhook.runtime.supervisor.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
TICKS = os.sysconf("SC_CLK_TCK")


def prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def adopt_orphans() -> None:
    """A descendant that loses its parents becomes our child."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def keep_out() -> None:
    """No process of the same user may read our memory or take our files."""
    prctl(PR_SET_DUMPABLE, 0)


def let_in() -> None:
    """Undo keep_out, as for a new program."""
    prctl(PR_SET_DUMPABLE, 1)


def begin_anew(files: Collection[int]) -> None:
    """Drop what we inherited: close all files but these, start a new session, reset signals."""
    if os.getsid(0) != os.getpid():
        os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    low = 3
    for fd in sorted(files):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, max_files())
    os.chdir("/")
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
        if callable(signal.getsignal(number)):  # Python code of the host; what the host ignores its hooks ignore too
            signal.signal(number, signal.SIG_DFL)


def max_files() -> int:
    """One more than the highest number of an open file, or the limit."""
    try:
        return max(map(int, os.listdir("/proc/self/fd"))) + 1
    except (OSError, ValueError):  # not readable, since we are not dumpable
        found = read("/proc/self/status").partition(b"FDSize:")[2].split()
        return int(found[0]) if found else os.sysconf("SC_OPEN_MAX")


def wake_parent() -> None:
    """Continue the supervisor: a hook may have stopped it, and then it sees neither our end nor the host's."""
    send(os.kill, os.getppid(), signal.SIGCONT)


def wake(child: int) -> None:
    """Continue a child that a signal has stopped: a hook may stop its spawner, which then ends nothing in time."""
    try:
        stopped = os.waitid(os.P_PID, child, os.WSTOPPED | os.WNOHANG)
    except ChildProcessError:
        return
    if stopped:
        send(os.kill, child, signal.SIGCONT)


def bell() -> int:
    """A descriptor that becomes readable when a child has exited."""
    ear, rope = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(rope, warn_on_full_buffer=False)
    return ear


def silence(ear: int) -> None:
    try:
        os.read(ear, 4096)
    except BlockingIOError:
        return


def ended_children() -> Iterator[tuple[int, int]]:
    """Reap all children that have exited: number, and exit code or minus the signal."""
    while True:
        try:
            pid, raw = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid, os.waitstatus_to_exitcode(raw)


def has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def end_all(seconds: float = 10.0) -> None:
    """SIGKILL all descendants until none is left. Processes of another user cannot be ended."""
    until, pause = time.monotonic() + seconds, 0.0005
    us = str(os.getpid())
    while time.monotonic() < until:
        for name in descendants(os.getpid()):
            if name != us:
                send(os.kill, int(name), SIGKILL)
        for _ in ended_children():
            pass
        if not has_children():
            return
        time.sleep(pause)
        pause = min(pause * 2, 0.02)


class Poller:
    """Polls several connections and files for input."""

    __slots__ = ("poller",)

    def __init__(self, *files: int) -> None:
        self.poller = select.poll()
        for fd in files:
            self.add(fd)

    def add(self, fd: int) -> None:
        self.poller.register(fd, select.POLLIN)

    def remove(self, fd: int) -> None:
        self.poller.unregister(fd)

    def wait(self, seconds: float | None) -> list[int]:
        return [fd for fd, _ in self.poller.poll(None if seconds is None else max(0.0, seconds * 1000))]


def next_packet(wire: Wire) -> tuple[bytes, list[int]] | None:
    """The next packet; None if there is none now, an empty one if the other end is closed or broken."""
    try:
        return wire.receive_packet()
    except BlockingIOError:
        return None
    except OSError as exc:
        if exc.errno in (errno.EMFILE, errno.ENFILE):
            raise
        return b"", []

"""One running child: started, fed, drained, ended, and its exit status found out.

It does not wait for anything itself; the loop tells it which of its pipes is ready and what time it is.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import time

from tenterhook.process.procfs import TAG, Family, Table, find_child, name_of
from tenterhook.process.program import Completed, Program, explain, look_for
from tenterhook.process.status import exit_status, is_contested
from tenterhook.process.stream import Feed, Stream, close

__all__ = ["Child"]

# How long SIGKILL may take before we stop waiting: only a process stuck in the kernel needs more than 1 ms.
KILL_WAIT = 0.2
CANCEL_WAIT = 0.08
# What the hook leaves behind has this long to end by itself; the answer is there already and should not wait.
LEFTOVER_GRACE = 0.2

# Waits for a line on stdin before it becomes the hook; `read` takes not a byte more than that line.
GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@"', "sh")

counter = itertools.count()
late: list[int] = []  # children that SIGKILL did not end in time; reaped when the next one starts


class Child:
    """From start() to completed(). All times are time.monotonic()."""

    __slots__ = (
        "began", "deadline", "detail", "ended", "error", "exited", "family", "feed", "give_up_at", "kill_at", "lost",
        "patience", "pidfd", "popen", "program", "started", "status", "streams", "termed", "token",
    )  # fmt: skip

    def __init__(self, program: Program) -> None:
        self.program = program
        self.popen: subprocess.Popen[bytes] = subprocess.Popen.__new__(subprocess.Popen)
        self.pidfd = -1
        self.feed = Feed(program.stdin)
        self.streams = (Stream(program.cap, program.tail), Stream(program.cap, program.tail))
        self.began = time.monotonic()
        self.deadline = None if program.timeout is None else self.began + program.timeout
        self.token = f"{os.getpid()}.{next(counter)}.{time.monotonic_ns():x}"
        self.family: Family | None = None
        self.error: str | None = None
        self.detail = ""
        self.started = self.exited = self.lost = self.termed = False
        self.status: int | None = None
        self.kill_at = self.give_up_at = self.ended = 0.0
        self.patience = 0.001

    @property
    def pid(self) -> int:
        """0 before it was started; known even where an exception interrupted Popen after the fork."""
        return int(self.popen.__dict__.get("pid") or 0)

    # Starting

    def start(self) -> None:
        """OSError and others if it cannot be started; nothing is left open or running then."""
        bury_late()
        ends: list[int] = []
        try:
            gated = is_contested()
            if gated:
                look_for(self.program)
            ends.append(self.feed.open(gated))
            ends.extend(stream.open() for stream in self.streams)  # one by one: none is lost if the next one fails
            self.spawn((*GATE, *self.program.argv) if gated else self.program.argv, *ends)
            self.adopt(gated)
        except BaseException:
            self.undo()
            self.close()
            raise
        finally:
            for fd in ends[1:]:
                os.close(fd)

    def adopt(self, gated: bool) -> None:
        # Absent on macOS and old kernels, ESRCH where a foreign reaper was faster: then waitpid says what can be said.
        with contextlib.suppress(OSError, AttributeError):
            self.pidfd = os.pidfd_open(self.pid)
        if gated:
            self.feed.push()
        self.feed.release()
        # Whether it lives is ours to find out: Popen must neither warn about it nor keep it in a list to reap.
        self.popen.returncode = 0
        self.started = True

    def spawn(self, argv: tuple[str, ...], stdin: int, stdout: int, stderr: int) -> None:
        env, cwd = self.program.env, self.program.cwd or None
        # A hook that runs hooks has a tag already: theirs are ours too, so the tags are joined.
        tagged = {**env, TAG: env.get(TAG, "") + self.token + ";"}
        subprocess.Popen.__init__(
            self.popen, list(argv), stdin=stdin, stdout=stdout, stderr=stderr, env=tagged, cwd=cwd,
            close_fds=True, start_new_session=True,
        )  # fmt: skip

    def undo(self) -> None:
        """An exception such as Ctrl-C may come when the child is there already, even before Popen knows its number."""
        if self.popen.__dict__.get("returncode") is None:
            pid = self.pid or find_child(self.token)
            if pid:
                with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                    os.killpg(pid, signal.SIGKILL)  # it leads its group since before the exec
                    os.waitpid(pid, 0)
        self.popen.returncode = 0
        self.started = False

    # Ending

    def end(self, now: float, grace: float, error: str | None = None, detail: str = "") -> None:
        """From now on sweep() is called until it says that all are gone."""
        if self.family is None:
            self.family = Family(self.pid, self.token)
            self.kill_at = now + grace
        self.kill_at = min(self.kill_at, now + grace)
        self.give_up_at = self.kill_at + (CANCEL_WAIT if error == "cancelled" else KILL_WAIT)
        self.error, self.detail = error or self.error, detail or self.detail

    def strike(self, now: float) -> None:
        """Before the long look around: who hogs the processor should not delay the end of all."""
        # Not the first time, because those who left the group without a tag are found by their living parents.
        if self.family is not None and self.termed and now >= self.kill_at:
            self.family.send_group(signal.SIGKILL)

    def sweep(self, table: Table | None, now: float) -> bool:
        """SIGTERM once to all that are there, SIGKILL to all that are left after the grace. True when none are."""
        assert self.family is not None
        if table is None:
            members, gone = [], self.exited and self.family.group_is_empty()
        else:
            members = self.family.members(table)
            gone = not members
            self.family.bury(table)
        if gone:
            return self.settle() or now >= self.give_up_at
        if now >= self.kill_at:
            self.family.send(signal.SIGKILL, members)
        elif not self.termed:
            self.family.send(signal.SIGTERM, members)
            self.termed = True
        return now >= self.give_up_at

    # Its exit

    def probe(self) -> bool:
        """Without a pidfd: ask, and be more patient each time, up to 20 ms."""
        self.patience = min(self.patience * 2, 0.02)
        return self.settle()

    def settle(self) -> bool:
        """Take the exit status, once; a status that somebody else took is marked as lost. True if it has ended."""
        if self.status is None and not self.lost:
            try:
                self.status = exit_status(self.pid, self.pidfd)
            except ChildProcessError:
                self.lost = True
        return self.status is not None or self.lost

    def completed(self) -> Completed:
        """Everything is over: close what is open and say what came of it."""
        if not self.settle():
            late.append(self.pid)
        self.hang_up()
        self.close()
        status, error, detail = self.status, self.error, self.detail
        if error is None and status is None:
            error = "status"
            detail = "the exit status was taken by another part of this program (SIGCHLD ignored, or a foreign wait)"
        name = name_of(-status) if status is not None and status < 0 else None
        if error is None and name:
            error, detail = "signal", f"ended by {name}: look at its stderr"
        return Completed(
            exit_code=status if name is None else None, signal=name, error=error, detail=detail,
            seconds=(self.ended or time.monotonic()) - self.began,
            stdout=self.streams[0].kept(), stderr=self.streams[1].kept(),
            truncated=self.streams[0].truncated or self.streams[1].truncated,
        )  # fmt: skip

    def not_started(self, exc: BaseException) -> Completed:
        return Completed(error="spawn", detail=explain(self.program, exc), seconds=time.monotonic() - self.began)

    def hang_up(self) -> None:
        """Take what the pipes hold and close them: what its leftovers say is no part of the answer."""
        for stream in self.streams:
            stream.drain_rest()
        self.feed.close()
        for stream in self.streams:
            stream.close()

    def close(self) -> None:
        self.feed.close()
        for stream in self.streams:
            stream.close()
        fd, self.pidfd = self.pidfd, -1
        close(fd)


def bury_late() -> None:
    for pid in late[:]:
        try:
            over = os.waitpid(pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            over = True
        if over:
            with contextlib.suppress(ValueError):  # another thread was faster
                late.remove(pid)

"""A program that is our own child: starts it, ends it with its family, gets its exit status."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading

from tenterhook.runtime.process.program import Completed, Program, by_shell, look_for
from tenterhook.runtime.process.running import Running
from tenterhook.runtime.process.status import exit_status, is_contested
from tenterhook.runtime.process.stream import close
from tenterhook.runtime.process_tree import TAG, ProcessFamily, ProcessTable, append_process_tag, find_child

# Waits for a line on stdin before it becomes the hook; `read` takes no byte beyond that line.
GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@"', "sh")

late: list[int] = []  # children that SIGKILL did not end in time; reaped when the next one starts


class Child(Running):
    """A child that is waited for by its pidfd, or polled if there is none."""

    def __init__(self, program: Program, sandbox: str = "", notes: tuple[str, ...] = ()) -> None:
        super().__init__(program, sandbox, notes)
        self.popen: subprocess.Popen[bytes] = subprocess.Popen.__new__(subprocess.Popen)
        self.lost = False

    @property
    def pid(self) -> int:
        """0 before it was started; known even if an exception interrupted Popen after the fork."""
        return int(self.popen.__dict__.get("pid") or 0)

    @property
    def polled(self) -> bool:  # type: ignore[override]
        return self.pidfd < 0 and not self.exited

    # Starting

    def start(self) -> None:
        reap_late()
        ends: list[int] = []
        try:
            gated = is_contested()
            if gated:
                look_for(self.program)
                self.program = by_shell(self.program)
            self.open_pipes(ends, gated)
            self.spawn((*GATE, *self.program.argv) if gated else self.program.argv, *ends)
            self.adopt()
        except BaseException:
            self.undo()
            self.close()
            raise
        finally:
            for fd in ends[1:]:
                os.close(fd)

    def adopt(self) -> None:
        # Missing on macOS and old kernels; ESRCH if other code has reaped the child: then waitpid tells what is known.
        with contextlib.suppress(OSError, AttributeError):
            self.pidfd = os.pidfd_open(self.pid)
        self.feed.push()
        # We track whether it lives: Popen must neither warn about it nor keep it in a list to reap.
        self.popen.returncode = 0
        self.started = True

    def spawn(self, argv: tuple[str, ...], stdin: int, stdout: int, stderr: int) -> None:
        env, cwd = self.program.env, self.program.cwd or None
        subprocess.Popen.__init__(
            self.popen, list(argv), stdin=stdin, stdout=stdout, stderr=stderr,
            env={**env, TAG: append_process_tag(env.get(TAG, ""), self.token)},
            cwd=cwd, close_fds=True, start_new_session=True,
        )  # fmt: skip

    def undo(self) -> None:
        """End a child after an exception such as Ctrl-C, which may come even before Popen knows its number."""
        if self.popen.__dict__.get("returncode") is None:
            pid = self.pid or find_child(self.token, threading.get_native_id())
            if pid:
                with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                    os.killpg(pid, signal.SIGKILL)  # it has led its group since before the exec
                    os.waitpid(pid, 0)
        self.popen.returncode = 0
        self.started = False

    # Ending

    def end(self, now: float, grace: float, error: str | None = None, detail: str = "") -> None:
        if self.family is None:
            self.family = ProcessFamily(self.pid, self.token)
        super().end(now, grace, error, detail)

    def strike(self, now: float) -> None:
        # Not the first time, because processes that left the group without a tag are found through their living
        # parents.
        if self.family is not None and self.family.termed and now >= self.kill_at:
            self.family.send_group(signal.SIGKILL)

    def sweep(self, table: ProcessTable | None, now: float) -> bool:
        assert self.family is not None
        if table is None:
            members, gone = [], self.exited and self.family.group_is_empty()
        else:
            members = self.family.members(table)
            gone = not members
            self.family.reap(table)
        if gone:
            return self.settle() or now >= self.give_up_at
        self.family.press(members, kill=now >= self.kill_at)
        return now >= self.give_up_at

    # Its exit

    def probe(self) -> bool:
        """Without a pidfd: check, and wait longer each time, up to 20 ms."""
        self.patience = min(self.patience * 2, 0.02)
        return self.settle()

    def settle(self) -> bool:
        """Get the exit status. A status that other code has taken is marked as lost."""
        if self.status is None and not self.lost:
            try:
                self.status = exit_status(self.pid, self.pidfd)
            except ChildProcessError:
                self.lost = True
        return self.status is not None or self.lost

    def completed(self) -> Completed:
        if not self.settle():
            late.append(self.pid)
        return super().completed()

    def close(self) -> None:
        super().close()
        fd, self.pidfd = self.pidfd, -1
        close(fd)


def reap_late() -> None:
    for pid in late[:]:
        try:
            over = os.waitpid(pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            over = True
        if over:
            with contextlib.suppress(ValueError):  # another thread was faster
                late.remove(pid)

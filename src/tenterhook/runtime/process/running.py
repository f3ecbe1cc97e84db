"""One program that was started, by us or by the helper: its pipes, its deadlines, its result.

It never waits itself; the loop tells it which pipe is ready and what time it is.
"""

from __future__ import annotations

import itertools
import os
import time
from typing import TYPE_CHECKING, Protocol

from tenterhook.runtime.process.program import Completed, Modified, Program, explain
from tenterhook.runtime.process.status import name_of
from tenterhook.runtime.process.stream import Feed, OutputStream
from tenterhook.runtime.process_tree import ProcessFamily, ProcessTable

if TYPE_CHECKING:
    from tenterhook.support.fingerprint import Stamp

# How long SIGKILL may take before we stop waiting: only a process stuck in the kernel needs more than 1 ms.
KILL_WAIT = 0.2
CANCEL_WAIT = 0.08
# How long processes that the hook leaves behind may take to end; the answer is complete and should not wait.
LEFTOVER_GRACE = 0.2

ENDED = "processes that it left running were ended with it; `leftovers = keep` in its entry lets them run on"

counter = itertools.count(1)


class FileWatch(Protocol):
    """Looks for files that the sandbox could not prevent from being created."""

    def begin(self) -> None: ...

    def end(self) -> tuple[str, ...]: ...


class Running:
    """From start() to completed(). All times are time.monotonic()."""

    # Whether its exit must be polled for, because there is no pidfd.
    polled = False
    # Seconds from its start for which the caller busy-waits, if the processor is free.
    busy_wait = 0.0
    # Whether it has ended and left nothing running.
    gone = False

    def __init__(self, program: Program, sandbox: str = "", notes: tuple[str, ...] = ()) -> None:
        self.program, self.sandbox, self.notes = program, sandbox, notes
        self.pidfd = -1
        self.feed = Feed(program.stdin)
        limits = program.cap, program.tail, program.whole
        self.streams = (OutputStream(*limits), OutputStream(*limits))
        self.began = time.monotonic()
        self.deadline = None if program.timeout is None else self.began + program.timeout
        self.number = next(counter)
        self.token = f"{os.getpid()}.{self.number}.{time.monotonic_ns():x}"
        self.error: str | None = None
        self.detail = ""
        self.started = self.exited = self.ending = self.left = False
        self.status: int | None = None
        # The process family, if we end it ourselves; a spawner keeps its own.
        self.family: ProcessFamily | None = None
        self.watch: FileWatch | None = None
        self.stamps: list[Stamp] | None = None
        self.kill_at = self.give_up_at = self.ended = self.busy_wait_until = 0.0
        self.patience = 0.001

    def start(self) -> None:
        """Start it. Raises OSError and others if it cannot be started; nothing is left open or running then."""
        raise NotImplementedError

    def begin(self) -> None:
        self.look_around()
        self.start()

    def look_around(self) -> None:
        """Check right before it runs; Modified or Outdated if it must not run, or not in this sandbox."""
        seal = self.program.seal
        if seal is not None:
            if why := seal.find_change():
                raise Modified(why)
            self.stamps = seal.stamps()
        if self.watch is not None:
            self.watch.begin()

    def open_pipes(self, ends: list[int], gated: bool = False) -> None:
        """Open the pipes. The child's ends are listed one by one, so that none is lost if the next one fails."""
        ends.append(self.feed.open(gated))
        ends.extend(stream.open() for stream in self.streams)

    def end(self, now: float, grace: float, error: str | None = None, detail: str = "") -> None:
        """Begin to end it. From now on sweep() is called until it returns True."""
        self.kill_at = min(self.kill_at, now + grace) if self.ending else now + grace
        self.give_up_at = self.kill_at + (CANCEL_WAIT if error == "cancelled" else KILL_WAIT)
        self.error, self.detail = error or self.error, detail or self.detail
        self.ending = True

    def strike(self, now: float) -> None:
        """Kill its group again before the long search for descendants: a busy hook should not delay the end of all."""

    def sweep(self, table: ProcessTable | None, now: float) -> bool:
        """End all of its processes. True when nothing is left, or nothing more can be done."""
        raise NotImplementedError

    def probe(self) -> bool:
        """Poll for its exit, if there is no pidfd."""
        return self.settle()

    def settle(self) -> bool:
        """Get the exit status, once. True if it has exited."""
        raise NotImplementedError

    def completed(self) -> Completed:
        """Everything is over: close what is open and return the result."""
        for stream in self.streams:
            stream.drain_rest()
        self.close()
        notes = self.notes if self.watch is None else (*self.notes, *self.watch.end())
        if self.left and self.error is None and self.program.leftovers == "tidy":
            notes = (*notes, ENDED)
        seconds = (self.ended or time.monotonic()) - self.began
        if self.stamps is not None and (why := self.find_touched()):
            return Completed(error="modified", detail=why, seconds=seconds, notes=notes)
        status, error, detail, words = self.status, self.error, self.detail, b""
        if self.program.instead and error is None and status is not None and status < 0:
            from tenterhook.runtime.process.signal_text import as_told_by

            status, words = as_told_by(self.program.instead[0], status)
        if error is None and status is None:
            error, detail = "status", self.lost_status()
        name = name_of(-status) if status is not None and status < 0 else None
        if error is None and name:
            error, detail = "signal", f"ended by {name}: look at its stderr"
        return Completed(
            exit_code=status if name is None else None, signal=name, error=error, detail=detail,
            seconds=seconds,
            stdout=self.streams[0].content(), stderr=self.streams[1].content() + words,
            truncated=self.streams[0].truncated or self.streams[1].truncated,
            sandbox=self.sandbox, notes=notes,
        )  # fmt: skip

    def find_touched(self) -> str:
        """Which of its approved files were written to while it ran: its answer does not count then."""
        seal = self.program.seal
        return seal.find_touched(self.stamps) if seal is not None and self.stamps is not None else ""

    def lost_status(self) -> str:
        return "the exit status was taken by another part of this program (SIGCHLD ignored, or a foreign wait)"

    def not_started(self, exc: BaseException) -> Completed:
        seconds = time.monotonic() - self.began
        return Completed(error="spawn", detail=explain(self.program, exc), seconds=seconds, notes=self.notes)

    def hang_up(self) -> None:
        """Read what the pipes hold and close them: output of its leftover processes is not part of the answer."""
        for stream in self.streams:
            stream.drain_rest()
        self.close_pipes()

    def close_pipes(self) -> None:
        self.feed.close()
        for stream in self.streams:
            stream.close()

    def close(self) -> None:
        self.close_pipes()

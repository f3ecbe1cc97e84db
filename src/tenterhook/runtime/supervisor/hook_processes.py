"""The hooks of one spawner: starts them, tells them apart, ends them with all their descendants."""

from __future__ import annotations

import errno
import os
import time

from tenterhook.runtime.process_tree import (
    SIGKILL,
    ProcessEntry,
    ProcessFamily,
    ProcessTable,
    SweepClock,
    Tags,
    read_own_children,
    read_table,
)
from tenterhook.runtime.supervisor.system import TICKS, has_children
from tenterhook.runtime.supervisor.wire import EXITED, EXITED_ALONE, FAILED, GONE, HEAD, Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.runtime.supervisor.spawn import PreparedStart

    # Token, working directory, and what is to run in it.
    Given = tuple[str, bytes, PreparedStart]

# SIGKILL works at once, or never: on a process stuck in the kernel, or another user's.
HOPELESS = 5.0
# The end, in ticks, of a hook that still runs.
STILL = 1 << 62


class HookProcess:
    """One hook. `kill_at` is infinite until it is to end; its process may be older than the hook."""

    __slots__ = ("began", "channel", "ending", "exited", "family", "keep", "kill_at", "left", "number")

    def __init__(self, channel: Wire, number: int, family: ProcessFamily, *, keep: bool, began: int = 0) -> None:
        self.channel, self.number, self.family, self.keep = channel, number, family, keep
        self.began = began or family.born
        self.exited = self.ending = self.left = False
        self.kill_at = float("inf")

    def tell(self, kind: bytes, value: int = 0) -> None:
        tell(self.channel, kind, self.number, value)


class HookProcesses:
    """The hooks that run or are being ended, by the host's number and by process number."""

    def __init__(self) -> None:
        self.by_number: dict[int, HookProcess] = {}
        self.by_pid: dict[int, HookProcess] = {}
        self.tags: Tags = {}
        # When past hooks ran, in ticks since boot; overlapping intervals are joined.
        self.past: list[tuple[int, int]] = []
        self.sweeps = SweepClock()

    @property
    def ending(self) -> list[HookProcess]:
        return [job for job in self.by_number.values() if job.ending]

    def patience(self) -> float | None:
        """Seconds until we have to look again; None if only a message or a child's exit can cause it."""
        return max(0.0, self.sweeps.at - time.monotonic()) if self.ending else None

    def start(self, channel: Wire, number: int, given: Given | None, files: list[int], *, keep: bool) -> None:
        born = ticks()
        try:
            if len(files) < 3 or given is None:  # there was no room for the descriptors
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            token, cwd, program = given
            os.chdir(cwd)
            pid = program.run(files)
        except (OSError, MemoryError) as exc:
            tell(channel, FAILED, number, getattr(exc, "errno", None) or errno.ENOMEM)
            return
        finally:
            os.chdir("/")
            for fd in files:
                os.close(fd)
        self.add(HookProcess(channel, number, ProcessFamily(pid, token, born), keep=keep))

    def add(self, job: HookProcess) -> None:
        self.by_number[job.number] = self.by_pid[job.family.leader] = job

    def exited(self, pid: int, status: int) -> None:
        job = self.by_pid.pop(pid, None)
        if job is not None and job.number in self.by_number:
            alone = not job.keep and self.has_no_orphans()
            if not job.exited:
                job.exited = True
                job.tell(EXITED_ALONE if alone else EXITED, status)
            elif alone:
                job.tell(GONE)
            if alone or (job.keep and not job.ending):
                self.forget(job)
        self.sweeps.hurry()

    def has_no_orphans(self) -> bool:
        """Whether all our children are known: what a hook leaves running becomes our child when the hook ends."""
        return not has_children() or read_own_children() <= self.known_children()

    def known_children(self) -> set[int]:
        return {*self.by_pid}

    def end(self, channel: Wire, number: int, grace: float) -> None:
        job = self.by_number.get(number)
        if job is None:
            tell(channel, GONE, number)
            return
        job.ending = True
        job.kill_at = min(job.kill_at, time.monotonic() + grace)
        self.sweeps.hurry()

    def abandon(self, channel: Wire) -> None:
        """End the hooks of a channel whose host has gone."""
        for job in self.by_number.values():
            if job.channel is channel:
                job.ending, job.kill_at = True, time.monotonic()
        self.sweeps.hurry()

    def sweep(self, now: float) -> None:
        ending = self.ending
        for job in ending:
            if job.family.termed and now >= job.kill_at:
                job.family.send_group(SIGKILL)  # before the long search: a busy process delays everything
        table = read_table([job.family for job in ending], self.tags, os.getpid())
        for job in ending:
            members = job.family.members(table) or self.strays(job, table) if table else []
            gone = not members and job.exited and (table is not None or job.family.group_is_empty())
            if gone or now > job.kill_at + HOPELESS:
                self.forget(job)
                job.tell(GONE, job.left)
            else:
                # A fork of a warm interpreter reports its exit before it is gone: that is not a leftover.
                job.left = job.left or (job.exited and any(one.pid != job.family.leader for one in members))
                job.family.press(members, kill=now >= job.kill_at)
        self.sweeps.plan_next(now, (job.kill_at for job in self.ending))

    def strays(self, job: HookProcess, table: ProcessTable) -> list[ProcessEntry]:
        """Orphans without a tag that can only come from this hook: no other ran when they were born."""
        us, born = os.getpid(), job.began
        alive = [entry for entry in table.entries.values() if entry.alive and entry.pid != us]
        if not alive:
            return []
        others = [other for other in self.by_number.values() if other is not job]
        theirs = {entry.pid for other in others for entry in other.family.members(table)}
        loose = [entry for entry in alive if entry.pid not in theirs]
        if any(entry.start < born or self.tags.get((entry.pid, entry.start)) for entry in loose):
            return []  # an earlier hook left something running, which may have children too
        times = [*self.past, *((other.began, STILL) for other in others)]
        found = [entry for entry in loose if not any(begin <= entry.start <= end for begin, end in times)]
        job.family.known |= {(entry.pid, entry.start) for entry in found}
        return found

    def forget(self, job: HookProcess) -> None:
        self.by_number.pop(job.number, None)
        self.by_pid.pop(job.family.leader, None)
        if not self.by_number:
            self.past.clear()
            return
        begin = job.began
        while self.past and self.past[-1][1] >= begin:
            begin = min(begin, self.past.pop()[0])
        self.past.append((begin, ticks()))


def ticks() -> int:
    """The current time, in the ticks of the process table."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * TICKS)


def tell(channel: Wire, kind: bytes, number: int, value: int = 0) -> None:
    try:
        channel.send_packet(HEAD.pack(kind, number, value), wait=True)
    except OSError:  # the host closed it; we are told on the next turn
        return

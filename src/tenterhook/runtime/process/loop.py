"""The loop over all children: polls their pipes and pidfds, enforces time-outs, ends them with their families."""

from __future__ import annotations

import errno
import os
import select
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from tenterhook.runtime.process.busy_wait import is_calm, poll_busily
from tenterhook.runtime.process.program import Completed, Modified, by_shell
from tenterhook.runtime.process.running import LEFTOVER_GRACE, Running
from tenterhook.runtime.process.spawn import spawn_program
from tenterhook.runtime.process.stream import OutputStream
from tenterhook.runtime.process.ticket import NEVER_STARTED, Ticket
from tenterhook.runtime.process_tree import SweepClock, Tags, read_table
from tenterhook.runtime.supervisor import ChannelLost, Outdated

if TYPE_CHECKING:
    from tenterhook.runtime.process.channels import Channels
    from tenterhook.runtime.supervisor.client import Helper

# The most programs started in one turn: a start takes 0.5 ms, and a cancellation must not wait for 64 of them.
STARTS = 8
# A flood of small writes would wake us for each, which costs the writer more than writing (3.6 s instead of 1.6 s for
# 135 MB of short lines): if little is there, let it gather.
NARROW, REST = 1 << 16, 0.0005
# Most hooks end within this many seconds, with all output in their pipes. Being woken for the end of each pipe and then
# for the hook's exit costs more than checking once.
MOMENT = 0.002
# Errors of a start that pass when other programs end.
CROWDED = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ETOOMANYREFS)


class ProcessLoop:
    """All running and queued programs of one thread. Not thread-safe."""

    def __init__(self, parallel: int, helper: Helper | None = None) -> None:
        self.parallel = max(1, parallel)
        self.channels = None if helper is None else open_channels(self, helper)
        self.owner = os.getpid()
        self.poller = select.poll()
        self.actions: dict[int, Callable[[], object]] = {}
        self.waiting: deque[Ticket] = deque()
        # Work that the caller wants done while the children run: here we would only wait.
        self.meanwhile: deque[Callable[[], object]] = deque()
        self.running: dict[Ticket, Running] = {}
        # By the helper's number; those whose exit must be polled for; and the deadlines.
        self.numbered: dict[int, Ticket] = {}
        self.polled: dict[Ticket, Running] = {}
        self.deadlines: list[tuple[float, int]] = []
        # Programs whose pipes are not polled yet, and when to begin.
        self.unheard: deque[tuple[float, int]] = deque()
        self.ending: dict[Ticket, Running] = {}
        self.tags: Tags = {}
        self.crowded = self.rest = False
        self.sweeps = SweepClock()

    @property
    def busy(self) -> bool:
        return bool(self.running or self.waiting)

    @property
    def can_start(self) -> bool:
        return bool(self.waiting) and len(self.running) < self.parallel and not self.crowded

    def step(self) -> None:
        """Wait until something happens, and handle it."""
        busy = self.busy
        self.launch()
        if busy and not self.busy:  # the last one could not be started: there is nothing to wait for
            return
        while self.meanwhile:
            self.meanwhile.popleft()()
        for fd, _ in self.poll_ready():
            action = self.actions.get(fd)  # None: closed by an earlier action of this turn
            if action is not None:
                action()
        now = time.monotonic()
        self.check_clocks(now)
        if self.unheard:
            self.listen(now)
        if self.ending and now >= self.sweeps.at:
            self.sweep(now)
        if self.rest:
            self.rest = False
            time.sleep(REST)

    def poll_ready(self) -> list[tuple[int, int]]:
        """Wait for files to become ready."""
        if len(self.running) == 1:
            child = next(iter(self.running.values()))
            if (
                child.busy_wait_until
                and not child.ending
                and (found := poll_busily(self.poller, child.busy_wait_until))
            ):
                return found
        return self.poller.poll(self.patience())

    def patience(self) -> float | None:
        """Milliseconds until the next deadline; None if there is none."""
        if self.can_start:
            return 0
        clocks = [self.sweeps.at] if self.ending else []
        while self.deadlines and self.deadlines[0][1] not in self.numbered:
            heappop(self.deadlines)
        if self.deadlines:
            clocks.append(self.deadlines[0][0])
        if self.unheard:
            clocks.append(self.unheard[0][0])
        now = time.monotonic()
        clocks += [now + child.patience for child in self.polled.values()]
        # At most a minute: poll cannot count beyond 24 days.
        return min(60_000.0, max(0.0, (min(clocks) - now) * 1000)) if clocks else None

    # Starting

    def launch(self) -> None:
        for _ in range(STARTS):
            if not self.can_start:
                return
            self.start(self.waiting.popleft())

    def start(self, ticket: Ticket) -> None:
        others = bool(self.running)
        try:
            child = spawn_program(ticket.program, self.channels, fresh=ticket.outdated)
            if isinstance(child, Completed):
                ticket.done(child)
                self.release_channels()
                return
            # It is listed before it is started, so that an interrupt at any moment finds it.
            ticket.child = self.running[ticket] = child
            self.numbered[child.number] = ticket
            child.begin()
        except ChannelLost:
            assert self.channels is not None
            self.channels.lost_with(ticket)
            return
        except (Modified, Outdated) as exc:
            self.held_back(ticket, exc)
            return
        except Exception as exc:  # whatever Popen complains about becomes a value
            self.not_started(ticket, exc, others)
            return
        if child.deadline is not None:
            heappush(self.deadlines, (child.deadline, child.number))
        if child.polled:
            self.polled[ticket] = child
        if child.pidfd >= 0:
            self.watch(child.pidfd, select.POLLIN, partial(self.exited, ticket))
        if child.busy_wait and not others and is_calm():  # now: a moment later the hook and its spawner both run
            child.busy_wait_until = child.began + child.busy_wait
            self.receive(child)  # at its end, until its exit is reported, there is time for its pipes
        else:
            self.unheard.append((child.began + MOMENT, child.number))
        if child.feed.fd >= 0:
            self.watch(child.feed.fd, select.POLLOUT, partial(self.push, child))

    def held_back(self, ticket: Ticket, exc: Modified | Outdated) -> None:
        """It was not let go: it is not what was approved, or the sandbox must be set up again."""
        self.unlist(ticket)
        if isinstance(exc, Outdated):
            ticket.outdated = True  # once is enough: a file that changes all the time must not delay the hook
            self.waiting.appendleft(ticket)
        else:
            ticket.done(Completed(error="modified", detail=str(exc)))
            self.release_channels()

    def not_started(self, ticket: Ticket, exc: Exception, others: bool) -> None:
        child = self.unlist(ticket)
        if others and isinstance(exc, OSError) and exc.errno in CROWDED:
            self.crowded, ticket.child = True, None
            self.waiting.appendleft(ticket)
        elif ticket.program.instead and isinstance(exc, OSError) and exc.errno not in CROWDED:
            ticket.program, ticket.child = by_shell(ticket.program), None
            self.waiting.appendleft(ticket)
            return
        else:
            failed = child or Running(ticket.program)
            ticket.done(failed.not_started(exc))
        self.release_channels()

    def watch(self, fd: int, mask: int, action: Callable[[], object]) -> None:
        self.actions[fd] = action
        self.poller.register(fd, mask)

    def unwatch(self, fd: int) -> None:
        if self.actions.pop(fd, None) is not None:
            self.poller.unregister(fd)

    # Pipes

    def listen(self, now: float) -> None:
        """Poll the pipes of programs that run longer than a moment; the others have ended, with their output
        complete.
        """
        while self.unheard and (self.unheard[0][0] <= now or self.unheard[0][1] not in self.numbered):
            ticket = self.numbered.get(self.unheard.popleft()[1])
            if ticket:
                self.receive(self.running[ticket])

    def receive(self, child: Running) -> None:
        for stream in child.streams:
            if stream.fd >= 0:
                self.watch(stream.fd, select.POLLIN, partial(self.drain, stream))

    def drain(self, stream: OutputStream) -> None:
        count = stream.drain()
        if count == 0:
            self.unwatch(stream.fd)
            stream.close()
        elif stream.truncated and count < NARROW:
            self.rest = True

    def push(self, child: Running) -> None:
        fd = child.feed.fd
        child.feed.push()
        if child.feed.fd < 0:
            self.unwatch(fd)

    # Ending

    def exited(self, ticket: Ticket) -> None:
        """The hook's process has exited, even if another process still holds its pipes."""
        child = self.running[ticket]
        child.exited = True
        self.polled.pop(ticket, None)
        self.unwatch(child.pidfd)
        if not child.ending:
            child.ended = time.monotonic()
            if child.gone or ticket.program.leftovers == "keep":
                self.finish(ticket)
                return
            self.unwatch_pipes(child)
            child.hang_up()
            self.end(ticket, child.ended, LEFTOVER_GRACE)
        self.sweeps.hurry()

    def check_clocks(self, now: float) -> None:
        for ticket, child in list(self.polled.items()):
            if child.polled and child.probe():
                self.exited(ticket)
        while self.deadlines and now >= self.deadlines[0][0]:
            late = self.numbered.get(heappop(self.deadlines)[1])
            if late is not None and not self.running[late].ending:
                limit = f"no answer within {late.program.timeout:g} s"
                detail = f"{limit}, so it was ended: make the hook faster or raise its timeout"
                self.end(late, now, late.program.grace, "timeout", detail)

    def end(self, ticket: Ticket, now: float, grace: float, error: str | None = None, detail: str = "") -> None:
        child = self.ending[ticket] = self.running[ticket]
        child.end(now, grace, error, detail)
        self.sweeps.hurry()

    def sweep(self, now: float) -> None:
        for child in self.ending.values():
            child.strike(now)
        families = [child.family for child in self.ending.values() if child.family]
        table = read_table(families, self.tags) if families else None
        for ticket, child in list(self.ending.items()):
            if child.sweep(table, now):
                self.finish(ticket)
        self.sweeps.plan_next(now, (child.kill_at for child in self.ending.values()))

    def cancel(self, ticket: Ticket) -> None:
        if ticket in self.running:
            self.end(ticket, time.monotonic(), 0.0, "cancelled", "cancelled by the host")
        elif ticket in self.waiting:
            self.waiting.remove(ticket)
            ticket.done(NEVER_STARTED)

    def cancel_all(self) -> None:
        for ticket in [*self.waiting, *self.running]:
            self.cancel(ticket)

    def finish(self, ticket: Ticket) -> None:
        child = self.running[ticket]
        self.unwatch(child.pidfd)
        self.unwatch_pipes(child)
        self.ending.pop(ticket, None)
        if self.channels is not None:
            self.channels.check(child)
        completed = child.completed()
        self.unlist(ticket)
        self.crowded = False
        self.release_channels()  # before `done` is called: the caller may want the channel at once
        ticket.done(completed)

    def unlist(self, ticket: Ticket) -> Running | None:
        """Remove a ticket that does not run any more, or never did."""
        child = self.running.pop(ticket, None)
        self.polled.pop(ticket, None)
        if child is not None:
            self.numbered.pop(child.number, None)
        return child

    def release_channels(self) -> None:
        if self.channels is not None and not self.busy:
            self.channels.rest()

    def unwatch_pipes(self, child: Running) -> None:
        for fd in (child.feed.fd, child.streams[0].fd, child.streams[1].fd):
            self.unwatch(fd)

    def abandon(self) -> None:
        """End everything now. After a fork the children are not ours: close our copies and leave them alone."""
        if self.owner != os.getpid():
            for child in self.running.values():
                child.close()
            for listed in (self.running, self.numbered, self.polled, self.waiting):
                listed.clear()
            if self.channels is not None:
                self.channels.close()
        for ticket, child in list(self.running.items()):
            if not child.started:
                self.unlist(ticket)
        self.cancel_all()
        while self.busy:
            self.step()


def open_channels(loop: ProcessLoop, helper: Helper) -> Channels:
    from tenterhook.runtime.process.channels import Channels

    return Channels(loop, helper)

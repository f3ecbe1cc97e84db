"""A semaphore for programs: a limited number at once, first come, first served."""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenterhook.runtime.process.ticket import Ticket

# The most threads that serve their own programs at a time. Each needs its own channel to the helper, which keeps 16.
TAKERS = 8


class ProcessSemaphore:
    """Shared by all loops of one engine. In a fork of the host all slots are free: the parent's programs stay the
    parent's.
    """

    def __init__(self, count: int) -> None:
        self.count = max(1, count)
        self.begin_empty()

    def begin_empty(self) -> None:
        self.owner = os.getpid()
        self.lock = threading.Lock()
        self.free, self.takers = self.count, 0
        self.queue: deque[Ticket] = deque()

    def take(self, count: int) -> HeldSlots | None:
        """Take all slots now, for a thread that serves its own programs; None if too few are free or others are
        waiting.
        """
        if self.owner != os.getpid():
            self.begin_empty()
        with self.lock:
            if self.queue or self.free < count or self.takers >= TAKERS:
                return None
            self.free -= count
            self.takers += 1
        return HeldSlots(self, count)

    def enter(self, ticket: Ticket) -> bool:
        """Whether there is a free slot now; if not, the ticket is queued and admitted later."""
        if self.owner != os.getpid():
            self.begin_empty()
        with self.lock:
            if self.queue or self.free < 1:
                self.queue.append(ticket)
                return False
            self.free -= 1
            return True

    def withdraw(self, ticket: Ticket) -> bool:
        """Whether it was in the queue. It leaves with an extra slot, which is given back like the others."""
        with self.lock:
            if ticket not in self.queue:
                return False
            self.queue.remove(ticket)
            self.free -= 1
            return True

    def give(self, count: int = 1, *, taker: bool = False) -> None:
        """Give slots back, to the tickets that have waited longest; `taker`: it is the thread's last slot."""
        with self.lock:
            self.free += count
            self.takers -= taker
            admitted = [self.queue.popleft() for _ in range(min(self.free, len(self.queue)))]
            self.free -= len(admitted)
        for ticket in admitted:
            assert ticket.home is not None
            ticket.home.admit(ticket)


class HeldSlots:
    """The slots that a thread has taken; given back one by one, as its programs end."""

    __slots__ = ("count", "semaphore")

    def __init__(self, semaphore: ProcessSemaphore, count: int) -> None:
        self.semaphore, self.count = semaphore, count

    def give(self, count: int = 1) -> None:
        if self.count:
            self.count -= count
            self.semaphore.give(count, taker=not self.count)

    def give_rest(self) -> None:
        self.give(self.count)

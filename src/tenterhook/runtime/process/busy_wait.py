"""Busy-wait for hooks that should end within milliseconds: being woken by poll() costs 5 % of a short hook.

On a busy machine the waiting thread sleeps at once.
"""

from __future__ import annotations

import os
import select
import time

# The number of runnable processes, after three load averages.
RUNNING = "/proc/loadavg"


def poll_busily(poller: select.poll, until: float) -> list[tuple[int, int]]:
    """Poll without sleeping until the deadline. Returns the events, if any."""
    while time.monotonic() < until:
        if found := poller.poll(0):
            return found
        os.sched_yield()
    return []


def is_calm() -> bool:
    """Whether a processor is free for every process that wants one now, us and a hook included."""
    opened: list[int] = []
    try:
        # Stored before an interrupt can come, which would leave it open.
        opened.extend(map(os.open, [RUNNING], [os.O_RDONLY | os.O_CLOEXEC]))
        running = os.read(opened[0], 100).split()[3].partition(b"/")[0]
        return int(running) <= len(os.sched_getaffinity(0))
    except (AttributeError, OSError, ValueError, IndexError):  # not Linux, or not readable
        return False
    finally:
        for fd in opened:
            os.close(fd)

"""Awake for the end of a hook that is over in a moment: to be woken for it takes a twentieth of a short hook's time.

Whoever waits sleeps at once where others want the processor.
"""

from __future__ import annotations

import os
import select
import time

__all__ = ["is_calm", "poll_busily"]

# How many want a processor now is behind three averages.
RUNNING = "/proc/loadavg"


def poll_busily(poller: select.poll, until: float) -> list[tuple[int, int]]:
    """What has happened by then, if anything."""
    while time.monotonic() < until:
        if found := poller.poll(0):
            return found
        os.sched_yield()
    return []


def is_calm() -> bool:
    """Whether a processor is free for everybody who wants one now, us and a hook among them."""
    opened: list[int] = []
    try:
        # Kept before an interrupt can come, which would leave it open.
        opened.extend(map(os.open, [RUNNING], [os.O_RDONLY | os.O_CLOEXEC]))
        running = os.read(opened[0], 100).split()[3].partition(b"/")[0]
        return int(running) <= len(os.sched_getaffinity(0))
    except (AttributeError, OSError, ValueError, IndexError):  # no Linux, or kept from us
        return False
    finally:
        for fd in opened:
            os.close(fd)

"""Awake for the end of a hook that is over in a moment: to be woken for it takes a twentieth of a short hook's time.

Whoever waits sleeps at once where others want the processor.
"""

from __future__ import annotations

import os
import select
import time

__all__ = ["heard_awake"]


def heard_awake(poller: select.poll, until: float) -> list[tuple[int, int]]:
    """What has happened by then, if anything."""
    if time.monotonic() < until and is_calm():
        while time.monotonic() < until:
            if found := poller.poll(0):
                return found
            os.sched_yield()
    return []


def is_calm() -> bool:
    """Whether a processor is free for everybody who wants one now, us and a hook among them."""
    try:
        with open("/proc/loadavg", "rb", buffering=0) as file:
            return int(file.read().split()[3].partition(b"/")[0]) <= len(os.sched_getaffinity(0))
    except (AttributeError, OSError, ValueError, IndexError):  # no Linux, or kept from us
        return False

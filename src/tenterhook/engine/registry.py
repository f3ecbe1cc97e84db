"""Hooks by event, in the order in which they run.

By priority, then code before files, then those for all agents before those for one, then as written.
"""

from __future__ import annotations

import itertools
from _thread import allocate_lock

from tenterhook.types import Hook

Written = tuple[int, Hook]


class Registry:
    """The hooks of an engine. It may change while events run: readers keep the tuple that they took."""

    def __init__(self) -> None:
        self.lock = allocate_lock()
        self.numbers = itertools.count()
        self.written: dict[str, list[Written]] = {}
        self.ordered: dict[tuple[str, ...], tuple[Hook, ...]] = {}
        self.labels: dict[str, str] = {}  # the label of a hook in texts, by its name

    def add(self, *hooks: Hook) -> None:
        with self.lock:
            for hook in hooks:
                self.written.setdefault(hook.event, []).append((next(self.numbers), hook))
            self.ordered, self.labels = {}, {}

    def remove(self, hook: Hook) -> None:
        """Remove one hook; does nothing if it is gone already."""
        with self.lock:
            there = self.written.get(hook.event, [])
            self.written[hook.event] = [one for one in there if one[1] is not hook]
            self.ordered, self.labels = {}, {}

    def hooks(self, *events: str) -> tuple[Hook, ...]:
        """The hooks of one event, or of several as if they were one."""
        with self.lock:
            if events not in self.ordered:
                found = itertools.chain.from_iterable(self.written.get(event, ()) for event in events)
                self.ordered[events] = tuple(hook for _, hook in sorted(found, key=place))
            return self.ordered[events]

    def all(self) -> list[Hook]:
        return [hook for event in list(self.written) for hook in self.hooks(event)]


def place(written: Written) -> tuple[int, bool, bool, int]:
    number, hook = written
    return -hook.priority, hook.source.scope != "code", hook.agent is not None, number

"""Hooks by event, in the order in which they run: by priority, then code before files, then as written."""

from __future__ import annotations

import threading

from tenterhook.types import Hook


class Registry:
    """Safe to change while events are under way: readers see the tuple they took."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.written: dict[str, list[Hook]] = {}
        self.ordered: dict[str, tuple[Hook, ...]] = {}

    def add(self, *hooks: Hook) -> None:
        with self.lock:
            for hook in hooks:
                self.written.setdefault(hook.event, []).append(hook)
                self.ordered.pop(hook.event, None)

    def remove(self, hook: Hook) -> None:
        """Take one hook out; nothing happens where it is gone already."""
        with self.lock:
            there = self.written.get(hook.event, [])
            self.written[hook.event] = [one for one in there if one is not hook]
            self.ordered.pop(hook.event, None)

    def hooks(self, event: str) -> tuple[Hook, ...]:
        with self.lock:
            if event not in self.ordered:
                self.ordered[event] = tuple(sorted(self.written.get(event, ()), key=place))
            return self.ordered[event]

    def all(self) -> list[Hook]:
        return [hook for event in list(self.written) for hook in self.hooks(event)]


def place(hook: Hook) -> tuple[int, bool]:
    return -hook.priority, hook.source.scope != "code"

"""Hooks by event, in the order in which they run: by priority, then code before files, then as written."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from tenterhook.types import Hook


class Registry:
    """Safe to change while events are under way: readers see the tuple they took."""

    def __init__(self, hooks: Iterable[Hook] = ()) -> None:
        self.lock = threading.Lock()
        self.by_event: dict[str, tuple[Hook, ...]] = {}
        self.add(*hooks)

    def add(self, *hooks: Hook) -> None:
        with self.lock:
            by_event = {name: list(there) for name, there in self.by_event.items()}
            for hook in hooks:
                by_event.setdefault(hook.event, []).append(hook)
            self.by_event = {name: tuple(sorted(there, key=place)) for name, there in by_event.items()}

    def remove(self, hook: Hook) -> None:
        """Take one hook out; nothing happens where it is gone already."""
        with self.lock:
            left = tuple(there for there in self.by_event.get(hook.event, ()) if there is not hook)
            self.by_event = {**self.by_event, hook.event: left}
            if not left:
                del self.by_event[hook.event]

    def hooks(self, event: str) -> tuple[Hook, ...]:
        return self.by_event.get(event, ())

    def all(self) -> list[Hook]:
        return [hook for there in self.by_event.values() for hook in there]


def place(hook: Hook) -> tuple[int, bool]:
    return -hook.priority, hook.source.scope != "code"

"""The parts of one config, each made once and used for every event."""

from __future__ import annotations

import threading
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenterhook.errors import UsageError
from tenterhook.hosts.llxprt.aggregator import HookAggregator
from tenterhook.hosts.llxprt.handler import HookEventHandler
from tenterhook.hosts.llxprt.planner import HookPlanner
from tenterhook.hosts.llxprt.registry import HookRegistry, engine_of
from tenterhook.hosts.llxprt.runner import HookRunner

if TYPE_CHECKING:
    from tenterhook.hosts.llxprt.config import Config


class HookSystemNotInitializedError(UsageError):
    """`initialize` was not called before the system was used."""


class HookSystemStatus(Struct, frozen=True):
    initialized: bool
    total_hooks: int

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class Done:
    """A finished call that can be awaited: in the document it is asynchronous."""

    def __await__(self) -> Generator[None, None, None]:
        return
        yield


class HookSystem:
    """The hook system of a config, made on first use. `engine` runs the hooks: for taps, `add` and `close`."""

    def __init__(self, config: Config) -> None:
        self.engine = engine_of(config)
        self._registry = HookRegistry(self.engine)
        parts = HookPlanner(self.engine), HookRunner(self.engine), HookAggregator(self.engine)
        self._handler = HookEventHandler(config, self._registry, *parts)
        self._lock = threading.Lock()
        self._tried = False

    def initialize(self) -> Done:
        """Read the hooks; only the first call does, even if it fails."""
        with self._lock:
            if not self._tried:
                self._tried = True
                self._registry.initialize()
        return Done()

    def get_registry(self) -> HookRegistry:
        self._check()
        return self._registry

    def get_event_handler(self) -> HookEventHandler:
        self._check()
        return self._handler

    def get_status(self) -> HookSystemStatus:
        ready = self._registry.initialized
        return HookSystemStatus(ready, len(self._registry.get_all_hooks()) if ready else 0)

    def _check(self) -> None:
        if not self._registry.initialized:
            raise HookSystemNotInitializedError("the hook system is not ready: call initialize() first")

"""An engine with the hooks of one call, for APIs whose lists of hooks may change between two calls."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from tenterhook.engine.engine import Engine
from tenterhook.engine.registry import Registry
from tenterhook.types import Hook


def with_hooks(engine: Engine, hooks: Iterable[Hook]) -> Engine:
    """An engine with the same settings, taps, runner and journal, but with the hooks of one call."""
    engine.ready()
    engine.running()
    alone = copy(engine)
    alone.hookset = copy(engine.hookset)
    alone.hookset.registry, alone.hookset.compiled = Registry(), {}
    alone.put(*hooks)
    return alone

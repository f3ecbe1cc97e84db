"""What is said to people about a hook that is a Python script: whether it can run in a copy, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenterhook import handlers
from tenterhook.types import Attempt
from tenterhook.warm.script import NO_SCRIPT, recognised

if TYPE_CHECKING:
    from tenterhook.engine import Engine
    from tenterhook.slot import Slot
    from tenterhook.types import Event, Hook

COPY = "in a host that goes on, runs in a copy of a Python that is running already"
ALONE = "starts an interpreter each time: {}"


def words(engine: Engine, slot: Slot, event: Event, hook: Hook) -> str:
    """Empty for what is no Python script."""
    if not handlers.starts_child(hook.handler):
        return ""
    [job] = engine.jobs(slot, (hook,), event, event.data)
    program = handlers.get(hook.handler).program(job)  # type: ignore[union-attr]
    if isinstance(program, Attempt):
        return ""
    found = recognised(program.argv, program.env, program.cwd)
    if isinstance(found, str):
        return "" if found == NO_SCRIPT else ALONE.format(found)
    if not hook.warm:
        return ALONE.format("`warm` is false")
    return ALONE.format("its engine has no supervisor of its own") if engine.supervisor == "off" else COPY

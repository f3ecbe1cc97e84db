"""Tests of hooks: fire one in any dialect or in each, and see what the agent would do.

docs/write/testing.md shows all of it.

    firing.py       a hook, an event, and the dialect's own engine in between
    running.py      the hook called here, or its command line
    calling.py      a tool call in an agent's own words
    fired.py        the result: for the agent, the model and the user

`simulate` shows what answers mean without a hook; it is in engine/simulate.py. pytest finds its fixtures
in pytest_plugin.py, which every run of pytest loads: so names are imported when they are asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.engine.simulate import NOTHING_RUNS, Did, simulate
    from tenterhook.testing.fired import Fired, HookFailed
    from tenterhook.testing.firing import agents, each_dialect, fire

HOMES = {
    "NOTHING_RUNS": "engine.simulate",
    "Did": "engine.simulate",
    "Fired": "testing.fired",
    "HookFailed": "testing.fired",
    "agents": "testing.firing",
    "each_dialect": "testing.firing",
    "fire": "testing.firing",
    "simulate": "engine.simulate",
}

__all__ = ["NOTHING_RUNS", "Did", "Fired", "HookFailed", "agents", "each_dialect", "fire", "simulate"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in HOMES:
            raise AttributeError(f"module 'tenterhook.testing' has no attribute {name!r}")
        return getattr(__import__(f"tenterhook.{HOMES[name]}", fromlist=(name,)), name)

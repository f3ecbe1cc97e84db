"""Tests of hooks: fire one in any dialect or in each, and see what the agent would do. docs/testing.md shows all of it.

    firing.py       a hook, an event, and the dialect's own engine in between
    running.py      the hook called here, or its command line
    calling.py      a tool call in an agent's own words
    fired.py        what came of it: for the agent, the model and the user
    simulating.py   what answers mean, without a hook

pytest finds its fixtures in pytest_plugin.py.
"""

from tenterhook.testing.fired import Fired, HookFailed
from tenterhook.testing.firing import agents, each_dialect, fire
from tenterhook.testing.simulating import NOTHING_RUNS, Did, simulate

__all__ = ["NOTHING_RUNS", "Did", "Fired", "HookFailed", "agents", "each_dialect", "fire", "simulate"]

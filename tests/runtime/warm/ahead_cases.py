"""Copies that run a file ahead, in an engine with its own helper; test_ahead.py runs this in a process of its own."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from conftest import Project
from tenterhook.engine.engine import Engine
from tenterhook.runtime.supervisor import client
from tenterhook.runtime.warm import host
from tenterhook.support.fingerprint import stamp
from tenterhook.types import Outcome
from trust.conftest import Trusting

HOOK = "from tenterhook import hook\n\n\n"
COUNTING = f"""{HOOK}SEEN = []


@hook("tool.before", match="shell")
def count(event):
    SEEN.append(event.command)
    return hook.deny(f"{{len(SEEN)}} {{event.command}}")
"""


@pytest.fixture
def guarded(project: Project) -> Project:
    project.write("tenterhook.toml", '[[hook]]\nuse = "guard.py"\n')
    project.write("guard.py", COUNTING)
    return project


def engine_of(project: Project, trust: str) -> Engine:
    """An engine whose copies of the file are ready: on a busy machine that takes its time."""
    engine = project.engine("tenterhook", trust=trust, supervisor="auto")
    late = time.monotonic() + 60
    while not fire(engine, "first").attempts[0].warm:
        assert time.monotonic() < late, "no copy of the file got ready"
        time.sleep(0.1)
    return engine


def fire_warm(engine: Engine, command: str) -> Outcome:
    """The outcome of a call that a copy answered; one that comes before its copy is ready runs cold."""
    late = time.monotonic() + 60
    while not (outcome := fire(engine, command)).attempts[0].warm:
        assert time.monotonic() < late, "no copy of the file got ready"
        time.sleep(0.1)
    return outcome


def fire(engine: Engine, command: str) -> Outcome:
    outcome = engine.fire("tool.before", tool_name="Bash", tool_input={"command": command})
    assert host.wait()
    return outcome


def state_of(path: Path) -> host.ScriptState:
    warms = [helper.warm for helper in client.ours if helper.warm is not None]
    known = [one for warm in warms for one in warm.interpreters.values() if str(path) in one.files]
    assert len(known) == 1
    return known[0].files[str(path)]


def test_each_call_has_a_copy_of_its_own_of_the_file_as_it_is(guarded: Project) -> None:
    engine = engine_of(guarded, "all")
    outcomes = [fire_warm(engine, command) for command in ("a", "b", "c")]

    assert [one.reason for one in outcomes] == ["1 a", "1 b", "1 c"]
    assert state_of(guarded.root / "guard.py").word == "ready"
    guarded.write("guard.py", COUNTING.replace("{len(SEEN)}", "new"))
    assert [fire(engine, "d").reason for _ in range(3)] == ["new d"] * 3


def test_a_file_is_prepared_as_it_was_approved_and_not_as_it_was_changed(guarded: Project) -> None:
    old = time.time() - 10
    path = guarded.root / "guard.py"
    os.utime(path, (old, old))
    time.sleep(0.15)  # a file that was changed just now is not believed
    Trusting(guarded).approve()
    engine = engine_of(guarded, "ask")
    approved = stamp(path)
    assert state_of(path).stamp == approved

    guarded.write("guard.py", COUNTING.replace("{len(SEEN)}", "evil"))
    assert [one.error for one in fire(engine, "a").attempts] == ["modified"]
    assert state_of(path).stamp == approved

"""What the tests of processes share: programs to run, hosts to run them in, and looking at what is left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tenterhook.runtime.process import Batch, Completed, Program, Reactor

if TYPE_CHECKING:
    from tenterhook.runtime.supervisor.client import Helper

SRC = str(Path(__file__).parents[1] / "src")
ENV = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONPATH": SRC}
LINUX = sys.platform == "linux"
linux = pytest.mark.skipif(not LINUX, reason="needs /proc")


# Who starts programs: this process, or its helper.
way = ["own"]


@pytest.fixture(params=["own", pytest.param("helper", marks=linux)])
def both_ways(request: pytest.FixtureRequest) -> Iterator[str]:
    way[:] = [request.param]
    yield request.param
    way[:] = ["own"]


@pytest.fixture
def own_way(both_ways: str) -> None:
    """For what only concerns children of our own."""
    if both_ways != "own":
        pytest.skip("the helper does not do it that way")


def chosen() -> Helper | None:
    if way == ["own"]:
        return None
    from tenterhook.runtime.supervisor.client import helper

    return helper("auto")


def run(program: Program) -> Completed:
    return run_all([program])[0]


def run_all(programs: Sequence[Program], parallel: int = 64) -> list[Completed]:
    made = batch(parallel)
    for one in programs:
        made.add(one)
    return made.wait()


def batch(parallel: int = 64) -> Batch:
    return Batch(parallel, chosen())


def reactor(parallel: int = 64) -> Reactor:
    return Reactor(parallel, chosen())


def program(*argv: str, **options: Any) -> Program:
    return Program(argv, **{"stdin": b"{}", "env": ENV, "cwd": "/", "timeout": 20.0, **options})


def sh(text: str, **options: Any) -> Program:
    return program("/bin/sh", "-c", text, **options)


def in_a_host(text: str) -> str:
    """A host of its own, for what would disturb this one. Its stdout; a warning is an error."""
    argv = [sys.executable, "-W", "error", "-c", PRELUDE.format(way=way) + text]
    done = subprocess.run(argv, env=ENV, capture_output=True, text=True, timeout=120)
    assert (done.stderr, done.returncode) == ("", 0), done.stderr
    return done.stdout


PRELUDE = """
import os, signal, sys, threading, time
from functools import partial
from tenterhook.runtime.process import *
chosen = None
if {way} != ["own"]:
    from tenterhook.runtime.supervisor.client import helper
    chosen = helper("auto")
run, run_all, Batch, Reactor = (partial(one, helper=chosen) for one in (run, run_all, Batch, Reactor))
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored under nohup, and children inherit that
def sh(text, **options):
    usual = {{"stdin": b"{{}}", "env": os.environ, "cwd": "/", "timeout": 20.0}}
    return Program(("/bin/sh", "-c", text), **{{**usual, **options}})
"""


def within(seconds: float, true: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return not LINUX or Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (ProcessLookupError, FileNotFoundError):
        return False


def open_files() -> int:
    return len(os.listdir("/proc/self/fd" if LINUX else "/dev/fd"))

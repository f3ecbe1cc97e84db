"""What the rows of faults.py need: programs to run, hosts to run them in, and counting what is left behind."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from tenterhook.runtime import process
from tenterhook.runtime.process import Completed, Program, Reactor

if TYPE_CHECKING:
    from tenterhook.runtime.supervisor.client import Helper

# Outcomes are kept as ever, but not in the user's journal.
STATE = tempfile.mkdtemp(prefix="faults-")
atexit.register(shutil.rmtree, STATE, ignore_errors=True)
os.environ["XDG_STATE_HOME"] = STATE
ENV = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONPATH": sys.path[0], "XDG_STATE_HOME": STATE}

# What was measured, and whether that is enough; None where this machine cannot run it.
Figures = tuple[str, bool | None]
ROWS: dict[str, tuple[str, str, Callable[[], Figures]]] = {}


def row(name: str, what: str, goal: str) -> Callable[[Callable[[], Figures]], Callable[[], Figures]]:
    def keep(measure: Callable[[], Figures]) -> Callable[[], Figures]:
        ROWS[name] = (what, goal, measure)
        return measure

    return keep


def program(*argv: str, **options: Any) -> Program:
    return Program(argv, **{"stdin": b"{}", "env": ENV, "cwd": "/", "timeout": 25.0, **options})


def sh(text: str, **options: Any) -> Program:
    return program("/bin/sh", "-c", text, **options)


def helping() -> Helper | None:
    """Who starts hooks for an engine on this system."""
    if sys.platform != "linux":
        return None
    from tenterhook.runtime.supervisor.client import helper

    return helper("auto")


def run(program: Program) -> Completed:
    return process.run(program, helping())


def run_all(programs: Sequence[Program]) -> list[Completed]:
    return process.run_all(programs, helper=helping())


def reactor(parallel: int) -> Reactor:
    return Reactor(parallel, helping())


def open_files() -> int:
    return len(os.listdir("/dev/fd"))


def memory(field: str = "VmRSS") -> int:
    """Bytes; 0 where there is no /proc."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return 0


def children() -> int:
    """Ours and those of the helper's process that starts them, zombies too."""
    return sum(map(count, {os.getpid(), spawner()}))


@cache
def spawner() -> int:
    return int(run(sh("echo $PPID")).stdout)


def count(pid: int) -> int:
    tasks = Path(f"/proc/{pid}/task")
    with contextlib.suppress(OSError):
        return sum(len((task / "children").read_text().split()) for task in tasks.iterdir())
    return 0


def survivors(mark: str) -> int:
    """Processes that have `mark` in their environment, those we do not know of included."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            found += mark.encode() in path.read_bytes()
    return found


HOST = """
import os, signal, sys, threading, time
from functools import partial
from tenterhook.runtime.process import Program, run, run_all
if sys.platform == "linux":
    from tenterhook.runtime.supervisor.client import helper
    run, run_all = (partial(one, helper=helper("auto")) for one in (run, run_all))
def sh(text, **options):
    usual = {"stdin": b"{}", "env": {"PATH": os.environ["PATH"]}, "cwd": "/", "timeout": 20.0}
    return Program(("/bin/sh", "-c", text), **{**usual, **options})
"""


def host(text: str, **env: str) -> str:
    """The stdout of a Python of its own."""
    argv = [sys.executable, "-c", text]
    return subprocess.run(argv, env={**ENV, **env}, stdout=subprocess.PIPE, text=True, check=True, timeout=30).stdout

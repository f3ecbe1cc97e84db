"""What the tests of processes share: programs to run, hosts to run them in, and looking at what is left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenterhook.process import Program

SRC = str(Path(__file__).parents[1] / "src")
ENV = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONPATH": SRC}
LINUX = sys.platform == "linux"
linux = pytest.mark.skipif(not LINUX, reason="needs /proc")


def program(*argv: str, **options: Any) -> Program:
    return Program(argv, **{"stdin": b"{}", "env": ENV, "cwd": "/", "timeout": 20.0, **options})


def sh(text: str, **options: Any) -> Program:
    return program("/bin/sh", "-c", text, **options)


def in_a_host(text: str) -> str:
    """A host of its own, for what would disturb this one. Its stdout; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PRELUDE + text], env=ENV, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


PRELUDE = """
import os, signal, sys, threading, time
from tenterhook.process import *
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored under nohup, and children inherit that
def sh(text, **options):
    usual = {"stdin": b"{}", "env": os.environ, "cwd": "/", "timeout": 20.0}
    return Program(("/bin/sh", "-c", text), **{**usual, **options})
"""


def within(seconds: float, true: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not LINUX or Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"


def open_files() -> int:
    return len(os.listdir("/proc/self/fd" if LINUX else "/dev/fd"))

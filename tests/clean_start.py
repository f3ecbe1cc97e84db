"""The suite brings its own surroundings, so that a test fails for what it tests and not for where it was started.

`reset()` runs before any test module is imported. It keeps the few variables that say where things are, takes a home
of its own, and gives signals, umask and niceness their defaults: a shell that starts the tests in its background has
them ignore Ctrl-C, and every program that a test starts would inherit that.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

# All other variables are dropped. Those of Python, pip, cargo, git, the locale, XDG, proxies and agents change results.
KEPT = {"PATH", "USER", "LOGNAME", "TMPDIR", "TENTERHOOK_CLIENTS"}
KEPT_PREFIXES = ("PYTEST_XDIST_", "MUTANT_")
# Tools that look below HOME for themselves, and the variable that tells them where they are.
INSTALLED_BELOW_HOME = {"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo"}
# Python itself ignores these in every process.
IGNORED_BY_PYTHON = {signal.SIGPIPE, getattr(signal, "SIGXFSZ", signal.SIGPIPE)}


def reset() -> None:
    """Make this process, and so every process that a test starts, independent of who started it."""
    reset_environment()
    reset_signals()
    os.umask(0o022)
    with contextlib.suppress(PermissionError):  # only root may become less nice; the tests must pass all the same
        os.setpriority(os.PRIO_PROCESS, 0, 0)


def reset_environment() -> None:
    real_home = Path.home()
    kept = {name: value for name, value in os.environ.items() if name in KEPT or name.startswith(KEPT_PREFIXES)}
    for name, folder in INSTALLED_BELOW_HOME.items():
        place = os.environ.get(name) or str(real_home / folder)
        if os.access(place, os.R_OK | os.X_OK):
            kept[name] = place
    os.environ.clear()
    os.environ.update(kept, HOME=make_home(), LANG="C.UTF-8")
    os.environ.setdefault("PATH", os.defpath)
    time.tzset()


def make_home() -> str:
    home = tempfile.mkdtemp(prefix="home-of-tests-")
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # and not a fork of a test's
            shutil.rmtree(home, ignore_errors=True)

    atexit.register(remove)
    return home


def reset_signals() -> None:
    for number in signal.valid_signals() - IGNORED_BY_PYTHON:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@functools.cache
def works(*command: str) -> bool:
    """Whether a tool is there and runs: a wrapper on PATH may have nothing to wrap."""
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False

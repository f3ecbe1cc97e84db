"""Programs that the benchmarks install and start: where they are kept, what they see of our environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from figures import Unavailable

HERE = Path(__file__).parent
ROOT = HERE.parent
BENCH = ROOT / ".bench"
# No installation may keep a run waiting for longer.
PATIENCE = 900


def pip(*words: str) -> None:
    run([sys.executable, "-m", "pip", *words])


def npm(home: Path, *wanted: str, optional: bool = True) -> None:
    """Packages of npm, into a folder of their own. None of their scripts is run."""
    program = shutil.which("npm")
    if not program:
        raise Unavailable("no npm on this machine")
    words = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    words += [] if optional else ["--omit=optional"]
    finished(home, lambda: run([program, "install", "--prefix", str(home), *words, *wanted], telling=0))


def finished(home: Path, install: Callable[[], None]) -> None:
    """One that could not be finished is thrown away."""
    home.mkdir(parents=True, exist_ok=True)
    try:
        install()
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise


def run(argv: list[str], telling: int = -1) -> None:
    """A program that must succeed; `telling` is which line of what it says on stderr tells why it does not."""
    try:
        done = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise Unavailable(str(exc)) from exc
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Unavailable(f"{' '.join(argv[1:5])}: {said[telling]}")


def environment(home: str | None = None) -> dict[str, str]:
    """Ours without what changes how Python starts; with an empty home, so that no config of the user is read."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TENTERHOOK", "XDG_"))}
    return {**env, "HOME": home} if home else env

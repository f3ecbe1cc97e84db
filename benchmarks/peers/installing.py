"""Where each system comes from: ours from the present source, the others from their registries, pinned, into .bench."""

from __future__ import annotations

import os
import shutil
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from figures import Unavailable
from outside import BENCH, HERE, ROOT, finished, npm, pip
from peers.driver import Prepared

# amcp's hooks module is complete in itself, its 120 dependencies are not needed.
PACKAGES = {"amcp": ("--no-deps", "amcp-agent==0.13.0"), "massgen": ("massgen==0.1.97",)}
GEMINI = "@google/gemini-cli-core"
GEMINI_VERSION = "0.61.0"


def ours() -> Prepared:
    path = os.pathsep.join([str(HERE), str(ROOT / "src"), *sys.path])
    return Prepared((sys.executable, "-m", "peers.tenterhook"), {"PYTHONPATH": path})


def in_python(name: str) -> Callable[[], Prepared]:
    def prepared() -> Prepared:
        home = BENCH / PACKAGES[name][-1]
        python = home / "bin" / "python"
        if not python.exists():
            finished(home, lambda: into_environment(home, python, PACKAGES[name]))
        return Prepared((str(python), "-m", f"peers.{name}"), {"PYTHONPATH": str(HERE)})

    return prepared


def into_environment(home: Path, python: Path, words: tuple[str, ...]) -> None:
    venv.create(home, symlinks=True, with_pip=False)
    pip("--python", str(python), "install", "-q", *words)


def gemini() -> Prepared:
    node = shutil.which("node")
    if not node:
        raise Unavailable("no node on this machine")
    home = BENCH / f"gemini-cli-core-{GEMINI_VERSION}"
    package = home / "node_modules" / GEMINI
    if not package.exists():
        npm(home, f"{GEMINI}@{GEMINI_VERSION}", optional=False)
    argv = (node, "--expose-gc", str(HERE / "peers" / "gemini.mjs"), str(package))
    return Prepared(argv, {"BENCH_PYTHON": sys.executable})

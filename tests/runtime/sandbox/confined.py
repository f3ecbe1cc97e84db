"""A process that confines itself and then tries something, as the tester and as an ordinary user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tenterhook
from tenterhook.runtime.sandbox.proof import prove

PACKAGE = str(Path(tenterhook.__file__).parents[1])
NOBODY = 65534
CONFINED = """
import json, os, sys
from tenterhook.runtime.sandbox import Unavailable
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.sandbox.restrict import restrict
packed, mechanisms, code = json.loads(sys.stdin.read())
try:
    print(restrict(Profile(packed[0], *map(tuple, packed[1:])), tuple(mechanisms)), flush=True)
except Unavailable as exc:
    sys.exit(f"refused={exc.refused} {exc}")
exec(code)
"""


class Confined:
    """Runs Python code in a process that confined itself by one mechanism."""

    def __init__(self, mechanism: str, folder: Path) -> None:
        self.mechanism, self.folder = mechanism, folder

    def __call__(self, profile: Any, code: str) -> subprocess.CompletedProcess[str]:
        task = json.dumps([profile.pack(), [self.mechanism], code])
        done = python(CONFINED, task)

        assert done.stdout.startswith(self.mechanism), done.stderr
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.partition("\n")[2], done.stderr)


def python(code: str, stdin: str = "", interpreter: str = sys.executable, **options: Any) -> Any:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": PACKAGE, "PYTHONDONTWRITEBYTECODE": "1"}
    argv = [interpreter, "-c", code]
    return subprocess.run(argv, input=stdin, env=env, capture_output=True, text=True, timeout=60, **options)


def need(mechanism: str) -> None:
    found = prove("none", (mechanism,))
    if not found["mechanism"]:
        pytest.skip(f"this machine cannot confine by {mechanism}: {found['why']}")


def as_nobody(code: str) -> Any:
    """The same as an ordinary user; needs root, and a Python that others may run."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    for interpreter in dict.fromkeys((sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")):
        options: dict[str, Any] = {
            "user": NOBODY,
            "group": NOBODY,
            "extra_groups": [],
            "interpreter": interpreter,
            "cwd": "/",
        }
        try:
            if python("import tenterhook.runtime.sandbox.probes", **options).returncode == 0:
                return python(code, **options)
        except OSError:
            continue
    pytest.skip("no Python here that an ordinary user may run with this package")

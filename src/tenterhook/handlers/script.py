"""A Python file, run by the interpreter that runs tenterhook, with the event on its stdin."""

from __future__ import annotations

import os
import string
import sys
from typing import TYPE_CHECKING

from tenterhook.handlers import Traits
from tenterhook.handlers.command import FAILURES, attempt, build_program
from tenterhook.types import Attempt, Hook, Job

if TYPE_CHECKING:
    from tenterhook.runtime.process import Program

__all__ = ["TRAITS", "attempt", "command_line", "program"]

TRAITS = Traits(about="a Python file, in a process of its own", options=("args",), failures=FAILURES)


def program(job: Job) -> Program | Attempt:
    """The script's path is relative to the project; variables in it expand from the hook's environment."""
    from tenterhook.support.command_line import at_home

    spec, env = job.hook.spec, job.env()
    path = os.path.join(job.cwd, at_home(string.Template(spec["main"]).safe_substitute(env), env.get("HOME", "~")))
    if not os.path.isfile(path):
        detail = f"no script {path!r}; the path counts from the project folder"
        error = "missing" if job.look_first else "spawn"
        return Attempt(job.hook.name, "script", str(job.hook.source), error=error, detail=detail)
    return build_program(job, (sys.executable, path, *arguments(job.hook)))


def command_line(hook: Hook) -> list[str]:
    return ["python3", str(hook.spec.get("main")), *arguments(hook)]


def arguments(hook: Hook) -> list[str]:
    args = hook.spec.get("args") or []
    return [args] if isinstance(args, str) else args

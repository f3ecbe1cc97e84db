"""A Python file, run by the interpreter that runs tenterhook, with the event on its stdin."""

from __future__ import annotations

import os
import string
import sys

from tenterhook.handlers.command import attempt, build_program
from tenterhook.runtime.process import Program
from tenterhook.support.command_line import at_home
from tenterhook.types import Attempt, Job

__all__ = ["attempt", "program"]


def program(job: Job) -> Program | Attempt:
    """The script's path counts from the project; variables in it expand from the hook's environment."""
    spec, env = job.hook.spec, job.env()
    path = os.path.join(job.cwd, at_home(string.Template(spec["main"]).safe_substitute(env), env.get("HOME", "~")))
    if not os.path.isfile(path):
        detail = f"no script {path!r}; the path counts from the project folder"
        error = "missing" if job.look_first else "spawn"
        return Attempt(job.hook.name, "script", str(job.hook.source), error=error, detail=detail)
    args = spec.get("args", [])
    return build_program(job, (sys.executable, path, *([args] if isinstance(args, str) else args)))

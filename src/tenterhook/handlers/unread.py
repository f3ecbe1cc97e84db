"""A hook in a file that cannot be read: it fails, so that a guard in that file is not silently lost."""

from __future__ import annotations

from tenterhook.handlers import Traits
from tenterhook.types import Attempt, Job

TRAITS = Traits(about="a hook of a file that cannot be read: it fails")


def inline(job: Job) -> bool:
    return True


def run(job: Job) -> Attempt:
    hook = job.hook
    return Attempt(hook.name, hook.handler, str(hook.source), error="spawn", detail=hook.spec["main"])

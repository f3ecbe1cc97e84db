"""A hook that stands in a file which cannot be read: it fails, so that what it was there for is not forgotten."""

from __future__ import annotations

from tenterhook.handlers import Traits
from tenterhook.types import Attempt, Job

TRAITS = Traits(about="a hook of a file that cannot be read: it fails")


def inline(job: Job) -> bool:
    return True


def run(job: Job) -> Attempt:
    hook = job.hook
    return Attempt(hook.name, hook.handler, str(hook.source), error="spawn", detail=hook.spec["main"])

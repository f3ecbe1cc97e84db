"""A hook that stands in a file which cannot be read: it fails, so that what it was there for is not forgotten."""

from __future__ import annotations

from tenterhook.types import Attempt, Job


def inline(job: Job) -> bool:
    return True


def run(job: Job) -> Attempt:
    hook = job.hook
    return Attempt(hook.name, hook.handler, str(hook.source), error="spawn", detail=hook.spec["main"])

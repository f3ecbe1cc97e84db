"""A model judges the event in one turn: ok false denies, ok true decides nothing."""

from __future__ import annotations

import asyncio

from tenterhook.judge import LEEWAY, judged
from tenterhook.types import Attempt, Job

__all__ = ["LEEWAY", "arun", "run"]


async def arun(job: Job) -> Attempt:
    return await judged(job)


def run(job: Job) -> Attempt:
    """On a loop of its own, in the runner's thread."""
    return asyncio.run(arun(job))

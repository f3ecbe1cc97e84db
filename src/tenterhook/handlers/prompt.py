"""A model judges the event in one turn: ok false denies, ok true decides nothing."""

from __future__ import annotations

import asyncio

from tenterhook.clients.judge import LEEWAY, run_model_judge
from tenterhook.types import Attempt, Job

__all__ = ["LEEWAY", "arun", "run"]


async def arun(job: Job) -> Attempt:
    return await run_model_judge(job)


def run(job: Job) -> Attempt:
    """On a loop of its own, in the runner's thread."""
    return asyncio.run(arun(job))

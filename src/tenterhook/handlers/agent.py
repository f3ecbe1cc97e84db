"""A model judges the event and may look at the project's files first: Read, Grep and Glob, nothing that changes."""

from __future__ import annotations

import asyncio

from tenterhook.clients.judge import LEEWAY, run_model_judge
from tenterhook.clients.judge.tools import JudgeTools
from tenterhook.types import Attempt, Job

__all__ = ["LEEWAY", "arun", "run"]


async def arun(job: Job) -> Attempt:
    return await run_model_judge(job, JudgeTools(job.cwd, job.env()))


def run(job: Job) -> Attempt:
    """On a loop of its own, in the runner's thread."""
    return asyncio.run(arun(job))

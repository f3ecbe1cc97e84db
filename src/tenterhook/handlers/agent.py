"""A model judges the event and may first read the project's files: Read, Grep and Glob, which change nothing."""

from __future__ import annotations

from tenterhook.handlers import Traits
from tenterhook.handlers.prompt import FAILURES, LEEWAY
from tenterhook.types import Attempt, Job

TRAITS = Traits(
    about="a model is asked that can read and search the project's files",
    options=("model", "max_tokens", "max_turns", "continueOnBlock", "ends_turn"),
    failures=FAILURES,
    reads_answer=True,
    leeway=LEEWAY,
)


async def arun(job: Job) -> Attempt:
    from tenterhook.clients.judge import run_model_judge
    from tenterhook.clients.judge.tools import JudgeTools

    return await run_model_judge(job, JudgeTools(job.cwd, job.env()))


def run(job: Job) -> Attempt:
    """Run on a new event loop, in the runner's thread."""
    import asyncio

    return asyncio.run(arun(job))

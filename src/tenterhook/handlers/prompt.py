"""A model judges the event in one turn: ok false denies, ok true decides nothing."""

from __future__ import annotations

from tenterhook.handlers import Traits
from tenterhook.types import Attempt, Job

FAILURES = ("network", "output", "spawn", "timeout")
# Seconds past the time-out for closing connections, which takes at most CLOSING of clients/judge.
LEEWAY = 1.0
TRAITS = Traits(
    about="a model is asked, in one turn",
    options=("model", "max_tokens", "continueOnBlock", "ends_turn", "stop_cap"),
    failures=FAILURES,
    reads_answer=True,
    leeway=LEEWAY,
)


async def arun(job: Job) -> Attempt:
    from tenterhook.clients.judge import run_model_judge

    return await run_model_judge(job)


def run(job: Job) -> Attempt:
    """Run on a new event loop, in the runner's thread."""
    import asyncio

    return asyncio.run(arun(job))

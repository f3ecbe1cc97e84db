"""The OpenAI Agents SDK: its Agent in our runner, and OpenAI's chat completions."""

from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, RunConfig, function_tool
from openai import AsyncOpenAI

from adapters.driver import Job
from tenterhook.adapters.openai_agents import HookRunner, PromptRefused

CANNOT: dict[str, str] = {}
QUIET = RunConfig(tracing_disabled=True)


def parts(job: Job) -> tuple[HookRunner, Any]:
    client = AsyncOpenAI(base_url=f"{job.model.url}/v1", api_key="k", max_retries=0)
    tools = [function_tool(function, name_override=name) for name, function in job.tools.items()]
    runner = HookRunner(job.engine, permission=job.permission, tell=job.tell)
    return runner, Agent(name="helper", model=OpenAIChatCompletionsModel("m", client), tools=list(tools))


def run(job: Job) -> str:
    import asyncio

    if job.stream:
        return asyncio.run(arun(job))
    runner, agent = parts(job)
    try:
        return str(runner.run_sync(agent, job.prompt, run_config=QUIET).final_output)
    except PromptRefused as refused:
        return str(refused)


async def arun(job: Job) -> str:
    runner, agent = parts(job)
    try:
        if not job.stream:
            return str((await runner.run(agent, job.prompt, run_config=QUIET)).final_output)
        result = await runner.run_streamed(agent, job.prompt, run_config=QUIET)
    except PromptRefused as refused:
        return str(refused)
    async for _ in result.stream_events():
        pass
    return str(result.final_output)


def approve(job: Job, answer: bool) -> tuple[Any, str]:
    """The SDK's interruptions: the run's state is approved or rejected, and run on."""
    _, agent = parts(job)
    runner = HookRunner(job.engine, approval=True)
    waiting = runner.run_sync(agent, job.prompt, run_config=QUIET)
    (asked,) = waiting.interruptions
    state = waiting.to_state()
    (state.approve if answer else state.reject)(asked)
    return asked.raw_item.arguments, str(runner.run_sync(agent, state, run_config=QUIET).final_output)

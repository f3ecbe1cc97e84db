"""Agno: an Agent with hooks, and OpenAI's chat completions."""

# needs: openai

from typing import Any

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.tools.function import Function

from adapters.driver import Job
from tenterhook.adapters.agno import add_hooks

CANNOT: dict[str, str] = {}


def agent(job: Job) -> Any:
    model = OpenAIChat(id="m", base_url=f"{job.model.url}/v1", api_key="k", max_retries=0)
    tools = [Function.from_callable(function, name=name) for name, function in job.tools.items()]
    made = Agent(model=model, tools=tools, telemetry=False)
    return add_hooks(made, job.engine, permission=job.permission, tell=job.tell)


def run(job: Job) -> str:
    if not job.stream:
        return str(agent(job).run(job.prompt).content)
    return last_words(list(agent(job).run(job.prompt, stream=True)))


async def arun(job: Job) -> str:
    if not job.stream:
        return str((await agent(job).arun(job.prompt)).content)
    return last_words([event async for event in agent(job).arun(job.prompt, stream=True)])


def last_words(events: list[Any]) -> str:
    return "".join(str(event.content) for event in events if event.event == "RunContent" and event.content)

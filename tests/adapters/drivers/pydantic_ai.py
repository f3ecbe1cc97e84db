"""Pydantic AI: an Agent with the capability, and OpenAI's chat completions."""

# needs: pydantic-ai-slim[openai]

from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent, Tool
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from adapters.driver import Job
from tenterhook.adapters.pydantic_ai import HookCapability

CANNOT: dict[str, str] = {}


def agent(job: Job) -> Any:
    client = AsyncOpenAI(base_url=f"{job.model.url}/v1", api_key="k", max_retries=0)
    tools = [Tool(function, name=name) for name, function in job.tools.items()]
    hooks = HookCapability(job.engine, permission=job.permission, tell=job.tell)
    return Agent(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)), tools=tools, capabilities=[hooks])


def run(job: Job) -> str:
    import asyncio

    return asyncio.run(arun(job)) if job.stream else str(agent(job).run_sync(job.prompt).output)


async def arun(job: Job) -> str:
    if not job.stream:
        return str((await agent(job).run(job.prompt)).output)
    async with agent(job).run_stream(job.prompt) as streamed:
        return str(await streamed.get_output())

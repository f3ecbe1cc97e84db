"""Microsoft Agent Framework: an Agent with the middleware, and OpenAI's chat completions."""

# needs: agent-framework-openai

import asyncio
from typing import Any

from agent_framework import Agent, tool
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI

from adapters.driver import Job
from tenterhook.adapters.agent_framework import hook_middleware

CANNOT: dict[str, str] = {}


def run(job: Job) -> str:
    return asyncio.run(arun(job))


async def arun(job: Job) -> str:
    openai = AsyncOpenAI(base_url=f"{job.model.url}/v1", api_key="k", max_retries=0)
    client = OpenAIChatCompletionClient(model="m", async_client=openai)
    tools: list[Any] = [
        tool(function, name=name, description=function.__doc__, approval_mode="never_require")
        for name, function in job.tools.items()
    ]
    middleware = hook_middleware(job.engine, permission=job.permission, tell=job.tell)
    agent = Agent(client, tools=tools, middleware=[middleware])
    if not job.stream:
        return (await agent.run(job.prompt)).text
    stream = agent.run(job.prompt, stream=True)
    async for _ in stream:
        pass
    return (await stream.get_final_response()).text

"""Pydantic AI: an Agent with the capability, and OpenAI's chat completions."""

# needs: pydantic-ai-slim[openai]

from typing import Any

from openai import AsyncOpenAI
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, Tool
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from adapters.driver import Job
from tenterhook.adapters.pydantic_ai import HookCapability

CANNOT: dict[str, str] = {}


def agent(job: Job, capability: HookCapability | None = None, **options: Any) -> Any:
    client = AsyncOpenAI(base_url=f"{job.model.url}/v1", api_key="k", max_retries=0)
    tools = [Tool(function, name=name) for name, function in job.tools.items()]
    hooks = capability or HookCapability(job.engine, permission=job.permission, tell=job.tell)
    return Agent(
        OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)),
        tools=tools,
        capabilities=[hooks],
        **options,
    )


def run(job: Job) -> str:
    import asyncio

    return asyncio.run(arun(job)) if job.stream else str(agent(job).run_sync(job.prompt).output)


async def arun(job: Job) -> str:
    if not job.stream:
        return str((await agent(job).run(job.prompt)).output)
    async with agent(job).run_stream(job.prompt) as streamed:
        return str(await streamed.get_output())


def approve(job: Job, answer: bool) -> tuple[Any, str]:
    """Deferred tool calls, which end the run and are answered with the next one."""
    asking = agent(job, HookCapability(job.engine, approval=True), output_type=[str, DeferredToolRequests])
    waiting = asking.run_sync(job.prompt)
    (call,) = waiting.output.approvals
    answers = DeferredToolResults(approvals={call.tool_call_id: answer})
    said = asking.run_sync(message_history=waiting.all_messages(), deferred_tool_results=answers)
    return waiting.output.metadata[call.tool_call_id], str(said.output)

"""Strands: an Agent with the hook provider, and OpenAI's chat completions, which Strands always streams."""

# needs: strands-agents[openai]

from typing import Any

from strands import Agent
from strands import tool as strands_tool
from strands.models.openai import OpenAIModel

from adapters.driver import Job
from tenterhook.adapters.strands import StrandsHooks

CANNOT: dict[str, str] = {}


def agent(job: Job, provider: StrandsHooks | None = None) -> Any:
    client = {"base_url": f"{job.model.url}/v1", "api_key": "k", "max_retries": 0}
    tools = [strands_tool(name=name)(function) for name, function in job.tools.items()]
    hooks = provider or StrandsHooks(job.engine, permission=job.permission, tell=job.tell)
    model = OpenAIModel(client_args=client, model_id="m")
    return Agent(model=model, tools=tools, hooks=[hooks], callback_handler=None)


def run(job: Job) -> str:
    return str(agent(job)(job.prompt)).strip()


async def arun(job: Job) -> str:
    return str(await agent(job).invoke_async(job.prompt)).strip()


def approve(job: Job, answer: bool) -> tuple[Any, str]:
    """Strands' interrupts, answered with the next call of the agent."""
    asking = agent(job, StrandsHooks(job.engine, interrupt=True))
    (asked,) = asking(job.prompt).interrupts
    response = {"interruptResponse": {"interruptId": asked.id, "response": "yes" if answer else "no"}}
    return asked.reason, str(asking([response])).strip()

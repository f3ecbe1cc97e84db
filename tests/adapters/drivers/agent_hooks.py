"""AGENT-HOOKS-0.1: an Agent of the Agent Framework, whose bundle of that contract has the interceptor."""

# needs: agent-framework-core agent-framework-openai agent-hooks-sdk[ctk]

import asyncio
from typing import Any

from agent_framework import Agent, create_agent_hooks_middleware, tool
from agent_framework.openai import OpenAIChatCompletionClient
from agent_hooks import ApprovalOutcome, ApprovalRequest, ApprovalResolution, InterceptionBlocked, Verdict
from openai import AsyncOpenAI

from adapters.driver import Job
from tenterhook.adapters.agent_hooks import HookInterceptor

CANNOT: dict[str, str] = {
    "a_stop_hook_sends_the_agent_back_to_work": "a deny at the output ends the run; no verdict asks the model again",
    "hooks_narrow_the_tools_of_a_request": "a verdict changes a request's messages, not its tools; calls are refused",
    "a_failing_tool_is_told_to_hooks": "the Agent Framework tells an interceptor the type of an error, not its text",
}


def run(job: Job) -> str:
    return asyncio.run(arun(job))


async def arun(job: Job, resolver: Any = None) -> str:
    openai = AsyncOpenAI(base_url=f"{job.model.url}/v1", api_key="k", max_retries=0)
    client = OpenAIChatCompletionClient(model="m", async_client=openai)
    tools: list[Any] = [
        tool(function, name=name, description=function.__doc__, approval_mode="never_require")
        for name, function in job.tools.items()
    ]
    interceptor = HookInterceptor(job.engine, permission=job.permission, tell=job.tell)
    middleware = create_agent_hooks_middleware([interceptor], resolver=resolver, timeout=None)
    agent = Agent(client, tools=tools, middleware=[middleware])
    try:
        if not job.stream:
            return (await agent.run(job.prompt)).text
        stream = agent.run(job.prompt, stream=True)
        async for _ in stream:
            pass
        return (await stream.get_final_response()).text
    except InterceptionBlocked as blocked:
        return str(blocked.result.verdict.reason)


def approve(job: Job, answer: bool) -> tuple[Any, str]:
    """The contract's approval resolver."""
    asked: list[str] = []

    class Person:
        def resolve(self, request: ApprovalRequest) -> ApprovalResolution:
            asked.append(str(request.verdict.reason))
            verdict = Verdict.allow() if answer else Verdict.deny(reason="no")
            outcome = ApprovalOutcome.APPROVE if answer else ApprovalOutcome.REJECT
            return ApprovalResolution(outcome, request.context_identity, verdict)

    said = asyncio.run(arun(job, Person()))
    return asked, said

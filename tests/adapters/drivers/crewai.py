"""CrewAI: an Agent alone or in a Crew, in a block with hooks, and OpenAI's chat completions."""

# needs: crewai

import os
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

from crewai import LLM, Agent, Crew, Task
from crewai.hooks import HookAborted
from crewai.tools import tool

from adapters.driver import Job
from tenterhook.adapters.crewai import CrewRun, crew_hooks

CANNOT: dict[str, str] = {
    "hooks_narrow_the_tools_of_a_request": "a point has a request's messages, not its tools; calls are refused",
}


def agent(job: Job, hooks: CrewRun) -> Any:
    llm = LLM(model="openai/gpt-4o", base_url=f"{job.model.url}/v1", api_key="k", stream=job.stream)
    tools = [tool(name)(function) for name, function in job.tools.items()]
    about = {"role": "worker", "goal": "work", "backstory": "You work."}
    return Agent(**about, llm=llm, tools=tools, verbose=False, guardrail=hooks.guardrail)


def run(job: Job) -> str:
    with crew_hooks(job.engine, permission=job.permission, tell=job.tell) as hooks:
        try:
            return str(agent(job, hooks).kickoff(job.prompt).raw)
        except HookAborted as aborted:
            return aborted.reason


async def arun(job: Job) -> str:
    with crew_hooks(job.engine, permission=job.permission, tell=job.tell) as hooks:
        try:
            worker = agent(job, hooks)
            task = Task(description=job.prompt, expected_output="a text", agent=worker, guardrail=hooks.guardrail)
            return str((await Crew(agents=[worker], tasks=[task]).kickoff_async()).raw)
        except HookAborted as aborted:
            return aborted.reason

"""LangChain: `create_agent` with the middleware, and ChatOpenAI."""

# needs: langchain-openai

from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from adapters.driver import Job
from tenterhook.adapters.langchain import HookMiddleware

CANNOT: dict[str, str] = {}


def agent(job: Job, middleware: HookMiddleware | None = None, checkpointer: Any = None) -> Any:
    model = ChatOpenAI(model="m", base_url=f"{job.model.url}/v1", api_key="k", streaming=job.stream, max_retries=0)
    tools = [StructuredTool.from_function(function, name=name) for name, function in job.tools.items()]
    hooks = middleware or HookMiddleware(job.engine, permission=job.permission, tell=job.tell)
    return create_agent(model, tools, middleware=[hooks], checkpointer=checkpointer)


def run(job: Job) -> str:
    said = agent(job).invoke({"messages": [{"role": "user", "content": job.prompt}]})
    return str(said["messages"][-1].text)


async def arun(job: Job) -> str:
    said = await agent(job).ainvoke({"messages": [{"role": "user", "content": job.prompt}]})
    return str(said["messages"][-1].text)


def approve(job: Job, answer: bool) -> tuple[Any, str]:
    """LangGraph's interrupt, and a checkpointer that keeps the run."""
    config: Any = {"configurable": {"thread_id": "1"}}
    asking = agent(job, HookMiddleware(job.engine, interrupt=True), InMemorySaver())
    waiting = asking.invoke({"messages": [{"role": "user", "content": job.prompt}]}, config)
    said = asking.invoke(Command(resume=answer), config)
    return waiting["__interrupt__"][0].value, str(said["messages"][-1].text)

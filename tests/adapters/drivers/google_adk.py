"""Google ADK: a Runner with the plugin, and the Gemini API."""

import asyncio
import inspect
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models.google_llm import Gemini
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool
from google.genai import Client, types

from adapters.driver import Job
from tenterhook.adapters.google_adk import HookPlugin

CANNOT: dict[str, str] = {}


class Loopback(Gemini):
    """Gemini with the address of the suite's server."""

    url: str = ""

    @property
    def api_client(self) -> Client:
        return Client(api_key="k", http_options=types.HttpOptions(base_url=self.url))


def named(name: str, function: Any) -> FunctionTool:
    def call(**given: Any) -> Any:
        return function(**given)

    call.__name__, call.__doc__ = name, function.__doc__
    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    call.__annotations__ = {"return": str, **dict.fromkeys(inspect.signature(function).parameters, str)}
    return FunctionTool(call)


def run(job: Job) -> str:
    return asyncio.run(arun(job))


async def arun(job: Job) -> str:
    tools: list[Any] = [named(name, function) for name, function in job.tools.items()]
    agent = LlmAgent(name="helper", model=Loopback(model="gemini-2.5-flash", url=job.model.url), tools=tools)
    plugin = HookPlugin(job.engine, permission=job.permission, tell=job.tell)
    runner = InMemoryRunner(app=App(name="suite", root_agent=agent, plugins=[plugin]))
    session = await runner.session_service.create_session(app_name="suite", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=job.prompt)])
    config = RunConfig(streaming_mode=StreamingMode.SSE if job.stream else StreamingMode.NONE)
    said = ""
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message, run_config=config):
        if event.is_final_response() and event.content and event.content.parts and not event.partial:
            said = "".join(part.text or "" for part in event.content.parts)
    return said

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
    plugin = HookPlugin(job.engine, permission=job.permission, tell=job.tell)
    runner = runner_of(job, plugin)
    session = await runner.session_service.create_session(app_name="suite", user_id="u")
    events = await send(runner, session.id, types.Part(text=job.prompt), stream=job.stream)
    return last_words(events)


def approve(job: Job, answer: bool) -> tuple[Any, str]:
    """ADK's tool confirmation: a function call of its own, whose response is the person's answer."""

    async def both() -> tuple[Any, str]:
        runner = runner_of(job, HookPlugin(job.engine, confirmation=True))
        session = await runner.session_service.create_session(app_name="suite", user_id="u")
        events = await send(runner, session.id, types.Part(text=job.prompt))
        calls = [call for event in events for call in event.get_function_calls() if "confirmation" in call.name]
        (asked,) = calls
        response = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": answer})
        events = await send(runner, session.id, types.Part(function_response=response))
        return asked.args["toolConfirmation"], last_words(events)

    return asyncio.run(both())


def runner_of(job: Job, plugin: HookPlugin) -> InMemoryRunner:
    tools: list[Any] = [named(name, function) for name, function in job.tools.items()]
    agent = LlmAgent(name="helper", model=Loopback(model="gemini-2.5-flash", url=job.model.url), tools=tools)
    return InMemoryRunner(app=App(name="suite", root_agent=agent, plugins=[plugin]))


async def send(runner: InMemoryRunner, session: str, part: types.Part, *, stream: bool = False) -> list[Any]:
    message = types.Content(role="user", parts=[part])
    config = RunConfig(streaming_mode=StreamingMode.SSE if stream else StreamingMode.NONE)
    run = runner.run_async(user_id="u", session_id=session, new_message=message, run_config=config)
    return [event async for event in run]


def last_words(events: list[Any]) -> str:
    final = [event for event in events if event.is_final_response() and event.content and not event.partial]
    return "".join(part.text or "" for part in final[-1].content.parts) if final else ""

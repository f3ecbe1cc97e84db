"""What is Agno's alone: tools that yield, calls without input, and agents that hooks could not guard."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.team import Team

from adapters.model_server import ScriptedModel, Turn, model_server
from tenterhook import Engine, hook
from tenterhook.adapters.agno import add_hooks
from tenterhook.errors import UsageError


@pytest.fixture
def engine() -> Any:
    with Engine(files=False, mode="strict") as made:
        yield made


def model_of(model: ScriptedModel) -> Any:
    return OpenAIChat(id="m", base_url=f"{model.url}/v1", api_key="k", max_retries=0)


def say(word: str) -> Iterator[str]:
    """Say a word."""
    yield "the word "
    yield word


async def asay(word: str) -> AsyncIterator[str]:
    """Say a word."""
    yield "the word "
    yield word


@pytest.mark.parametrize("tool", [say, asay])
def test_the_output_of_a_tool_that_yields_is_judged_whole(engine: Engine, tool: Callable[..., Any]) -> None:
    @engine.on("tool.after")
    def hide(event: Any) -> Any:
        return {"output": "[hidden]"}

    with model_server(Turn(calls=(("c1", tool.__name__, {"word": "key"}),)), Turn("Over.")) as model:
        agent = add_hooks(Agent(model=model_of(model), tools=[tool], telemetry=False), engine)
        asyncio.run(agent.arun("Go."))

    assert model.result("c1") == "[hidden]"


def test_a_call_without_input_is_refused_if_a_hook_gives_it_one(engine: Engine) -> None:
    ran: list[str] = []

    def clean() -> str:
        """Clean."""
        ran.append("clean")
        return "ran"

    @engine.on("tool.before", match="clean")
    def careful(event: Any) -> Any:
        return hook.rewrite(dry=True)

    with model_server(Turn(calls=(("c1", "clean", {}),)), Turn("Over.")) as model:
        add_hooks(Agent(model=model_of(model), tools=[clean], telemetry=False), engine).run("Go.")

    assert ran == []
    assert "cannot pass one" in model.result("c1")


@pytest.mark.parametrize("kind", [Agent, Team])
def test_a_prompt_is_judged_though_agno_skips_the_guardrail(engine: Engine, kind: Any) -> None:
    @engine.on("prompt.submit")
    def refuse(event: Any) -> Any:
        return hook.deny("No card numbers.") if "4111" in event["prompt"] else None

    with model_server(Turn("Fine."), Turn("never")) as model:
        members = {"members": [Agent(name="x", model=model_of(model))]} if kind is Team else {}
        agent = add_hooks(kind(model=model_of(model), telemetry=False, **members), engine)
        asyncio.run(agent.arun("Go."))  # from now on Agno has the guardrail's async form, and skips it in run()
        said = agent.run("4111").content

    assert said == "No card numbers."
    assert len(model.requests) == 1


@pytest.mark.parametrize("options", [{}, {"model": OpenAIChat(id="m"), "fallback_models": [OpenAIChat(id="n")]}])
def test_an_agent_whose_requests_hooks_would_not_see_is_refused(engine: Engine, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="model"):
        add_hooks(Agent(**options), engine)

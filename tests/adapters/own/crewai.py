"""What is CrewAI's alone: hooks of a block and of nothing else, and errors that CrewAI would swallow."""

import os
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

import pytest
from crewai import LLM, Agent
from crewai.hooks import HookAborted
from crewai.tools import tool

from adapters.model_server import ScriptedModel, Turn, model_server
from tenterhook import Engine, hook
from tenterhook.adapters.crewai import CrewRun, crew_hooks

CALL = Turn(calls=(("c1", "shell", {"command": "ls"}),))


class Shell:
    """An agent with one tool, and what that tool was called with."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def kickoff(self, model: ScriptedModel) -> str:
        @tool("shell")
        def shell(command: str) -> str:
            """Run a command."""
            self.ran.append(command)
            return f"ran {command}"

        llm = LLM(model="openai/gpt-4o", base_url=f"{model.url}/v1", api_key="k")
        return str(Agent(role="w", goal="g", backstory="b", llm=llm, tools=[shell]).kickoff("Go.").raw)


@pytest.fixture
def engine() -> Any:
    with Engine(files=False, mode="strict") as made:
        made.on("tool.before", match="shell")(lambda event: hook.deny("No."))
        yield made


def test_what_runs_after_the_block_has_no_hooks(engine: Engine) -> None:
    inside, after = Shell(), Shell()
    with model_server(CALL, Turn("Over."), CALL, Turn("Over.")) as model:
        with crew_hooks(engine):
            inside.kickoff(model)
        after.kickoff(model)

    assert (inside.ran, after.ran) == ([], ["ls"])


@pytest.mark.parametrize("broken", ["enter_prompt", "render_result"])
def test_a_failure_of_ours_is_a_refusal(engine: Engine, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> Any:
        raise RuntimeError("out of order")

    monkeypatch.setattr(CrewRun, broken, fail)
    shell = Shell()
    with model_server(CALL, Turn("Over.")) as model, crew_hooks(engine):
        if broken == "enter_prompt":
            with pytest.raises(HookAborted, match="out of order"):
                shell.kickoff(model)
        else:
            shell.kickoff(model)
            assert "withheld: out of order" in model.result("c1")

    assert shell.ran == []


def test_a_stop_hook_ends_the_run_where_no_guardrail_can_send_the_agent_back(engine: Engine) -> None:
    engine.on("turn.stop")(lambda event: hook.deny("Run the tests first."))
    with (
        model_server(Turn("Finished.")) as model,
        crew_hooks(engine),
        pytest.raises(HookAborted, match=r"Run the tests first\."),
    ):
        Shell().kickoff(model)

    assert len(model.requests) == 1

"""The Claude Agent SDK: what only its adapter can get wrong. Run with the suite, in the SDK's environment."""

import asyncio
from typing import Any

import pytest

from adapters.driver import Job
from adapters.drivers import claude_agent_sdk as driver
from adapters.model_server import Turn, model_server
from tenterhook import Engine, hook
from tenterhook.adapters import claude_agent_sdk as adapter
from tenterhook.errors import UsageError


def run(engine: Engine) -> list[str]:
    """The commands that ran."""
    ran: list[str] = []

    def shell(command: str) -> str:
        ran.append(command)
        return "ran"

    turns = (Turn(calls=(("c1", driver.TOOL_NAME.format("shell"), {"command": "ls"}),)), Turn("Done."))
    with model_server(*turns) as model:
        asyncio.run(driver.arun(Job(engine, model, {"shell": shell})))
    return ran


def test_an_error_of_the_adapter_itself_is_not_an_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*words: Any) -> Any:
        raise RuntimeError("broken")

    with Engine(files=False) as engine:
        assert run(engine) == ["ls"]
        monkeypatch.setattr(adapter, "answer_event", broken)
        assert run(engine) == []


def test_a_call_that_cannot_be_read_is_refused() -> None:
    with Engine(files=False) as engine:
        engine.on("tool.before")(lambda event: hook.allow())
        with pytest.raises(Exception, match="cannot be checked"):
            adapter.answer_event(engine, {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": 3})


def test_the_moments_of_a_turn_come_in_order() -> None:
    seen: list[str] = []
    with Engine(files=False) as engine:
        for kind in ("prompt.submit", "tool.before", "tool.after", "turn.stop"):
            engine.on(kind)(lambda event, kind=kind: seen.append(kind))
        run(engine)

    assert seen == ["prompt.submit", "tool.before", "tool.after", "turn.stop"]


def test_hooks_that_cannot_run_are_named(caplog: pytest.LogCaptureFixture) -> None:
    with Engine(files=False) as engine:
        engine.on("model.before")(lambda event: None)
        adapter.hooks(engine)
    assert "hooks on model.before do not run" in caplog.text


def test_an_engine_of_another_dialect_is_refused() -> None:
    with Engine(files=False, dialect="claude") as engine, pytest.raises(UsageError, match="'claude' run in the agent"):
        adapter.hooks(engine)

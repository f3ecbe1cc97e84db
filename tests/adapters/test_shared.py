"""What adapters share, without an SDK: calls in two halves, sessions by conversation, and results as text."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tenterhook import Engine, ToolResult, hook
from tenterhook.adapters import live_updates, plain_messages, sessions, waiting_calls
from tenterhook.adapters.live_updates import LiveUpdates
from tenterhook.adapters.pending_call import PendingCall
from tenterhook.adapters.sessions import Sessions
from tenterhook.adapters.waiting_calls import ApprovedCall, WaitingCalls, key_of

ROOT = Path(__file__).parents[2]
FILES = [path for folder in ("drivers", "own") for path in (Path(__file__).parent / folder).glob("*.py")]
ADAPTERS = sorted({path.stem for path in FILES} - {"__init__"})


@pytest.fixture
def engine() -> Any:
    with Engine(files=False) as made:
        yield made


class Suspended(Exception):
    pass


def test_a_call_in_two_halves_has_the_input_and_the_result_of_its_hooks(engine: Engine) -> None:
    engine.on("tool.before")(lambda event: hook.rewrite(command="ls -l"))
    engine.on("tool.after")(lambda event: hook.context("Two files."))
    call = PendingCall(engine.session(), "shell", {"command": "ls"})

    assert call.begin() is None
    assert call.input == {"command": "ls -l"}
    result = call.finish("a b")
    assert "a b" in str(result)
    assert "Two files." in str(result)
    assert result is call.result


def test_a_refused_call_is_over_before_the_tool(engine: Engine) -> None:
    engine.on("tool.before")(lambda event: hook.deny("Not here."))
    call = PendingCall(engine.session(), "shell", {"command": "ls"})

    refused = call.begin()
    assert refused is not None
    assert refused.error is not None
    assert "Not here." in str(refused)


def test_a_call_that_was_suspended_goes_on_without_its_hooks_running_again(engine: Engine) -> None:
    seen: list[str] = []
    answers: list[bool] = []

    @engine.on("tool.before")
    def ask(event: Any) -> Any:
        seen.append(event["tool_name"])
        return hook.ask("Really?")

    def permission(request: Any) -> bool:
        if not answers:
            raise Suspended
        return answers[0]

    call = PendingCall(engine.session(), "shell", {}, permission=permission, suspends=Suspended)
    with pytest.raises(Suspended):
        call.begin()
    answers.append(True)

    assert asyncio.run(call.abegin()) is None
    assert call.at_tool()
    assert seen == ["shell"]


def test_each_question_is_asked_until_the_person_has_answered_it(engine: Engine) -> None:
    engine.on("tool.before")(lambda event: hook.ask("Really?"))
    call = ApprovedCall(
        engine.session(), "shell", {}, id="1", question=lambda asked: Suspended(asked.reason), suspends=Suspended
    )
    for _ in range(2):
        with pytest.raises(Suspended, match="Really"):
            call.begin()
    call.answer = True

    assert call.begin() is None


@pytest.mark.parametrize(
    "other", [("s2", "1", "shell", {"command": "ls"}), ("s1", "1", "shell", {"command": "rm"}), ("s1", "1", "sh", {})]
)
def test_an_approval_is_not_for_another_call_with_the_same_id(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, other: tuple[str, str, str, dict[str, str]]
) -> None:
    monkeypatch.setattr(waiting_calls, "MOST", 1)
    waiting, key = WaitingCalls(), key_of("s1", "1", "shell", {"command": "ls"})
    call = PendingCall(engine.session(), "shell", {"command": "ls"}, id="1")
    waiting.keep(key, call)

    assert waiting.find(key_of(*other)) is None
    assert waiting.find(key_of("s1", "1", "shell", {"command": "ls"})) is call
    assert waiting.session_of("1") == "s1"
    waiting.keep(key_of(*other), call)
    assert waiting.find(key) is None  # beyond the limit the oldest goes


def test_a_conversation_keeps_its_session_and_the_oldest_ends_beyond_the_limit(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST", 2)
    moments: list[tuple[str, str]] = []
    for kind in ("session.start", "session.end"):
        engine.on(kind)(lambda event, kind=kind: moments.append((kind, event["session_id"])))
    known = Sessions(engine)
    first = known.get("one")

    assert known.get("one") is first
    known.get("two")
    known.get("three")
    assert [id for kind, id in moments if kind == "session.end"] == ["one"]
    known.close()
    assert [id for kind, id in moments if kind == "session.end"] == ["one", "two", "three"]


def test_pieces_come_while_the_work_goes_on_and_its_failure_is_raised() -> None:
    async def collect(fails: bool) -> tuple[list[int], Any]:
        async def work(put: Any) -> str:
            put(1)
            await asyncio.sleep(0)
            put(2)
            if fails:
                raise ValueError("cut")
            return "whole"

        live: LiveUpdates[str] = LiveUpdates(work)
        seen = [update async for update in live]
        return seen, live.result

    assert asyncio.run(collect(False)) == ([1, 2], "whole")
    with pytest.raises(ValueError, match="cut"):
        asyncio.run(collect(True))
    assert live_updates.__doc__


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\n\nb"),
        ([{"type": "image", "data": "x"}], '[{"type":"image","data":"x"}]'),
    ],
)
def test_a_tools_result_is_what_the_model_gets_as_text_and_as_json(content: Any, text: str) -> None:
    from pydantic import TypeAdapter

    result = ToolResult(content)

    assert str(result) == f"{result}" == text
    assert json.loads(TypeAdapter(Any).dump_json(result)) == content


def test_which_tools_hooks_leave() -> None:
    assert plain_messages.tools_left(None) is None
    assert plain_messages.tools_left({"mode": "AUTO"}) is None
    assert plain_messages.tools_left({"mode": "NONE"}) == set()
    assert plain_messages.tools_left({"mode": "ANY", "allowedFunctionNames": ["a"]}) == {"a"}


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_has_an_extra_a_lock_file_and_a_page(name: str) -> None:
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]

    assert name.replace("_", "-") in extras
    assert (Path(__file__).parent / "locks" / f"{name}.txt").exists()
    pages = (ROOT / "docs" / "embed" / "adapters").glob("[a-z]*.md")
    assert any(f"tenterhook.adapters.{name}" in page.read_text() for page in pages)
    assert (ROOT / "src" / "tenterhook" / "adapters" / f"{name}.py").exists()

"""One behaviour for all adapters: each case runs in the real SDK, with a model behind a real HTTP server.

    python scripts/adapters.py langchain        makes the SDK's environment and runs this file in it

The driver is named by the variable ADAPTER. A case that the SDK's seam does not allow is in the driver's CANNOT, with
the reason, and is expected to fail.
"""

import asyncio
import contextlib
import importlib
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tenterhook import Engine, hook

from .driver import Driver, Job
from .model_server import ScriptedModel, Turn, model_server

NAME = os.environ["ADAPTER"]
PAGE = Path(__file__).parents[2] / "docs" / "embed" / "adapters" / f"{NAME.replace('_', '-')}.md"
DRIVER: Driver = importlib.import_module(f"{__package__}.drivers.{NAME}")  # type: ignore[assignment]
# What the SDK calls a tool before hooks and its model.
TOOL_NAME: str = getattr(DRIVER, "TOOL_NAME", "{}")
SHELL = TOOL_NAME.format("shell")
WAYS = [way for way in ("run", "arun") if getattr(DRIVER, way, None)]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def known_limits(request: pytest.FixtureRequest) -> None:
    case = request.node.originalname.removeprefix("test_")
    if case in DRIVER.CANNOT:
        request.applymarker(pytest.mark.xfail(reason=DRIVER.CANNOT[case], strict=True))


@pytest.fixture
def engine() -> Any:
    with Engine(files=False, mode="strict") as made:
        yield made


class Bench:
    """Runs one agent and knows what its tools were called with."""

    def __init__(self, engine: Engine, way: str) -> None:
        self.engine, self.way = engine, way
        self.calls: list[tuple[str, str]] = []
        self.told: list[str] = []

    def shell(self, command: str) -> str:
        """Run a command."""
        self.calls.append(("shell", command))
        return f"ran {command}"

    def lookup(self, word: str) -> str:
        """Look a word up."""
        self.calls.append(("lookup", word))
        return f"{word} is a word"

    def run(self, *turns: Turn, **more: Any) -> tuple[str, ScriptedModel]:
        tools = more.pop("tools", {"shell": self.shell, "lookup": self.lookup})
        with model_server(*turns) as model:
            job = Job(self.engine, model, tools, tell=self.told.append, **more)
            said = DRIVER.run(job) if self.way == "run" else asyncio.run(DRIVER.arun(job))  # type: ignore[misc]
        return said, model


@pytest.fixture
def bench(engine: Engine, way: str) -> Bench:
    return Bench(engine, way)


def call(name: str, id: str = "c1", **given: Any) -> Turn:
    return Turn(calls=((id, TOOL_NAME.format(name), given),))


def test_without_hooks_the_agent_works(bench: Bench) -> None:
    said, model = bench.run(call("shell", command="ls"), Turn("All done."))

    assert (said, bench.calls) == ("All done.", [("shell", "ls")])
    assert "ran ls" in model.result("c1")


def test_a_refused_tool_does_not_run_and_the_model_is_told_why(bench: Bench) -> None:
    @bench.engine.on("tool.before", match=SHELL)
    def no_rm(event: Any) -> Any:
        return hook.deny("Use the bin folder.") if "rm" in event["tool_input"]["command"] else None

    said, model = bench.run(call("shell", command="rm -rf build"), Turn("I was told not to."))

    assert bench.calls == []
    assert "Use the bin folder." in model.result("c1")
    assert said == "I was told not to."


def test_a_hook_changes_a_tools_input(bench: Bench) -> None:
    @bench.engine.on("tool.before", match=SHELL)
    def careful(event: Any) -> Any:
        return hook.rewrite(command="ls -l")

    _, model = bench.run(call("shell", command="ls"))

    assert bench.calls == [("shell", "ls -l")]
    assert "ran ls -l" in model.result("c1")


def test_a_hook_changes_a_tools_output(bench: Bench) -> None:
    @bench.engine.on("tool.after", match=SHELL)
    def hide(event: Any) -> Any:
        return {"output": "[hidden]"}

    _, model = bench.run(call("shell", command="cat key"))

    assert bench.calls == [("shell", "cat key")]
    assert "[hidden]" in model.result("c1")
    assert "ran cat key" not in model.shown()


@pytest.mark.parametrize("allowed", [True, False])
def test_a_hook_asks_and_a_person_decides(bench: Bench, allowed: bool) -> None:
    asked: list[str] = []

    @bench.engine.on("tool.before", match=SHELL)
    def ask(event: Any) -> Any:
        return hook.ask("Is this all right?")

    def permission(request: Any) -> bool:
        asked.append(request.tool_input["command"])
        return allowed

    _, model = bench.run(call("shell", command="deploy"), permission=permission)

    assert asked == ["deploy"]
    assert bench.calls == ([("shell", "deploy")] if allowed else [])
    assert ("ran deploy" in model.result("c1")) == allowed


@pytest.mark.skipif(not hasattr(DRIVER, "approve"), reason="this SDK has no approval of its own for a function")
@pytest.mark.parametrize("way", WAYS[:1], indirect=True)
@pytest.mark.parametrize("answer", [True, False])
def test_the_sdks_own_approval_asks_the_person(bench: Bench, answer: bool) -> None:
    seen: list[str] = []

    @bench.engine.on("tool.before", match=SHELL)
    def ask(event: Any) -> Any:
        seen.append(event["tool_input"]["command"])
        return hook.ask("Is this all right?")

    with model_server(call("shell", command="deploy"), Turn("Over.")) as model:
        asked, said = DRIVER.approve(Job(bench.engine, model, {"shell": bench.shell}), answer)

    assert "Is this all right?" in str(asked) or "deploy" in str(asked)
    assert bench.calls == ([("shell", "deploy")] if answer else [])
    assert ("ran deploy" in model.shown()) == answer
    assert said == "Over."
    assert seen == ["deploy"]  # hooks ran once, though the SDK runs the call again


def test_an_ask_that_nobody_can_answer_is_a_refusal(bench: Bench) -> None:
    @bench.engine.on("tool.before", match=SHELL)
    def ask(event: Any) -> Any:
        return hook.ask("Is this all right?")

    _, model = bench.run(call("shell", command="deploy"))

    assert bench.calls == []
    assert "Is this all right?" in model.result("c1") or "permission" in model.result("c1")


def test_context_of_a_prompt_hook_reaches_the_model(bench: Bench) -> None:
    @bench.engine.on("prompt.submit")
    def add(event: Any) -> Any:
        return hook.context("The release is on Friday.")

    _, model = bench.run(Turn("Fine."), prompt="When is the release?")

    assert "When is the release?" in model.shown()
    assert "The release is on Friday." in model.shown()


def test_context_after_a_tool_reaches_the_model(bench: Bench) -> None:
    @bench.engine.on("tool.after", match=SHELL)
    def add(event: Any) -> Any:
        return hook.context("That folder is generated.")

    _, model = bench.run(call("shell", command="ls build"))

    assert "ran ls build" in model.result("c1")
    assert "That folder is generated." in model.shown()


def test_a_blocked_prompt_reaches_no_model(bench: Bench) -> None:
    @bench.engine.on("prompt.submit")
    def refuse(event: Any) -> Any:
        return hook.deny("No card numbers, please.")

    said, model = bench.run(Turn("never"), prompt="4111 1111 1111 1111")

    assert model.requests == []
    assert "No card numbers, please." in said


def test_a_stop_hook_sends_the_agent_back_to_work(bench: Bench) -> None:
    seen: list[Any] = []

    @bench.engine.on("turn.stop")
    def gate(event: Any) -> Any:
        seen.append(event["stop_hook_active"])
        return hook.deny("Run the tests first.") if len(seen) == 1 else None

    said, model = bench.run(Turn("Finished."), call("shell", command="pytest"), Turn("Now it is finished."))

    assert said == "Now it is finished."
    assert "Run the tests first." in model.shown()
    assert bench.calls == [("shell", "pytest")]
    assert len(seen) == 2


def test_a_stop_before_a_tool_ends_the_run(bench: Bench) -> None:
    @bench.engine.on("tool.before", match=SHELL)
    def halt(event: Any) -> Any:
        return hook.stop("The budget is used up.")

    said, model = bench.run(call("shell", command="ls"), Turn("never"))

    assert bench.calls == []
    assert len(model.requests) == 1
    assert "The budget is used up." in said or any("The budget is used up." in text for text in bench.told)


def test_a_hook_changes_a_model_request(bench: Bench) -> None:
    @bench.engine.on("model.before")
    def mask(event: Any) -> Any:
        request = event["llm_request"]
        shown = [{**one, "content": one["content"].replace("4711", "[pin]")} for one in request["messages"]]
        return {"request": {**request, "messages": shown}}

    _, model = bench.run(Turn("Fine."), prompt="My pin is 4711.")

    assert "My pin is [pin]." in model.shown()
    assert "4711" not in model.shown()


def test_a_hook_replaces_a_model_response(bench: Bench) -> None:
    @bench.engine.on("model.after")
    def replace(event: Any) -> Any:
        parts = {"role": "model", "parts": ["As a hook I say no."]}
        return {"response": {"candidates": [{"content": parts, "finishReason": "STOP"}]}}

    said, _ = bench.run(Turn("Something bad."))

    assert said == "As a hook I say no."


def test_a_refused_model_call_asks_no_model(bench: Bench) -> None:
    @bench.engine.on("model.before")
    def refuse(event: Any) -> Any:
        return hook.deny("No model today.")

    said, model = bench.run(Turn("never"))

    assert model.requests == []
    assert "No model today." in said


def test_a_streamed_response_is_judged_whole(bench: Bench) -> None:
    seen: list[str] = []

    @bench.engine.on("model.after")
    def look(event: Any) -> Any:
        seen.append("".join(event["llm_response"]["candidates"][0]["content"]["parts"]))

    said, model = bench.run(Turn("In several pieces."), stream=True)

    assert model.streamed(0)
    assert seen == ["In several pieces."]
    assert said == "In several pieces."


def test_hooks_narrow_the_tools_of_a_request(bench: Bench) -> None:
    @bench.engine.on("tools.select")
    def fewer(event: Any) -> Any:
        return {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["lookup"]}}

    _, model = bench.run(call("shell", command="ls"), Turn("Fine."))

    assert model.tools(0) == {"lookup"}
    assert bench.calls == []


def test_a_hook_that_crashes_refuses_in_strict_mode(bench: Bench) -> None:
    @bench.engine.on("tool.before", match=SHELL, on_failure="deny")
    def broken(event: Any) -> Any:
        raise RuntimeError("broken")

    _, model = bench.run(call("shell", command="ls"))

    assert bench.calls == []
    assert "ran ls" not in model.shown()


def test_a_hook_that_hangs_is_given_up(bench: Bench) -> None:
    over = threading.Event()

    @bench.engine.on("tool.before", match=SHELL, timeout=0.2, on_failure="deny")
    def hang(event: Any) -> Any:
        over.wait(20)

    started = time.monotonic()
    bench.run(call("shell", command="ls"))
    over.set()

    assert bench.calls == []
    assert time.monotonic() - started < 15


def test_a_hook_that_answers_nonsense_refuses_in_strict_mode(bench: Bench) -> None:
    @bench.engine.on("tool.before", match=SHELL, on_failure="deny")
    def nonsense(event: Any) -> Any:
        return object()

    bench.run(call("shell", command="ls"))

    assert bench.calls == []


def test_a_refusal_wins_over_another_hooks_allow(bench: Bench) -> None:
    bench.engine.on("tool.before", match=SHELL)(lambda event: hook.allow())
    bench.engine.on("tool.before", match=SHELL)(lambda event: hook.deny("Not this one."))

    _, model = bench.run(call("shell", command="ls"))

    assert bench.calls == []
    assert "Not this one." in model.result("c1")


def test_parallel_calls_are_judged_one_by_one(bench: Bench) -> None:
    @bench.engine.on("tool.before", match=SHELL)
    def no_rm(event: Any) -> Any:
        return hook.deny("Not rm.") if "rm" in event["tool_input"]["command"] else None

    lookup = TOOL_NAME.format("lookup")
    calls = (("a", SHELL, {"command": "ls"}), ("b", SHELL, {"command": "rm x"}), ("c", lookup, {"word": "hook"}))
    _, model = bench.run(Turn(calls=calls))

    assert sorted(bench.calls) == [("lookup", "hook"), ("shell", "ls")]
    assert "ran ls" in model.result("a")
    assert "Not rm." in model.result("b")
    assert "hook is a word" in model.result("c")


def test_a_failing_tool_is_told_to_hooks(bench: Bench) -> None:
    seen: list[str] = []

    @bench.engine.on("tool.failed", match=SHELL)
    def note(event: Any) -> Any:
        seen.append(event["error"])

    def shell(command: str) -> str:
        """Run a command."""
        raise ValueError("no such folder")

    with contextlib.suppress(ValueError):  # some SDKs end the run with the tool's own error
        bench.run(call("shell", command="ls"), tools={"shell": shell})

    assert len(seen) == 1
    assert "no such folder" in seen[0]


@pytest.mark.skipif("arun" not in WAYS, reason="only a task can be cancelled")
@pytest.mark.parametrize("way", ["arun"], indirect=True)
def test_a_cancelled_run_leaves_the_engine_usable(bench: Bench) -> None:
    begun = threading.Event()

    @bench.engine.on("tool.before", match=SHELL)
    async def slow(event: Any) -> Any:
        begun.set()
        await asyncio.sleep(20)

    async def cancel() -> None:
        with model_server(call("shell", command="ls")) as model:
            task = asyncio.create_task(DRIVER.arun(Job(bench.engine, model, {"shell": bench.shell})))
            while not begun.is_set() and not task.done():
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancel())
    assert bench.calls == []
    assert bench.engine.fire("notify", type="x", message="y").decision == "none"


def test_the_agent_of_the_documentation_runs(tmp_path: Path) -> None:
    text = re.search(r"<!-- sdk agent.py -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert text is not None
    assert len(text[1].splitlines()) < 40
    with model_server(call("shell", command="rm -rf build"), Turn("I was told not to.")) as model:
        urls = {"OPENAI_BASE_URL": f"{model.url}/v1", "GOOGLE_GEMINI_BASE_URL": model.url}
        urls["ANTHROPIC_BASE_URL"] = model.url
        keys = {"OPENAI_API_KEY": "k", "GOOGLE_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "HOME": str(tmp_path)}
        ran = subprocess.run(
            [sys.executable, "-c", text[1]],
            cwd=tmp_path,
            env={**os.environ, **urls, **keys, **getattr(DRIVER, "OFFLINE", {})},
            capture_output=True,
            text=True,
            timeout=100,
        )

    assert ran.returncode == 0, ran.stderr
    assert "I was told not to." in ran.stdout
    assert "Use the bin folder instead of rm -rf." in model.result("c1")

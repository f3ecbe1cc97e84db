"""Where nobody listens: nothing is read, nothing is started, nothing is awaited, and a call is the bare call."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from conftest import Project
from tenterhook import ConfigError, ToolCall
from tenterhook.hosts.steps import adrive, drive


@pytest.mark.req("HOOK-206")
def test_making_a_host_reads_no_file_and_the_first_event_does(project: Project) -> None:
    project.write(".llxprt/settings.json", '{"enableHooks": true, "hooks": ')
    engine = project.engine("llxprt")
    session = engine.session()
    tool = session.tool("Bash")(lambda command: command)
    model = session.model(lambda **call: {}, format="plain")
    session.scheduler([tool])

    assert (engine.hookset.loaded, engine.runner) == (None, None)
    for first in (lambda: tool(command="ls"), lambda: model(messages=[]), lambda: session.prompt("x")):
        with pytest.raises(ConfigError, match=r"settings\.json"):
            first()


@pytest.mark.req("HOOK-013")
@pytest.mark.parametrize("enabled", [True, False])
def test_on_the_fast_path_nothing_is_awaited_and_nothing_is_started(project: Project, enabled: bool) -> None:
    """No hooks, or hooks that are switched off: the coroutine comes to its end without the loop."""
    hooks = '"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}'
    project.write(".llxprt/settings.json", '{"enableHooks": true}' if enabled else f'{{"enableHooks": false, {hooks}}}')
    engine = project.engine("llxprt")

    async def bash(command: str) -> str:
        return command

    async def ask(**call: Any) -> Any:
        return {"text": "hi"}

    for call in (
        engine.tool("Bash")(bash)(command="ls"),
        engine.model(ask, format="plain")(messages=[]),
        engine.session().aprompt("x"),
        engine.session().astop(),
    ):
        with pytest.raises(StopIteration):
            call.send(None)

    assert engine.runner is None
    assert not project.has("ran")


def test_a_call_that_nobody_listens_to_hands_on_the_very_objects(project: Project) -> None:
    engine = project.engine("tenterhook")
    part = [{"type": "image", "data": object()}]
    response = object()

    assert engine.tool("Look")(lambda: part)().llm_content is part
    assert engine.model(lambda **call: response, format="plain")(messages=[]).response is response


def test_texts_as_user_input_come_in_the_order_of_the_calls(project: Project) -> None:
    engine = project.engine("tenterhook")
    engine.add("tool.after", lambda event: {"feedback": f"of {event.tool_name}"})
    session = engine.session()

    async def slow() -> None:
        await asyncio.sleep(0.05)

    async def quick() -> None:
        return

    tools = [session.tool("slow")(slow), session.tool("quick")(quick)]
    results = session.scheduler(tools).run([ToolCall("slow", {}), ToolCall("quick", {})])

    assert ["of slow" in session.inbox[0], "of quick" in session.inbox[1]] == [True, True]
    assert [result.user_messages for result in results] == [(), ()]


def test_methods_of_a_class_are_tools_of_its_objects(project: Project) -> None:
    engine = project.engine("tenterhook")
    seen: list[Any] = []
    engine.add("tool.before", lambda event: seen.append(event.tool_input))

    class Files:
        def __init__(self, root: str) -> None:
            self.root = root

        @engine.tool("Read")
        def read(self, path: str) -> str:
            return f"{self.root}/{path}"

        @engine.tool("Find")
        async def find(self, name: str) -> str:
            return f"{self.root}: {name}"

    one, two = Files("/one"), Files("/two")

    assert [one.read(path="a").llm_content, two.read("b").llm_content] == ["/one/a", "/two/b"]
    assert asyncio.run(two.find(name="c")).llm_content == "/two: c"
    assert seen == [{"path": "a"}, {"path": "b"}, {"name": "c"}]
    assert Files.read.name == "Read"


@pytest.mark.parametrize("event", ["tool.before", "session.start", "no.such.event"])
def test_an_event_that_a_dialect_lacks_is_nothing_to_a_host(project: Project, event: str) -> None:
    from tenterhook.hosts.steps import Fire

    def flow() -> Any:
        return (yield Fire(event, {}))

    engine = project.engine("wave")

    assert drive(engine, flow()).attempts == asyncio.run(adrive(engine, flow())).attempts == ()

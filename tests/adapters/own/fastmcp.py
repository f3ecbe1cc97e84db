"""FastMCP's middleware, in a real FastMCP server with its real client, in an environment of scripts/adapters.py."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError

from tenterhook import Engine, hook
from tenterhook.adapters.fastmcp import ServerHooks


@pytest.fixture
def engine() -> Any:
    with Engine(files=False) as made:
        yield made


def make_server(engine: Engine, **options: Any) -> tuple[FastMCP, list[str]]:
    server, ran = FastMCP("My files", middleware=[ServerHooks(engine, **options)]), []

    @server.tool
    def shell(command: str) -> str:
        ran.append(command)
        if command == "fail":
            raise ValueError("it broke")
        return f"ran {command}"

    @server.tool
    def read(path: str) -> dict[str, str]:
        return {"secret": "abc"}

    @server.resource("notes://one")
    def notes() -> str:
        return "key=abc"

    @server.prompt
    def review() -> str:
        return "Review this"

    return server, ran


def ask(server: FastMCP, method: str, *words: Any, **options: Any) -> Any:
    async def run() -> Any:
        async with Client(server, **options) as client:
            return await getattr(client, method)(*words)

    return asyncio.run(run())


def call(server: FastMCP, name: str = "shell", *, command: str = "ls", **options: Any) -> Any:
    async def run() -> Any:
        async with Client(server, **options) as client:
            given = {"command": command} if name == "shell" else {"path": "x"}
            return await client.call_tool(name, given, raise_on_error=False)

    return asyncio.run(run())


def text(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def test_a_denied_call_does_not_run_and_the_model_reads_why(engine: Engine) -> None:
    engine.add("tool.before", lambda event: hook.deny("not here"), match="mcp__My_files__shell")
    server, ran = make_server(engine)

    result = call(server)

    assert (result.is_error, ran) == (True, [])
    assert "not here" in text(result)


def test_arguments_and_results_are_rewritten_and_context_is_added(engine: Engine) -> None:
    engine.add("tool.before", lambda event: {"input": {"command": "pwd"}})
    engine.add("tool.after", lambda event: {"output": event.data["tool_output"].upper(), "context": "mind the gap"})
    server, ran = make_server(engine)

    result = call(server)

    assert ran == ["pwd"]
    assert text(result).startswith("RAN PWD")
    assert "mind the gap" in text(result)
    assert result.structured_content == {"result": "RAN PWD"}


def test_a_rewritten_result_leaves_nothing_in_structured_content(engine: Engine) -> None:
    engine.add("tool.after", lambda event: {"output": "[redacted]"})
    server, _ = make_server(engine)

    assert "abc" not in repr(call(server, "read"))


def test_a_failed_tool_is_told_to_its_hooks(engine: Engine) -> None:
    told: list[str] = []
    engine.add("tool.failed", lambda event: told.append(event.data["error"]))
    server, _ = make_server(engine)

    assert call(server, command="fail").is_error
    assert "it broke" in told[0]


@pytest.mark.parametrize("allowed", [True, False])
def test_the_permission_callback_decides_when_a_hook_asks(engine: Engine, allowed: bool) -> None:
    engine.add("tool.before", lambda event: hook.ask("sure?"))
    server, ran = make_server(engine, permission=lambda request: allowed)

    assert call(server).is_error is not allowed
    assert bool(ran) is allowed


@pytest.mark.parametrize("allowed", [True, False])
def test_a_person_is_asked_by_the_clients_elicitation(engine: Engine, allowed: bool) -> None:
    engine.add("tool.before", lambda event: hook.ask("sure?"))
    server, ran = make_server(engine)
    asked: list[str] = []

    async def answer(message: str, kind: Any, params: Any, context: Any) -> Any:
        asked.append(message)
        return kind(value=allowed)

    result = call(server, elicitation_handler=answer, mode="legacy")

    assert "sure?" in asked[0]
    assert (result.is_error, bool(ran)) == (not allowed, allowed)


def test_without_a_way_to_ask_the_call_is_refused(engine: Engine) -> None:
    engine.add("tool.before", lambda event: hook.ask("sure?"))
    server, ran = make_server(engine)

    assert call(server).is_error
    assert ran == []


def test_the_list_of_tools_is_narrowed(engine: Engine) -> None:
    chosen = {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["mcp__My_files__read"]}}
    engine.add("tools.select", lambda event: chosen)
    server, _ = make_server(engine)

    assert [tool.name for tool in ask(server, "list_tools")] == ["read"]


def test_resources_and_prompts_are_refused_and_rewritten(engine: Engine) -> None:
    engine.add("resource.after", lambda event: {"output": event.data["content"].replace("abc", "***")})
    engine.add("prompt.transform", lambda event: {"prompt": "Another text"})
    server, _ = make_server(engine)
    assert ask(server, "read_resource", "notes://one")[0].text == "key=***"
    assert ask(server, "get_prompt", "review").messages[0].content.text == "Another text"

    engine.add("resource.before", lambda event: hook.deny("not this one"))
    engine.add("prompt.expand", lambda event: hook.deny("nor this one"))

    with pytest.raises(Exception, match="not this one"):
        ask(server, "read_resource", "notes://one")
    with pytest.raises(Exception, match="nor this one"):
        ask(server, "get_prompt", "review")


def test_without_a_hook_the_servers_own_result_comes_back(engine: Engine) -> None:
    server, _ = make_server(engine)

    assert text(call(server)) == "ran ls"
    with pytest.raises(ToolError):
        ask(server, "call_tool", "shell", {"command": "fail"})

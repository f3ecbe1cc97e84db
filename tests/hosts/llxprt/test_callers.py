"""Whole calls through LLxprt Code's own API: a tool, and a model behind google-genai's real client."""

import asyncio
from typing import Any

import pytest
from google.genai import types as T  # noqa: N812

from clients.formats.loopback import Loopback
from conftest import Project
from hosts.models.genai_host import RESPONSE, call, choice, lay_out, sent
from requirements.llxprt import says, specific
from tenterhook.hosts.llxprt import (
    Config,
    ToolResult,
    execute_tool_with_hooks,
    fire_after_model_hook,
    fire_before_model_hook,
    fire_before_tool_selection_hook,
)
from tenterhook.hosts.llxprt.triggers import ToolHost
from tenterhook.hosts.tool import tool as wrapped

from .conftest import Make
from .test_system import system_of

INPUT = {"path": "a.txt"}


class Tool:
    """Keeps what it was given."""

    def __init__(self, project: Project) -> None:
        self.inputs: list[Any] = []
        self.order = project.root / "order"

    def write(self, input: dict[str, Any]) -> str:
        self.inputs.append(input)
        with self.order.open("a") as file:
            file.write("tool ")
        return "wrote it"

    async def awrite(self, input: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        return self.write(input)


@pytest.fixture
def tool(project: Project) -> Tool:
    return Tool(project)


def execute(config: Config, function: Any, input: dict[str, Any] = INPUT) -> ToolResult:
    return asyncio.run(execute_tool_with_hooks(config, "write_file", input, function))


@pytest.mark.req("HOOK-133", "HOOK-134")
@pytest.mark.parametrize("name", ["write", "awrite"])
def test_a_tool_runs_between_its_hooks_with_the_input_as_they_left_it(
    project: Project, make: Make, tool: Tool, name: str
) -> None:
    project.logs("before", "after")
    change = f"./before; {specific(tool_input={'mode': 'w'})}"
    config = make(BeforeTool=[change], AfterTool=["./after; cat > told.json"], session_id="s-1")

    result = execute(config, getattr(tool, name))

    assert project.read("order").split() == ["before", "tool", "after"]
    assert tool.inputs == [{"path": "a.txt", "mode": "w"}]
    assert (result.llm_content, result.error) == ("wrote it", None)
    told = project.json("told.json")
    assert (told["session_id"], told["tool_input"]) == ("s-1", {"path": "a.txt", "mode": "w"})
    assert told["tool_response"] == {"llmContent": "wrote it", "returnDisplay": "wrote it", "metadata": {}}


@pytest.mark.req("HOOK-133", "HOOK-017", "HOOK-183")
def test_a_blocked_tool_does_not_run_and_its_result_is_the_reason(make: Make, tool: Tool) -> None:
    result = execute(make(BeforeTool=["echo 'not here' >&2; exit 2"], AfterTool=["touch after"]), tool.write)

    assert not tool.inputs
    assert "not here" in result.llm_content
    assert (result.error and result.error.type, result.stop) == ("blocked", False)
    assert not hasattr(result, "blocked")


@pytest.mark.req("HOOK-133", "HOOK-149", "HOOK-027", "HOOK-029", "HOOK-131", "HOOK-132")
def test_what_hooks_say_after_a_tool_is_in_its_result(make: Make, tool: Tool) -> None:
    said = {"suppressOutput": True, "systemMessage": "s", "hookSpecificOutput": {"additionalContext": "c"}}

    result = execute(make(AfterTool=[says(said)]), tool.write)

    assert result.llm_content.startswith("wrote it\n\n[System] s")
    assert "c" in result.llm_content.split("[System] s")[1]
    assert (result.suppress_display, result.return_display) == (True, "wrote it")


@pytest.mark.req("HOOK-133", "HOOK-020", "HOOK-028")
@pytest.mark.parametrize(("event", "runs"), [("BeforeTool", 0), ("AfterTool", 1)])
def test_a_stop_is_in_the_result(make: Make, tool: Tool, event: str, runs: int) -> None:
    result = execute(make(**{event: [says({"continue": False, "stopReason": "end"})]}), tool.write)

    assert (result.stop, result.stop_reason, len(tool.inputs)) == (True, "end", runs)


@pytest.mark.req("HOOK-133", "HOOK-023")
def test_a_failing_hook_keeps_no_tool_from_running(make: Make, tool: Tool) -> None:
    assert execute(make(BeforeTool=["exit 1"]), tool.write).error is None
    assert len(tool.inputs) == 1


@pytest.mark.parametrize("enabled", [True, False])
def test_a_tool_is_called_in_the_same_way_where_hooks_are_off(make: Make, tool: Tool, enabled: bool) -> None:
    def failing(input: dict[str, Any]) -> str:
        raise ValueError("the disk is full")

    config = make(enable_hooks=enabled)

    assert [execute(config, function).llm_content for function in (tool.write, tool.awrite)] == ["wrote it"] * 2
    failed = execute(config, failing)
    assert (failed.llm_content, failed.error and failed.error.type) == ("ValueError: the disk is full", "failed")
    assert (config.get_hook_system() is None) is not enabled


@pytest.mark.req("HOOK-215")
def test_the_host_of_tool_calls_serves_tools_that_are_not_async_too(project: Project, make: Make, tool: Tool) -> None:
    config = make(BeforeTool=["cat > told.json"], session_id="s-1")
    handler = system_of(config).get_event_handler()

    result = wrapped(ToolHost(handler), "write_file")(lambda path: tool.write({"path": path}))(path="a.txt")

    assert (result.llm_content, project.json("told.json")["session_id"]) == ("wrote it", "s-1")


# A model: what a host of the document does with the triggers


async def generate(config: Config, api: Loopback, request: dict[str, Any]) -> tuple[Any, bool]:
    """One turn as the document has it: (the response, whether the loop shall end)."""
    before = await fire_before_model_hook(config, request)
    if before.blocked:
        empty = T.GenerateContentResponse(candidates=[])
        stops = before.output is not None and before.output.should_stop_execution()
        return before.synthetic_response or empty, stops
    request = before.modified_request or request
    selection = await fire_before_tool_selection_hook(config, request)
    if selection.tool_config is not None:
        request = {**request, "config": {**request["config"], "toolConfig": selection.tool_config}}
    answer = await api.client.aio.models.generate_content(**request)
    after = await fire_after_model_hook(config, request, answer)
    return after.response, after.output is not None and after.output.should_stop_execution()


def turn(config: Config, api: Loopback) -> tuple[Any, bool]:
    lay_out(api, "plain", {"text": "Hello you"})
    return api.run(generate(config, api, call()))


@pytest.mark.req("HOOK-138", "HOOK-174", "HOOK-036")
def test_a_synthetic_response_stands_in_for_the_model(make: Make, api: Loopback) -> None:
    hook = says({"decision": "block", "hookSpecificOutput": {"llm_response": RESPONSE}})

    answer, _ = turn(make(BeforeModel=[hook]), api)

    assert answer.text == "Hello you"
    assert not api.requests


@pytest.mark.req("HOOK-202", "HOOK-037")
def test_a_block_without_a_response_asks_no_model(make: Make, api: Loopback) -> None:
    answer, stops = turn(make(BeforeModel=["exit 2"]), api)

    assert (answer.candidates, stops) == ([], False)
    assert not api.requests


@pytest.mark.req("HOOK-139", "HOOK-140", "HOOK-141", "HOOK-205")
def test_what_hooks_make_of_a_request_is_what_goes_over_the_wire(make: Make, api: Loopback) -> None:
    restrict = specific(toolConfig={"mode": "ANY", "allowedFunctionNames": ["look_up"]})
    config = make(BeforeModel=["echo be good"], BeforeToolSelection=[restrict])

    answer, stops = turn(config, api)

    assert sent(api)[-1] == ("user", "[System] be good")
    assert choice(api) == {"mode": "ANY", "allowedFunctionNames": ["look_up"]}
    assert len(api.last["tools"][0]["functionDeclarations"]) == 2
    assert (answer.text, stops) == ("Hello you", False)


@pytest.mark.req("HOOK-048", "HOOK-046")
def test_a_response_is_gone_on_with_as_hooks_left_it(make: Make, api: Loopback) -> None:
    answer, stops = turn(make(AfterModel=[specific(llm_response={"text": "Bye"})]), api)
    assert (answer.text, stops) == ("Bye", False)

    answer, stops = turn(make(AfterModel=[says({"continue": False, "stopReason": "enough"})]), api)
    assert (answer.text, stops) == ("enough", True)

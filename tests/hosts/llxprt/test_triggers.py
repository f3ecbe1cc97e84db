"""What a host calls: the documented arguments and results of every trigger, and a safe default whatever happens."""

import ast
import asyncio
import inspect
import logging
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from google.genai import types as T  # noqa: N812

import tenterhook
from conftest import Project
from hosts.models.genai_host import REQUEST, RESPONSE, TOOLS, call
from requirements.llxprt import says, specific
from tenterhook.hosts.llxprt import (
    AfterModelHookOutput,
    AfterModelHookResult,
    BeforeModelHookResult,
    BeforeToolHookOutput,
    BeforeToolSelectionHookResult,
    Config,
    DefaultHookOutput,
    HookEventHandler,
    ToolResult,
    default_hook_translator,
    execute_tool_with_hooks,
    fire_after_model_hook,
    fire_after_tool_hook,
    fire_before_model_hook,
    fire_before_tool_hook,
    fire_before_tool_selection_hook,
    triggers,
)

from .conftest import Make
from .genai import response

INPUT = {"path": "a.txt"}
RESULT = {"llmContent": "wrote it", "returnDisplay": "done", "metadata": {}}


def before_model(config: Config, request: Any = None) -> BeforeModelHookResult:
    return asyncio.run(fire_before_model_hook(config, call() if request is None else request))


def after_model(config: Config, given: Any) -> AfterModelHookResult:
    return asyncio.run(fire_after_model_hook(config, call(), given))


def select(config: Config, request: Any = None) -> BeforeToolSelectionHookResult:
    return asyncio.run(fire_before_tool_selection_hook(config, call() if request is None else request))


CONTRACTS = [
    (fire_before_tool_hook, ["config", "tool_name", "tool_input"], DefaultHookOutput | None),
    (fire_after_tool_hook, ["config", "tool_name", "tool_input", "tool_response"], DefaultHookOutput | None),
    (fire_before_model_hook, ["config", "llm_request"], BeforeModelHookResult),
    (fire_after_model_hook, ["config", "llm_request", "llm_response"], AfterModelHookResult),
    (fire_before_tool_selection_hook, ["config", "llm_request"], BeforeToolSelectionHookResult),
    (execute_tool_with_hooks, ["config", "tool_name", "tool_input", "execute_fn"], ToolResult),
]


@pytest.mark.req("HOOK-127", "HOOK-128", "HOOK-133", "HOOK-135", "HOOK-136", "HOOK-137")
@pytest.mark.req("HOOK-150", "HOOK-151", "HOOK-152", "HOOK-153", "HOOK-154")
@pytest.mark.parametrize(("trigger", "parameters", "result"), CONTRACTS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_trigger_takes_and_gives_what_the_document_says(trigger: Any, parameters: list[str], result: Any) -> None:
    assert inspect.iscoroutinefunction(trigger)
    assert list(inspect.signature(trigger).parameters) == parameters
    assert get_type_hints(trigger)["return"] == result


@pytest.mark.req("HOOK-176")
def test_the_results_of_model_triggers_come_from_their_module() -> None:
    names = {"BeforeModelHookResult", "AfterModelHookResult", "BeforeToolSelectionHookResult"}

    assert all(hasattr(triggers, name) for name in names)


# Tools


@pytest.mark.req("HOOK-127", "HOOK-150", "HOOK-016a", "HOOK-016b")
@pytest.mark.parametrize("command", ["echo no >&2; exit 2", says({"decision": "block", "reason": "no"})])
def test_before_a_tool_a_block_is_in_the_output(make: Make, command: str) -> None:
    output = asyncio.run(fire_before_tool_hook(make(BeforeTool=[command]), "write_file", INPUT))

    assert isinstance(output, BeforeToolHookOutput)
    assert output.is_blocking_decision()
    assert output.get_effective_reason() == "no"


@pytest.mark.req("HOOK-019", "HOOK-020")
def test_before_a_tool_a_changed_input_and_a_stop_are_in_the_output(make: Make) -> None:
    hooks = [specific(tool_input={"mode": "w"}), says({"continue": False, "stopReason": "end"})]

    output = asyncio.run(fire_before_tool_hook(make(BeforeTool=hooks), "write_file", INPUT))

    assert isinstance(output, BeforeToolHookOutput)
    assert output.get_modified_tool_input() == {"path": "a.txt", "mode": "w"}
    assert (output.should_stop_execution(), output.stop_reason) == (True, "end")


@pytest.mark.req("HOOK-128", "HOOK-151", "HOOK-208", "HOOK-217")
def test_after_a_tool_every_effect_is_in_the_output_and_the_result_is_left_alone(project: Project, make: Make) -> None:
    said = {"systemMessage": "s1", "suppressOutput": True, "hookSpecificOutput": {"additionalContext": "c1"}}
    more = {"systemMessage": "s2", "hookSpecificOutput": {"additionalContext": "c2"}}
    given = {**RESULT}

    config = make(AfterTool=[says(said), says(more), "cat > told.json"])
    output = asyncio.run(fire_after_tool_hook(config, "write_file", INPUT, given))

    assert output is not None
    assert (output.system_message, output.get_additional_context()) == ("s1\ns2", "c1\nc2")
    assert output.suppress_output
    assert given == RESULT == project.json("told.json")["tool_response"]


@pytest.mark.req("HOOK-065", "HOOK-127", "HOOK-128")
@pytest.mark.parametrize("hooks", [{}, {"BeforeTool": ["true"], "AfterTool": ["true"]}], ids=["none", "silent"])
def test_where_hooks_say_nothing_there_is_no_output(make: Make, hooks: dict[str, Any]) -> None:
    config = make(**hooks)

    assert asyncio.run(fire_before_tool_hook(config, "write_file", INPUT)) is None
    assert asyncio.run(fire_after_tool_hook(config, "write_file", INPUT, RESULT)) is None


# Models


@pytest.mark.req("HOOK-135", "HOOK-036")
def test_a_blocked_request_comes_with_the_hook_s_response(make: Make) -> None:
    deny = {"decision": "deny", "reason": "no", "hookSpecificOutput": {"llm_response": RESPONSE}}

    result = before_model(make(BeforeModel=[says(deny)]))

    assert (result.blocked, result.reason, result.modified_request) == (True, "no", None)
    assert type(result.synthetic_response) is T.GenerateContentResponse
    assert result.synthetic_response.text == "Hello you"


@pytest.mark.req("HOOK-037", "HOOK-184", "HOOK-194")
@pytest.mark.parametrize(
    ("said", "reason", "stops"),
    [
        ({"decision": "block", "reason": "no"}, "no", False),
        ({"continue": False, "stopReason": "end"}, "end", True),
        ({"decision": "allow", "continue": False}, "", True),
    ],
)
def test_a_block_and_a_stop_are_both_blocked_and_nothing_is_made_up(
    make: Make, said: dict[str, Any], reason: str, stops: bool
) -> None:
    result = before_model(make(BeforeModel=[says(said)]))

    assert (result.blocked, result.reason, result.synthetic_response) == (True, reason, None)
    assert result.output is not None
    assert result.output.should_stop_execution() is stops


@pytest.mark.req("HOOK-135", "HOOK-038", "HOOK-141", "HOOK-159")
def test_a_changed_request_is_a_call_of_the_sdk_and_the_given_one_stays(make: Make) -> None:
    given = call()
    config = make(BeforeModel=[specific(llm_request={"model": "m-2"}), "echo be good"])

    result = before_model(config, given)

    assert not result.blocked
    assert result.modified_request is not None
    assert (result.modified_request["model"], result.modified_request["config"]) == ("m-2", given["config"])
    view = default_hook_translator.to_hook_llm_request(result.modified_request)
    assert view["messages"] == [*REQUEST["messages"], {"role": "user", "content": "[System] be good"}]  # type: ignore[misc]
    assert given == call()


@pytest.mark.req("HOOK-135")
@pytest.mark.parametrize("commands", [[], ["true"], [says({"decision": "allow"})], [specific(llm_request={})]])
def test_a_request_that_nobody_changes_is_not_modified(make: Make, commands: list[str]) -> None:
    result = before_model(make(BeforeModel=commands))

    assert (result.blocked, result.reason, result.synthetic_response, result.modified_request) == (
        *(False, "", None),
        None,
    )


@pytest.mark.req("HOOK-136", "HOOK-047", "HOOK-048", "HOOK-153")
@pytest.mark.parametrize(
    ("said", "text", "stops"),
    [
        ({"hookSpecificOutput": {"llm_response": {"text": "Bye"}}}, "Bye", False),
        ({"continue": False, "stopReason": "enough"}, "enough", True),
    ],
)
def test_after_the_model_the_result_holds_the_response_to_go_on_with(
    make: Make, said: dict[str, Any], text: str, stops: bool
) -> None:
    result = after_model(make(AfterModel=[says(said)]), response())

    assert type(result.response) is T.GenerateContentResponse
    assert result.response.text == text
    assert isinstance(result.output, AfterModelHookOutput)
    assert result.output.should_stop_execution() is stops


@pytest.mark.req("HOOK-136", "HOOK-049", "HOOK-180")
def test_after_the_model_a_block_changes_nothing_and_what_to_hide_is_said(make: Make) -> None:
    given = response()

    result = after_model(make(AfterModel=["exit 2", says({"suppressOutput": True})]), given)

    assert result.response is given
    assert result.output is not None
    assert result.output.suppress_output


@pytest.mark.req("HOOK-137", "HOOK-055", "HOOK-154", "HOOK-167", "HOOK-168")
@pytest.mark.parametrize("form", ["mapping", "object"])
def test_a_selection_gives_a_tool_config_of_the_sdk_and_all_tools(make: Make, form: str) -> None:
    hook = specific(toolConfig={"mode": "ANY", "allowedFunctionNames": ["look_up"]})
    given = call()
    config = given["config"] if form == "mapping" else T.GenerateContentConfig(**given["config"])

    result = select(make(BeforeToolSelection=[hook]), {**given, "config": config})

    choice = T.ToolConfig.model_validate(result.tool_config).function_calling_config
    assert choice is not None
    assert (choice.mode, choice.allowed_function_names) == (T.FunctionCallingConfigMode.ANY, ["look_up"])
    assert T.GenerateContentConfig(tools=result.tools).tools == T.GenerateContentConfig(tools=TOOLS).tools


@pytest.mark.req("HOOK-137", "HOOK-058")
def test_a_selection_without_a_wish_changes_nothing_and_a_stop_is_said(make: Make) -> None:
    result = select(make(BeforeToolSelection=[says({"continue": False})]))

    assert (result.tool_config, result.tools) == (None, None)
    assert result.output is not None
    assert result.output.should_stop_execution()
    assert select(make()) == BeforeToolSelectionHookResult()


# Whatever happens


def outcomes(config: Config, given: Any) -> list[Any]:
    return [
        asyncio.run(fire_before_tool_hook(config, "write_file", INPUT)),
        asyncio.run(fire_after_tool_hook(config, "write_file", INPUT, RESULT)),
        before_model(config),
        after_model(config, given),
        select(config),
    ]


EVENTS = ("BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection")


@pytest.mark.req("HOOK-111", "HOOK-113", "HOOK-115", "HOOK-116")
@pytest.mark.parametrize("fault", ["no folder", "no handler", "no system"])
def test_where_the_system_fails_every_trigger_gives_its_safe_default(
    project: Project, make: Make, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    config = make(**{event: ["exit 2"] for event in EVENTS})
    if fault == "no folder":
        shutil.rmtree(project.root)
    elif fault == "no handler":
        monkeypatch.setattr(HookEventHandler, "__getattribute__", broken)
    else:
        config.lock = None  # type: ignore[assignment]
    given = response()

    expected = [None, None, BeforeModelHookResult(blocked=False), AfterModelHookResult(response=given)]
    assert outcomes(config, given) == [*expected, BeforeToolSelectionHookResult()]
    assert {record.levelname for record in caplog.records if record.name == "tenterhook.llxprt"} == {"WARNING"}
    called = asyncio.run(execute_tool_with_hooks(config, "write_file", INPUT, lambda input: "wrote it"))
    assert called.llm_content == "wrote it"


def broken(self: object, name: str) -> Any:
    raise OSError("the handler is gone")


class Unreadable(Mapping[str, Any]):
    """A request that fails whoever looks at it."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("the request is gone")

    def __iter__(self) -> Any:
        raise RuntimeError("the request is gone")

    def __len__(self) -> int:
        return 1


@pytest.mark.req("HOOK-111", "HOOK-116")
def test_a_request_that_cannot_be_read_lets_the_call_go_on(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    config = make(BeforeModel=["exit 2"], BeforeToolSelection=["true"])

    assert before_model(config, Unreadable()) == BeforeModelHookResult(blocked=False)
    assert select(config, Unreadable()) == BeforeToolSelectionHookResult()
    assert "the request is gone" in caplog.text


@pytest.mark.req("HOOK-111")
def test_a_response_of_another_kind_stays_as_it_is(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    assert after_model(make(AfterModel=["true"]), "hello").response == "hello"
    assert "a response of google-genai is needed, not str" in caplog.text


def test_a_response_that_cannot_be_built_does_not_lift_the_block(
    make: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As where the SDK is not installed."""
    deny = {"decision": "deny", "reason": "no", "hookSpecificOutput": {"llm_response": RESPONSE}}
    config = make(BeforeModel=[says(deny)])
    monkeypatch.setitem(sys.modules, "google.genai.types", None)

    result = before_model(config)

    assert (result.blocked, result.reason, result.synthetic_response) == (True, "no", None)
    assert "tenterhook[genai]" in caplog.text


def test_triggers_take_their_arguments_by_name_too(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    config = make()
    config.lock = None  # type: ignore[assignment]
    given = response()

    result = asyncio.run(fire_after_model_hook(config=config, llm_request=call(), llm_response=given))

    assert result.response is given
    assert logging.WARNING in {record.levelno for record in caplog.records}


# Every caller waits for the answer


class Waiting(ast.NodeVisitor):
    """Calls of what fires events, and whether the answer is awaited and used."""

    def __init__(self) -> None:
        self.awaited: set[int] = set()
        self.unused: set[int] = set()
        self.calls: dict[int, str] = {}

    def visit_Await(self, node: ast.Await) -> None:
        self.awaited.add(id(node.value))
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Await):
            self.unused.add(id(node.value.value))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "execute_tool_with_hooks" or (name.startswith("fire_") and name.endswith(("_hook", "_event"))):
            self.calls[id(node)] = f"{name}, line {node.lineno}"
        self.generic_visit(node)

    def careless(self) -> list[str]:
        return [said for call, said in self.calls.items() if call not in self.awaited - self.unused]


@pytest.mark.req("HOOK-134")
def test_every_caller_of_a_trigger_awaits_and_uses_what_it_gives() -> None:
    found: dict[str, list[str]] = {}
    calls = 0
    for path in sorted(Path(tenterhook.__file__).parent.rglob("*.py")):
        waiting = Waiting()
        waiting.visit(ast.parse(path.read_text()))
        calls += len(waiting.calls)
        if waiting.careless():
            found[path.name] = waiting.careless()

    assert not found
    assert calls >= 8


@pytest.mark.parametrize(
    ("text", "careless"),
    [
        ("x = await fire_before_tool_hook(config)", 0),
        ("return (await handler.fire_before_tool_event()).final_output", 0),
        ("fire_before_tool_hook(config)", 1),
        ("await fire_before_tool_hook(config)", 1),
        ("create_task(handler.fire_before_tool_event())", 1),
    ],
)
def test_a_careless_caller_would_be_found(text: str, careless: int) -> None:
    waiting = Waiting()
    waiting.visit(ast.parse(f"async def caller():\n    {text}"))

    assert len(waiting.careless()) == careless

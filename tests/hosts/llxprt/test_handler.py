"""The event handler: what hooks are told, who is asked in which order, and that nothing is ever raised."""

import asyncio
import logging
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from conftest import Project
from hosts.models.genai_host import REQUEST, RESPONSE, call
from requirements.llxprt import group, says, specific
from tenterhook.hosts.llxprt import (
    AggregatedHookResult,
    Config,
    HookAggregator,
    HookEventHandler,
    HookPlanner,
    HookRunner,
    fire_before_tool_hook,
)

from .conftest import Make
from .genai import response
from .test_system import system_of

FIRES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "BeforeTool": ("before_tool", ("write", {"p": 1}), {"tool_name": "write", "tool_input": {"p": 1}}),
    "AfterTool": (
        "after_tool",
        ("write", {"p": 1}, {"llmContent": "done"}),
        {"tool_name": "write", "tool_input": {"p": 1}, "tool_response": {"llmContent": "done"}},
    ),
    "BeforeModel": ("before_model", (call(),), {"llm_request": REQUEST}),
    "AfterModel": ("after_model", (call(), response()), {"llm_request": REQUEST, "llm_response": RESPONSE}),
    "BeforeToolSelection": ("before_tool_selection", (call(),), {"llm_request": REQUEST}),
    "BeforeAgent": ("before_agent", ("do it",), {"prompt": "do it"}),
    "AfterAgent": (
        "after_agent",
        ("do it", "done"),
        {"prompt": "do it", "prompt_response": "done", "stop_hook_active": False},
    ),
    "SessionStart": ("session_start", ("startup",), {"source": "startup"}),
    "SessionEnd": ("session_end", ("exit",), {"reason": "exit"}),
    "PreCompress": ("pre_compress", ("auto",), {"trigger": "auto"}),
    "Notification": (
        "notification",
        ("ToolPermission", "may I?", {"a": 1}),
        {"notification_type": "ToolPermission", "message": "may I?", "details": {"a": 1}},
    ),
}
EMPTY = AggregatedHookResult(success=True, final_output=None, all_outputs=[], errors=[], total_duration=0)


def fire(handler: HookEventHandler, event: str) -> AggregatedHookResult:
    name, arguments, _ = FIRES[event]
    return asyncio.run(getattr(handler, f"fire_{name}_event")(*arguments))  # type: ignore[no-any-return]


@pytest.mark.req("HOOK-035", "HOOK-045", "HOOK-050", "HOOK-144", "HOOK-161", "HOOK-203", "HOOK-205", "HOOK-215")
@pytest.mark.parametrize("event", FIRES)
def test_every_event_tells_its_hooks_the_base_fields_of_the_config_and_its_own(
    project: Project, make: Make, event: str
) -> None:
    config = make(**{event: ["cat > told.json"]}, session_id="s-1")

    fire(system_of(config).get_event_handler(), event)

    told = project.json("told.json")
    stamp = told.pop("timestamp")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stamp)
    assert datetime.now(UTC) - datetime.fromisoformat(stamp) < timedelta(minutes=5)
    base = {"session_id": "s-1", "cwd": str(project.root), "hook_event_name": event, "transcript_path": ""}
    assert told == {**base, **FIRES[event][2]}


@pytest.mark.req("HOOK-144", "HOOK-188", "HOOK-215")
def test_base_fields_are_those_that_the_config_gives_at_that_moment(project: Project) -> None:
    class Wandering(Config):
        turn = 0

        def get_session_id(self) -> str:
            return f"s-{self.turn}"

        def get_working_dir(self) -> str:
            return f"/w/{self.turn}"

    hooks = {"BeforeTool": [group('cat > told.json; printf %s "$LLXPRT_PROJECT_DIR" > dir')]}
    config = Wandering(project.root, enable_hooks=True, hooks=hooks, environ=project.environ())
    for turn in (1, 2):
        config.turn = turn
        asyncio.run(fire_before_tool_hook(config, "write", {}))

        told = project.json("told.json")
        assert (told["session_id"], told["cwd"], project.read("dir")) == (f"s-{turn}", f"/w/{turn}", f"/w/{turn}")


@pytest.mark.req("HOOK-145")
@pytest.mark.parametrize("hooks", [{}, {"BeforeTool": ["true"], "matcher": "^other$"}], ids=["none", "no match"])
def test_where_no_hook_runs_the_result_is_an_empty_success(make: Make, hooks: dict[str, Any]) -> None:
    assert fire(system_of(make(**hooks)).get_event_handler(), "BeforeTool") == EMPTY


@pytest.mark.req("HOOK-146")
@pytest.mark.parametrize(
    ("commands", "said"),
    [
        (["true", "sleep 0.05"], r"BeforeTool: success, hooks: 2, seconds: 0\.(0[5-9]|[1-9])\d*"),
        (["exit 2"], r"BeforeTool: failure, hooks: 1, seconds: 0\.\d+"),
        ([], r"BeforeTool: success, hooks: 0, seconds: 0\.000"),
    ],
    ids=["success", "failure", "nothing"],
)
def test_every_event_is_in_the_log_at_debug_level(
    make: Make, caplog: pytest.LogCaptureFixture, commands: list[str], said: str
) -> None:
    caplog.set_level(logging.DEBUG, "tenterhook.llxprt")

    fire(system_of(make(BeforeTool=commands)).get_event_handler(), "BeforeTool")

    [line] = [record.getMessage() for record in caplog.records if record.levelname == "DEBUG"]
    assert re.fullmatch(said, line)


@pytest.mark.req("HOOK-023", "HOOK-031", "HOOK-042", "HOOK-052", "HOOK-060", "HOOK-068", "HOOK-110")
@pytest.mark.parametrize("event", list(FIRES)[:5])
def test_a_hook_that_fails_lets_things_go_on_and_is_in_the_log_with_its_exit_code_and_stderr(
    make: Make, caplog: pytest.LogCaptureFixture, event: str
) -> None:
    result = fire(system_of(make(**{event: ["echo first >&2; echo last >&2; exit 7"]})).get_event_handler(), event)

    assert not result.success
    assert result.final_output is not None
    assert not result.final_output.is_blocking_decision()
    [record] = [record for record in caplog.records if record.name.startswith("tenterhook")]
    assert record.levelname == "WARNING"
    assert all(word in record.getMessage() for word in (event, "exit code 7", "first\nlast"))


def test_a_block_is_an_answer_and_no_warning(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    fire(system_of(make(BeforeTool=["echo no >&2; exit 2"])).get_event_handler(), "BeforeTool")

    assert not caplog.records


def test_an_answer_that_cannot_count_is_in_the_log(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    result = fire(system_of(make(BeforeTool=[says({"decision": "dney"})])).get_event_handler(), "BeforeTool")

    assert result.success
    assert "'dney', which decides nothing" in caplog.text


class Broken:
    """A part that fails whenever anything is asked of it."""

    def __getattr__(self, name: str) -> Any:
        raise OSError("the part is gone")


@pytest.mark.req("HOOK-111", "HOOK-113", "HOOK-147")
@pytest.mark.parametrize("part", ["registry", "planner", "runner", "aggregator", "config"])
@pytest.mark.parametrize("event", FIRES)
def test_where_a_part_fails_no_hook_counts_and_the_log_says_so(
    make: Make, caplog: pytest.LogCaptureFixture, part: str, event: str
) -> None:
    handler = system_of(make(**{event: ["true"]})).get_event_handler()
    assert fire(handler, event).outcome.attempts
    setattr(handler, part, Broken())

    assert fire(handler, event) == EMPTY
    [record] = [record for record in caplog.records if record.name == "tenterhook.llxprt"]
    assert record.levelname == "WARNING"
    assert "the part is gone" in caplog.text


@pytest.mark.req("HOOK-162", "HOOK-163", "HOOK-164", "HOOK-165", "HOOK-166")
@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("event", list(FIRES)[:5])
def test_a_handler_asks_its_parts_one_after_another(make: Make, event: str, sequential: bool) -> None:
    """Each is really asked: here by parts that write down what they hear and go on."""
    heard: list[Any] = []

    class Planner(HookPlanner):
        def create_execution_plan(self, event_name: str, context: Any = None, input: Any = None) -> Any:
            heard.append(("plan", event_name, context))
            return super().create_execution_plan(event_name, context, input)

    class Runner(HookRunner):
        async def execute_hooks_parallel(self, hooks: Any, event_name: str, input: Any) -> Any:
            heard.append(("parallel", event_name, [hook.name for hook in hooks]))
            return await super().execute_hooks_parallel(hooks, event_name, input)

        async def execute_hooks_sequential(self, hooks: Any, event_name: str, input: Any) -> Any:
            heard.append(("sequential", event_name, [hook.name for hook in hooks]))
            return await super().execute_hooks_sequential(hooks, event_name, input)

    class Aggregator(HookAggregator):
        def aggregate_results(self, results: Any, event_name: str, input: Any = None) -> Any:
            heard.append(("aggregate", event_name, [result.success for result in results]))
            return super().aggregate_results(results, event_name, input)

    config = make(**{event: ["true", "exit 1"]}, sequential=sequential)
    system = system_of(config)
    parts = (part(system.engine) for part in (Planner, Runner, Aggregator))
    fire(HookEventHandler(config, system.get_registry(), *parts), event)  # type: ignore[arg-type]

    assert heard == [
        ("plan", event, {"toolName": "write"} if "tool_name" in FIRES[event][2] else None),
        ("sequential" if sequential else "parallel", event, ["true", "exit 1"]),
        ("aggregate", event, [True, False]),
    ]


def test_an_entry_s_own_condition_sees_the_whole_event(make: Make) -> None:
    """Matchers see the tool's name alone; conditions are about its input."""
    entry = {"type": "command", "command": "exit 2", "tenterhook": {"if": {"tool_input.path": "*.env"}}}
    handler = system_of(make(BeforeTool=[entry])).get_event_handler()

    blocked = [asyncio.run(handler.fire_before_tool_event("write", {"path": path})) for path in ("a.env", "a.txt")]

    assert [result.final_output is not None for result in blocked] == [True, False]


@pytest.mark.req("HOOK-105", "HOOK-106", "HOOK-216")
def test_changes_of_a_chain_add_up_to_one_complete_value(make: Make) -> None:
    changes = [specific(tool_input={"path": "b"}), specific(tool_input={"mode": "w"})]
    requests = [specific(llm_request={"model": "m-2"}), specific(llm_request={"config": {"topK": 1}})]
    config = make(BeforeTool=changes, BeforeModel=requests, sequential=True)
    handler = system_of(config).get_event_handler()

    tool = asyncio.run(handler.fire_before_tool_event("write", {"path": "a", "text": "x"})).final_output
    model = asyncio.run(handler.fire_before_model_event(call())).final_output

    assert tool is not None
    assert tool.hook_specific_output["tool_input"] == {"path": "b", "text": "x", "mode": "w"}
    assert model is not None
    assert model.hook_specific_output["llm_request"] == {**REQUEST, "model": "m-2", "config": {"topK": 1}}


def test_an_event_that_is_cancelled_is_cancelled(project: Project, make: Make) -> None:
    """Never to raise is about failures: a host that gives up must get away."""
    handler = system_of(make(BeforeTool=["touch started; sleep 30"])).get_event_handler()

    async def given_up() -> None:
        firing = asyncio.ensure_future(handler.fire_before_tool_event("write", {}))
        while not project.has("started"):
            await asyncio.sleep(0.01)
        firing.cancel()
        await firing

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(given_up(), 20))

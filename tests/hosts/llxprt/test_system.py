"""The system and its parts: each made once, each good for itself."""

import asyncio
import inspect
from typing import Any

import pytest

from conftest import Project
from requirements.llxprt import CALL, REQUEST, group, says, specific
from tenterhook import UsageError
from tenterhook.hosts import llxprt
from tenterhook.hosts.llxprt import (
    AggregatedHookResult,
    Config,
    DefaultHookOutput,
    HookAggregator,
    HookEventHandler,
    HookEventName,
    HookExecutionResult,
    HookPlanner,
    HookRegistry,
    HookRegistryNotInitializedError,
    HookRunner,
    HookSystem,
    HookSystemNotInitializedError,
    HookSystemStatus,
    fire_after_tool_hook,
    fire_before_tool_hook,
)

from .conftest import Make


def system_of(config: Config, *, ready: bool = True) -> HookSystem:
    system = config.get_hook_system()
    assert system is not None
    if ready:
        system.initialize()
    return system


@pytest.mark.req("HOOK-005", "HOOK-148")
@pytest.mark.parametrize("accessor", ["get_registry", "get_event_handler"])
def test_before_it_is_ready_a_system_gives_none_of_its_parts(make: Make, accessor: str) -> None:
    system = system_of(make(), ready=False)

    with pytest.raises(HookSystemNotInitializedError, match="call initialize"):
        getattr(system, accessor)()
    system.initialize()
    assert getattr(system, accessor)() is getattr(system, accessor)()


@pytest.mark.req("HOOK-148")
def test_its_error_is_made_after_that_of_the_registry() -> None:
    assert HookSystemNotInitializedError.__mro__[1:] == HookRegistryNotInitializedError.__mro__[1:]
    assert HookSystemNotInitializedError.__module__ == HookSystem.__module__


@pytest.mark.req("HOOK-006", "HOOK-142", "HOOK-143", "HOOK-175")
def test_what_a_system_shows_and_what_it_keeps_to_itself(make: Make) -> None:
    system = system_of(make())

    shown = {name for name in dir(system) if not name.startswith("_")}
    assert shown == {"engine", "get_event_handler", "get_registry", "get_status", "initialize"}
    handler = system.get_event_handler()
    assert isinstance(handler, HookEventHandler)
    assert isinstance(system.get_registry(), HookRegistry)
    kinds = HookPlanner, HookRunner, HookAggregator
    assert kinds == tuple(type(part) for part in (handler.planner, handler.runner, handler.aggregator))
    for event in ("before_tool", "after_tool", "before_model", "after_model", "before_tool_selection"):
        assert inspect.iscoroutinefunction(getattr(handler, f"fire_{event}_event"))


@pytest.mark.req("HOOK-003", "HOOK-004", "HOOK-006", "HOOK-007", "HOOK-008", "HOOK-206")
def test_events_make_the_system_ready_once_and_use_the_same_parts(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    parts = HookRegistry, HookPlanner, HookRunner, HookAggregator, HookEventHandler

    def counting(kind: type, method: str) -> None:
        original = getattr(kind, method)

        def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
            made.append(f"{kind.__name__}.{method}")
            return original(self, *args, **kwargs)

        monkeypatch.setattr(kind, method, counted)

    for kind in parts:
        counting(kind, "__init__")
    counting(HookRegistry, "initialize")
    config = make(BeforeTool=["true"], AfterTool=["true"])
    system = system_of(config, ready=False)

    assert "HookRegistry.initialize" not in made
    for _ in range(3):
        asyncio.run(fire_before_tool_hook(config, "t", {}))
        asyncio.run(fire_after_tool_hook(config, "t", {}, {}))
    system.initialize()
    assert sorted(made) == sorted([*(f"{kind.__name__}.__init__" for kind in parts), "HookRegistry.initialize"])


@pytest.mark.req("HOOK-003")
def test_hooks_are_not_read_again_where_the_first_try_failed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def failing(self: HookRegistry) -> None:
        tries.append(1)
        raise OSError("the disk is gone")

    monkeypatch.setattr(HookRegistry, "initialize", failing)
    config = make(BeforeTool=["exit 2"])

    assert [asyncio.run(fire_before_tool_hook(config, "t", {})) for _ in range(3)] == [None] * 3
    assert tries == [1]


@pytest.mark.req("HOOK-009")
def test_the_status_says_whether_it_is_ready_and_how_many_hooks_there_are(make: Make) -> None:
    system = system_of(make(BeforeTool=["a", "b"], AfterModel=["c"]), ready=False)

    assert system.get_status() == HookSystemStatus(initialized=False, total_hooks=0)
    system.initialize()
    assert system.get_status() == HookSystemStatus(initialized=True, total_hooks=3)


def test_public_names_are_sorted_and_there() -> None:
    assert sorted(llxprt.__all__) == llxprt.__all__
    assert all(getattr(llxprt, name) is not None for name in llxprt.__all__)


def test_the_names_of_events_are_those_of_the_dialect(make: Make) -> None:
    names = [rule.name for rule in system_of(make()).engine.dialect.events]

    assert sorted(names) == sorted(str(name) for name in HookEventName)


# The registry


def test_a_registry_that_was_not_made_ready_knows_nothing(make: Make) -> None:
    registry = HookRegistry(system_of(make(), ready=False).engine)

    for ask in (registry.get_all_hooks, lambda: registry.get_hooks_for_event("BeforeTool")):
        with pytest.raises(HookRegistryNotInitializedError, match="call initialize"):
            ask()


def test_a_registry_gives_the_hooks_of_an_event_in_their_order(make: Make) -> None:
    registry = system_of(make(BeforeTool=["one", "two"], AfterTool=["three"])).get_registry()

    assert [hook.name for hook in registry.get_hooks_for_event("BeforeTool")] == ["one", "two"]
    assert [hook.name for hook in registry.get_all_hooks()] == ["one", "two", "three"]


def test_a_hook_can_be_switched_off_and_on_and_keeps_its_place(project: Project, make: Make) -> None:
    project.logs("one", "two", "three")
    config = make(BeforeTool=["./one", "./two", "./three"], sequential=True)
    registry = system_of(config).get_registry()

    registry.set_hook_enabled("./two", False)
    asyncio.run(fire_before_tool_hook(config, "t", {}))
    assert [hook.name for hook in registry.get_hooks_for_event("BeforeTool")] == ["./one", "./three"]
    registry.set_hook_enabled("./two", True)
    asyncio.run(fire_before_tool_hook(config, "t", {}))

    assert project.read("order").split() == ["one", "three", "one", "two", "three"]
    with pytest.raises(UsageError, match="no hook is called 'four'"):
        registry.set_hook_enabled("four", False)


# The planner


@pytest.mark.req("HOOK-021", "HOOK-090", "HOOK-109")
def test_a_planner_filters_by_the_tool_leaves_out_duplicates_and_says_in_which_order(make: Make) -> None:
    groups = [group("one", "two", matcher="write"), group("two", sequential=True), group("three", matcher="^read")]
    planner = HookPlanner(system_of(make(hooks={"BeforeTool": groups})).engine)

    plan = planner.create_execution_plan("BeforeTool", {"tool_name": "write_file"})
    assert plan is not None
    assert ([hook.name for hook in plan.hooks], plan.sequential) == (["one", "two"], False)
    plan = planner.create_execution_plan("BeforeTool", {"tool_name": "other"})
    assert plan is not None
    assert ([hook.name for hook in plan.hooks], plan.sequential) == (["two"], True)
    assert planner.create_execution_plan("AfterTool", {"tool_name": "write_file"}) is None


@pytest.mark.req("HOOK-087", "HOOK-089", "HOOK-162")
@pytest.mark.parametrize(
    ("context", "names"),
    [
        ({"toolName": "write_file"}, ["one", "two"]),
        ({"toolName": "read_file"}, ["two"]),
        (None, ["one", "two"]),
        ({"trigger": "manual"}, ["one", "two"]),
    ],
    ids=str,
)
def test_a_planner_takes_the_context_of_the_document_and_without_a_tool_no_matcher_counts(
    make: Make, context: dict[str, str] | None, names: list[str]
) -> None:
    groups = [group("one", "two", matcher="write"), group("two")]
    planner = HookPlanner(system_of(make(hooks={"BeforeTool": groups})).engine)

    for _ in range(2):
        plan = planner.create_execution_plan("BeforeTool", context)
        assert plan is not None
        assert [hook.name for hook in plan.hooks] == names


def test_without_a_context_a_hook_that_runs_once_runs_once_too(make: Make) -> None:
    once = {"type": "command", "command": "one", "tenterhook": {"once": True}}
    planner = HookPlanner(system_of(make(hooks={"BeforeTool": [group(once, matcher="write")]})).engine)

    assert planner.create_execution_plan("BeforeTool") is not None
    assert planner.create_execution_plan("BeforeTool") is None


@pytest.mark.req("HOOK-041", "HOOK-163")
def test_for_a_model_event_no_matcher_counts(make: Make) -> None:
    planner = HookPlanner(system_of(make(BeforeModel=["one"], matcher="write")).engine)

    assert planner.create_execution_plan("BeforeModel") is not None


# The runner


def run(config: Config, event: str, input: dict[str, Any], how: str) -> list[HookExecutionResult]:
    system = system_of(config)
    hooks = system.get_registry().get_hooks_for_event(event)
    runner = HookRunner(system.engine)
    execute = runner.execute_hooks_sequential if how == "sequential" else runner.execute_hooks_parallel
    return asyncio.run(execute(hooks, event, input))


@pytest.mark.req("HOOK-070", "HOOK-067a", "HOOK-067b", "HOOK-064", "HOOK-209")
@pytest.mark.parametrize("how", ["parallel", "sequential"])
@pytest.mark.parametrize(
    ("command", "success", "exit_code", "output"),
    [
        ("exit 0", True, 0, None),
        ("echo fine", True, 0, {"decision": "allow", "systemMessage": "fine"}),
        ("echo no >&2; exit 2", False, 2, {"decision": "deny", "reason": "no"}),
        ("exit 2", False, 2, {"decision": "deny", "reason": "Blocked by hook"}),
        ("exit 1", False, 1, None),
        ("echo odd >&2; exit 3", False, 3, {"decision": "allow", "systemMessage": "Warning: odd"}),
    ],
)
def test_a_runner_says_how_each_hook_ended_and_what_it_answered(
    make: Make, how: str, command: str, success: bool, exit_code: int, output: Any
) -> None:
    [result] = run(make(BeforeTool=[command]), "BeforeTool", CALL, how)

    assert (result.success, result.exit_code) == (success, exit_code)
    assert (result.output and result.output.data) == output
    assert bool(result.error) == (exit_code not in (0, 2))
    assert result.duration > 0
    assert result.hook is not None
    assert result.hook.name == command


@pytest.mark.req("HOOK-196")
def test_a_hook_that_a_signal_ended_is_no_success_and_has_exit_code_zero(make: Make) -> None:
    [result] = run(make(BeforeTool=["echo dying >&2; kill -9 $$"]), "BeforeTool", CALL, "parallel")

    assert (result.success, result.exit_code, result.attempt.signal) == (False, 0, "SIGKILL")
    assert result.output == DefaultHookOutput({"decision": "allow", "systemMessage": "Warning: dying"})
    assert "SIGKILL" in result.error


@pytest.mark.req("HOOK-119", "HOOK-195")
@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ({"type": "command", "command": "sleep 9", "timeout": 100}, "0.1 s"),
        ({"type": "plugin", "command": "true"}, "plugin"),
    ],
    ids=["timeout", "plugin"],
)
def test_a_hook_without_an_end_of_its_own_has_failed_and_the_log_says_why(
    make: Make, caplog: pytest.LogCaptureFixture, entry: dict[str, Any], word: str
) -> None:
    [result] = run(make(BeforeTool=[entry]), "BeforeTool", CALL, "parallel")

    assert (result.success, result.exit_code, result.output) == (False, None, None)
    assert word in result.error
    assert word in caplog.text


@pytest.mark.req("HOOK-104", "HOOK-106", "HOOK-108", "HOOK-216")
@pytest.mark.parametrize("how", ["parallel", "sequential"])
def test_only_hooks_in_a_row_see_what_those_before_them_changed(project: Project, make: Make, how: str) -> None:
    config = make(BeforeTool=[specific(tool_input={"path": "b.txt"}), "cat > told.json"])

    first, second = run(config, "BeforeTool", CALL, how)

    told = "b.txt" if how == "sequential" else "a.txt"
    assert project.json("told.json")["tool_input"] == {"path": told, "content": "x"}
    assert (first.step, second.step) == ((0, 1) if how == "sequential" else (0, 0))


@pytest.mark.req("HOOK-107")
def test_a_block_ends_a_chain_and_not_hooks_that_run_at_once(make: Make) -> None:
    config = make(BeforeTool=["exit 2", "true"])

    assert [len(run(config, "BeforeTool", CALL, how)) for how in ("sequential", "parallel")] == [1, 2]


def test_one_hook_can_be_run_alone_and_no_hooks_give_no_results(make: Make) -> None:
    system = system_of(make(BeforeTool=["echo hi"]))
    runner = HookRunner(system.engine)
    [hook] = system.get_registry().get_all_hooks()

    assert asyncio.run(runner.execute_hook(hook, "BeforeTool", CALL)).stdout == "hi\n"
    assert asyncio.run(runner.execute_hooks_parallel([], "BeforeTool", CALL)) == []


def test_taps_of_the_engine_hear_of_what_a_runner_ran(make: Make) -> None:
    config, heard = make(BeforeTool=["exit 2"]), []
    system_of(config).engine.tap(heard.append)

    run(config, "BeforeTool", CALL, "parallel")

    assert [(one.event, one.blocked) for one in heard] == [("BeforeTool", True)]


# The aggregator


def aggregate(make: Make, event: str, *outputs: dict[str, Any], **options: Any) -> AggregatedHookResult:
    """Of results that were made by hand."""
    results = [HookExecutionResult(event_name=event, output=DefaultHookOutput(data)) for data in outputs]
    return HookAggregator(system_of(make()).engine).aggregate_results(results, event, **options)


def final(make: Make, event: str, *outputs: dict[str, Any], **options: Any) -> DefaultHookOutput:
    output = aggregate(make, event, *outputs, **options).final_output
    assert output is not None
    return output


@pytest.mark.req("HOOK-092", "HOOK-093", "HOOK-094", "HOOK-095", "HOOK-096", "HOOK-097", "HOOK-208")
def test_for_tools_any_block_wins_and_texts_are_joined(make: Make) -> None:
    one = {"decision": "allow", "reason": "fine", "systemMessage": "s1", "suppressOutput": True}
    other = {"decision": "block", "reason": "no", "systemMessage": "s2", "continue": False, "stopReason": "end"}
    context = [{"hookSpecificOutput": {"additionalContext": text}} for text in ("c1", "c2")]

    output = final(make, "AfterTool", {**one, **context[0]}, {**other, **context[1]})

    assert output.is_blocking_decision()
    assert output.reason == "fine\nno"
    assert output.system_message == "s1\ns2"
    assert output.get_additional_context() == "c1\nc2"
    assert output.suppress_output
    assert (output.should_stop_execution(), output.stop_reason) == (True, "end")


@pytest.mark.req("HOOK-098")
def test_for_models_later_fields_replace_earlier_ones(make: Make) -> None:
    answers = [{"hookSpecificOutput": {"llm_request": {"model": name}}} for name in ("m-2", "m-3")]

    output = final(make, "BeforeModel", *answers)
    assert output.hook_specific_output["llm_request"] == {"model": "m-3"}
    output = final(make, "BeforeModel", *answers, input={"llm_request": REQUEST})
    assert output.hook_specific_output["llm_request"] == {**REQUEST, "model": "m-3"}


@pytest.mark.req("HOOK-099", "HOOK-100", "HOOK-101", "HOOK-102", "HOOK-210")
def test_for_selections_names_add_up_and_the_strictest_mode_wins(make: Make) -> None:
    def config(*configs: dict[str, Any]) -> Any:
        answers = [{"hookSpecificOutput": {"toolConfig": one}} for one in configs]
        return final(make, "BeforeToolSelection", *answers).hook_specific_output["toolConfig"]

    some = {"mode": "AUTO", "allowedFunctionNames": ["b", "a"]}, {"mode": "ANY", "allowedFunctionNames": ["c", "a"]}
    assert config(*some) == {"mode": "ANY", "allowedFunctionNames": ["a", "b", "c"]}
    assert config(*some, {"mode": "NONE"}) == {"mode": "NONE", "allowedFunctionNames": []}


@pytest.mark.req("HOOK-160", "HOOK-213")
def test_success_is_health_and_the_final_output_is_policy(make: Make) -> None:
    def results(success: bool, output: DefaultHookOutput | None, error: str = "") -> HookExecutionResult:
        return HookExecutionResult(event_name="BeforeTool", success=success, output=output, error=error)

    aggregator = HookAggregator(system_of(make()).engine)
    denied = aggregator.aggregate_results([results(False, DefaultHookOutput({"decision": "deny"}))], "BeforeTool")
    failed = aggregator.aggregate_results([results(False, None, "exit code 1"), results(True, None)], "BeforeTool")

    assert (denied.success, denied.errors) == (False, [])
    assert denied.final_output is not None
    assert denied.final_output.is_blocking_decision()
    assert (failed.success, failed.final_output, failed.errors) == (False, None, ["exit code 1"])


@pytest.mark.req("HOOK-112")
def test_of_three_hooks_the_two_that_work_are_heard(make: Make) -> None:
    config = make(AfterTool=[says({"systemMessage": "one"}), "exit 1", says({"systemMessage": "three"})])
    results = run(config, "AfterTool", CALL, "parallel")

    all_of_them = HookAggregator(system_of(config).engine).aggregate_results(results, "AfterTool")

    assert [output.system_message for output in all_of_them.all_outputs] == ["one", "three"]
    assert all_of_them.final_output is not None
    assert all_of_them.final_output.system_message == "one\nthree"
    assert all_of_them.total_duration == sum(result.duration for result in results)


def test_what_a_runner_and_an_aggregator_make_of_hooks_is_what_the_engine_makes_of_them(make: Make) -> None:
    """The facade reads outputs back as answers; nothing may be lost on the way."""
    answers = [
        {"decision": "approve", "reason": "fine", "suppressOutput": True},
        {"hookSpecificOutput": {"tool_input": {"path": "b"}, "additionalContext": "c", "hookEventName": "BeforeTool"}},
        {"hookSpecificOutput": {"permissionDecision": "block", "permissionDecisionReason": "not that"}},
        {"continue": False, "stopReason": "end", "systemMessage": "s"},
    ]
    commands = [*map(says, answers), "echo text", "echo why >&2; exit 2", "echo oops >&2; exit 7", "kill -9 $$"]
    config = make(BeforeTool=commands)
    engine = system_of(config).engine

    results = run(config, "BeforeTool", CALL, "parallel")
    facade = HookAggregator(engine).aggregate_results(results, "BeforeTool", CALL).outcome
    own = engine.fire("BeforeTool", **CALL)

    for field in ("decision", "blocked", "reason", "stop", "stop_reason", "suppress", "changes", "success"):
        assert getattr(facade, field) == getattr(own, field), field
    heard = [message for message in own.messages if message.kind != "error"]
    assert sorted(facade.messages, key=repr) == sorted(heard, key=repr)
    assert [one.decision for one in facade.attempts] == [one.decision for one in own.attempts]

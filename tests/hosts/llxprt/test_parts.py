"""The parts on their own, as a program that was ported line by line makes and calls them."""

import asyncio

import pytest

from conftest import Project
from tenterhook.hosts.llxprt import (
    BeforeToolHookOutput,
    Config,
    DefaultHookOutput,
    HookAggregator,
    HookPlanner,
    HookRegistry,
    HookRegistryNotInitializedError,
    HookRunner,
    execute_tool_with_hooks,
)

DENY = {"BeforeTool": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}


@pytest.mark.req("HOOK-006", "HOOK-142")
def test_registry_planner_runner_and_aggregator_work_on_their_own(project: Project) -> None:
    registry = HookRegistry(Config(project.root, enable_hooks=True, hooks=DENY))
    with pytest.raises(HookRegistryNotInitializedError):
        registry.get_hooks_for_event("BeforeTool")
    registry.initialize()
    input = {"tool_name": "write_file", "tool_input": {}}

    plan = HookPlanner(registry).create_execution_plan("BeforeTool", {"tool_name": "write_file"})
    assert plan is not None
    results = asyncio.run(HookRunner(registry).execute_hooks_parallel(plan.hooks, "BeforeTool", input))
    total = HookAggregator(registry).aggregate_results(results, "BeforeTool", input)

    assert total.final_output is not None
    assert total.final_output.is_blocking_decision()
    assert total.final_output.get_effective_reason() == "no"


@pytest.mark.req("HOOK-200")
def test_an_aggregator_needs_nothing_to_name_the_class_of_an_output() -> None:
    data = {"hookSpecificOutput": {"permissionDecision": "block"}}

    for given in (data, DefaultHookOutput(data)):
        made = HookAggregator().create_specific_hook_output(given, "BeforeTool")
        assert isinstance(made, BeforeToolHookOutput)
        assert made.is_blocking_decision()


@pytest.mark.req("HOOK-003", "HOOK-004", "HOOK-009")
def test_initialize_may_be_awaited_and_the_status_read_by_key(project: Project) -> None:
    system = Config(project.root, enable_hooks=True, hooks=DENY).get_hook_system()
    assert system is not None

    async def begin() -> None:
        await system.initialize()
        await system.initialize()

    asyncio.run(begin())

    assert (system.get_status()["initialized"], system.get_status()["total_hooks"]) == (True, 1)


@pytest.mark.req("HOOK-133", "HOOK-183")
def test_a_function_that_takes_nothing_is_a_tool_too(project: Project) -> None:
    async def waits() -> str:
        return "read"

    on, off = Config(project.root, enable_hooks=True, hooks=DENY), Config(project.root)
    for function in (lambda: "read", waits, lambda input: "read"):
        assert asyncio.run(execute_tool_with_hooks(off, "t", {}, function)).llm_content == "read"
        assert asyncio.run(execute_tool_with_hooks(on, "t", {}, function)).llm_content == "no"

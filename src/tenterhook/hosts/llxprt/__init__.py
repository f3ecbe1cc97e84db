"""The hook API of LLxprt Code's own document, in Python spelling, thin over the engine.

    config      the host's own values; the one switch
    system      the parts of one config, made once; registry, planner, runner, aggregator are views over the engine
    handler     one event: plan, run, aggregate; never raises
    triggers    what a host calls before and after its tools and its model
    outputs     the answers of hooks; results (of running them)
    translator  calls of google-genai <-> the stable form that hooks see

Read triggers first, then handler.
"""

from __future__ import annotations

from tenterhook.hosts.llxprt.aggregator import HookAggregator
from tenterhook.hosts.llxprt.config import Config, get_hook_system
from tenterhook.hosts.llxprt.handler import HookEventHandler
from tenterhook.hosts.llxprt.names import ConfigSource, HookEventName
from tenterhook.hosts.llxprt.outputs import (
    AfterModelHookOutput,
    BeforeModelHookOutput,
    BeforeToolHookOutput,
    BeforeToolSelectionHookOutput,
    DefaultHookOutput,
    create_hook_output,
)
from tenterhook.hosts.llxprt.planner import HookExecutionPlan, HookPlanner
from tenterhook.hosts.llxprt.registry import HookRegistry, HookRegistryEntry, HookRegistryNotInitializedError
from tenterhook.hosts.llxprt.results import (
    AfterModelHookResult,
    AggregatedHookResult,
    BeforeModelHookResult,
    BeforeToolSelectionHookResult,
    HookExecutionResult,
)
from tenterhook.hosts.llxprt.runner import HookRunner
from tenterhook.hosts.llxprt.system import HookSystem, HookSystemNotInitializedError, HookSystemStatus
from tenterhook.hosts.llxprt.translator import HookTranslatorGenAIv1, default_hook_translator
from tenterhook.hosts.llxprt.triggers import (
    execute_tool_with_hooks,
    fire_after_model_hook,
    fire_after_tool_hook,
    fire_before_model_hook,
    fire_before_tool_hook,
    fire_before_tool_selection_hook,
)
from tenterhook.hosts.result import ToolResult

__all__ = [
    "AfterModelHookOutput",
    "AfterModelHookResult",
    "AggregatedHookResult",
    "BeforeModelHookOutput",
    "BeforeModelHookResult",
    "BeforeToolHookOutput",
    "BeforeToolSelectionHookOutput",
    "BeforeToolSelectionHookResult",
    "Config",
    "ConfigSource",
    "DefaultHookOutput",
    "HookAggregator",
    "HookEventHandler",
    "HookEventName",
    "HookExecutionPlan",
    "HookExecutionResult",
    "HookPlanner",
    "HookRegistry",
    "HookRegistryEntry",
    "HookRegistryNotInitializedError",
    "HookRunner",
    "HookSystem",
    "HookSystemNotInitializedError",
    "HookSystemStatus",
    "HookTranslatorGenAIv1",
    "ToolResult",
    "create_hook_output",
    "default_hook_translator",
    "execute_tool_with_hooks",
    "fire_after_model_hook",
    "fire_after_tool_hook",
    "fire_before_model_hook",
    "fire_before_tool_hook",
    "fire_before_tool_selection_hook",
    "get_hook_system",
]

"""One event from its data to the combined result of all hooks: `fired` is the whole story."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tenterhook.hosts.llxprt.aggregator import HookAggregator
from tenterhook.hosts.llxprt.names import HookEventName
from tenterhook.hosts.llxprt.planner import HookPlanner
from tenterhook.hosts.llxprt.registry import HookRegistry
from tenterhook.hosts.llxprt.results import AggregatedHookResult, response_record
from tenterhook.hosts.llxprt.runner import HookRunner
from tenterhook.hosts.llxprt.translator import Request, default_hook_translator
from tenterhook.support import logs

if TYPE_CHECKING:
    from tenterhook.hosts.llxprt.config import Config

log = logs.redacting_logger("tenterhook.llxprt")

Data = Mapping[str, Any]


class HookEventHandler:
    """Fires events. It never raises: if the system itself fails, the result is that of no hooks."""

    def __init__(
        self,
        config: Config,
        registry: HookRegistry,
        planner: HookPlanner,
        runner: HookRunner,
        aggregator: HookAggregator,
    ) -> None:
        self.config, self.registry = config, registry
        self.planner, self.runner, self.aggregator = planner, runner, aggregator

    async def fire_before_tool_event(self, tool_name: str, tool_input: Data) -> AggregatedHookResult:
        return await self.fire_tool_event(HookEventName.BEFORE_TOOL, {"tool_name": tool_name, "tool_input": tool_input})

    async def fire_after_tool_event(self, tool_name: str, tool_input: Data, tool_response: Any) -> AggregatedHookResult:
        def data() -> Data:
            return {"tool_name": tool_name, "tool_input": tool_input, "tool_response": response_record(tool_response)}

        return await self.fire(HookEventName.AFTER_TOOL, data, {"toolName": tool_name})

    async def fire_tool_event(self, event_name: str, data: Data) -> AggregatedHookResult:
        """Fire an event whose matchers are compared with the tool's name."""
        return await self.fire(event_name, lambda: data, {"toolName": data["tool_name"]})

    async def fire_before_model_event(self, llm_request: Request) -> AggregatedHookResult:
        return await self.fire(HookEventName.BEFORE_MODEL, lambda: build_model_payload(llm_request))

    async def fire_after_model_event(self, llm_request: Request, llm_response: Any) -> AggregatedHookResult:
        def data() -> Data:
            return {
                **build_model_payload(llm_request),
                "llm_response": default_hook_translator.to_hook_llm_response(llm_response),
            }

        return await self.fire(HookEventName.AFTER_MODEL, data)

    async def fire_before_tool_selection_event(self, llm_request: Request) -> AggregatedHookResult:
        return await self.fire(HookEventName.BEFORE_TOOL_SELECTION, lambda: build_model_payload(llm_request))

    async def fire_before_agent_event(self, prompt: str) -> AggregatedHookResult:
        return await self.fire(HookEventName.BEFORE_AGENT, lambda: {"prompt": prompt})

    async def fire_after_agent_event(
        self, prompt: str, prompt_response: str, stop_hook_active: bool = False
    ) -> AggregatedHookResult:
        data = {"prompt": prompt, "prompt_response": prompt_response, "stop_hook_active": stop_hook_active}
        return await self.fire(HookEventName.AFTER_AGENT, lambda: data)

    async def fire_session_start_event(self, source: str) -> AggregatedHookResult:
        return await self.fire(HookEventName.SESSION_START, lambda: {"source": source})

    async def fire_session_end_event(self, reason: str) -> AggregatedHookResult:
        return await self.fire(HookEventName.SESSION_END, lambda: {"reason": reason})

    async def fire_pre_compress_event(self, trigger: str) -> AggregatedHookResult:
        return await self.fire(HookEventName.PRE_COMPRESS, lambda: {"trigger": trigger})

    async def fire_notification_event(
        self, notification_type: str, message: str, details: Data | None = None
    ) -> AggregatedHookResult:
        data = {"notification_type": notification_type, "message": message, "details": details or {}}
        return await self.fire(HookEventName.NOTIFICATION, lambda: data)

    async def fire(
        self, event_name: str, data: Callable[[], Data], context: Data | None = None
    ) -> AggregatedHookResult:
        """Fire an event; `data` is called only if the event has hooks."""
        try:
            result = await self.fired(event_name, data, context)
        except Exception:
            log.warning("%s: the hook system failed, so no hook counts", event_name, exc_info=True)
            return AggregatedHookResult()
        health, ran = "success" if result.success else "failure", len(result.outcome.attempts)
        log.debug("%s: %s, hooks: %d, seconds: %.3f", event_name, health, ran, result.total_duration)
        return result

    async def fired(self, event_name: str, data: Callable[[], Data], context: Data | None) -> AggregatedHookResult:
        if not self.registry.get_hooks_for_event(event_name):
            return AggregatedHookResult()
        input = {**self.base(), **data()}
        plan = self.planner.create_execution_plan(event_name, context, input)
        if plan is None:
            return AggregatedHookResult()
        runner = self.runner
        execute = runner.execute_hooks_sequential if plan.sequential else runner.execute_hooks_parallel
        results = await execute(plan.hooks, event_name, input)
        return self.aggregator.aggregate_results(results, event_name, input)

    def base(self) -> dict[str, str]:
        """The base data of every hook; the engine adds the event's name, the time and an empty transcript_path."""
        return {"session_id": self.config.get_session_id(), "cwd": self.config.get_working_dir()}


def build_model_payload(llm_request: Request) -> dict[str, Any]:
    return {"llm_request": default_hook_translator.to_hook_llm_request(llm_request)}

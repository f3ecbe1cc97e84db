"""The manager of MassGen's hooks: those of all agents, those of one, and their combined result."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

from msgspec.structs import replace

from tenterhook import handlers
from tenterhook.config import load
from tenterhook.config.load import Directives, EventEntry, Loaded
from tenterhook.config.locations import ConfigLocation
from tenterhook.dialects.massgen import DIALECT
from tenterhook.dialects.schema.dialect import File, revise
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.hosts.massgen.hooks import Call, CommandHook, PatternHook, PythonCallableHook
from tenterhook.hosts.massgen.records import HookResult, HookType
from tenterhook.hosts.with_hooks import with_hooks
from tenterhook.pipeline.failure_policy import describe_attempt_failure
from tenterhook.support import logs
from tenterhook.support.readers import Document
from tenterhook.types import Hook, Outcome

logger = logs.redacting_logger(__package__)

Function = Callable[..., Any]

STRATEGIES = {"result": "tool_result", "user_message": "user_message"}
SHORT = {HookType.PRE_TOOL_USE: "pre", HookType.POST_TOOL_USE: "post"}
# A config in code has `fail_closed`, which the document's files do not have, and none of our options.
KEYS = {key: setter for key, setter in DIALECT.config.form.keys.items() if setter != "ours"} | {"fail_closed": "note"}
WRITTEN = revise(DIALECT, config={"form": replace(DIALECT.config.form, keys=KEYS)})
PLACE = ConfigLocation("hooks", File(path="hooks", scope="code", format="yaml"), True)


class GeneralHookManager:
    """Hooks for all agents and for single ones. Relative programs and modules count from `project_dir`."""

    def __init__(self, project_dir: str | PathLike[str] = ".") -> None:
        self.engine = Engine(project_dir, dialect=DIALECT, files=False)
        self.clear_hooks()

    def register_global_hook(self, hook_type: HookType, hook: PatternHook | Function) -> None:
        """Register a hook for all agents. A function becomes a hook for all tools."""
        self.register(None, hook_type, hook)

    def register_agent_hook(
        self, agent_id: str, hook_type: HookType, hook: PatternHook | Function, override: bool = False
    ) -> None:
        """Register a hook for one agent; `override` switches the global hooks of this event off for it."""
        self.register(agent_id, hook_type, hook)
        if override:
            self.overrides.add((agent_id, hook_type))

    def register(self, agent_id: str | None, hook_type: HookType, hook: PatternHook | Function) -> None:
        if not isinstance(hook, PatternHook):
            if not callable(hook):
                raise UsageError(f"a hook is a PatternHook or a function, not {hook!r}")
            hook = PythonCallableHook(getattr(hook, "__name__", "function"), hook)
        self.hooks.setdefault((agent_id, HookType(hook_type)), []).append(hook)

    def register_hooks_from_config(self, hooks_config: Mapping[str, Any], agent_id: str | None = None) -> None:
        """Register the hooks of a config's `hooks` mapping. Mistakes in it are logged; the rest of it works."""
        if not isinstance(hooks_config, Mapping):
            raise UsageError(f"hooks are a mapping of events to lists, not {type(hooks_config).__name__}")
        loaded, words = Loaded(), Directives()
        document = Document("hooks" if agent_id is None else f"hooks of {agent_id}", hooks_config, lambda path: (0, 0))
        for event, value in hooks_config.items():
            load.add(EventEntry(str(event), value, (event,), agent_id), document, PLACE, WRITTEN, loaded, words)
        for hook in loaded.hooks:
            self.register(agent_id, HookType(hook.event), build_pattern_hook(hook, hooks_config))
        self.overrides |= {(agent, HookType(event)) for event, agent in words.overrides}
        for problem in loaded.problems:
            logger.warning(str(problem))

    def get_hooks_for_agent(self, agent_id: str | None, hook_type: HookType) -> list[PatternHook]:
        """The global hooks, unless they are overridden, then the agent's own."""
        own = self.hooks.get((agent_id, hook_type), []) if agent_id else []
        overridden = (agent_id, hook_type) in self.overrides
        return [*([] if overridden else self.hooks.get((None, hook_type), [])), *own]

    async def execute_hooks(
        self,
        hook_type: HookType,
        function_name: str,
        arguments: str | Mapping[str, Any],
        context: dict[str, Any] | None = None,
        tool_output: Any = None,
    ) -> HookResult:
        """Run the hooks of a call, whose arguments are JSON text or a mapping. A hook that fails is logged."""
        given = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
        call = self.call(hook_type, function_name, given, context or {}, tool_output)
        hooks = self.get_hooks_for_agent(call.context.get("agent_id"), hook_type)
        known = {name: call.context[name] for name in CONTEXT if call.context.get(name) is not None}
        engine = with_hooks(self.engine, (hook.as_hook(call) for hook in hooks))
        outcome = await engine.afire(hook_type.value, tool_name=function_name, tool_input=call.tool_input, **known)
        return together(outcome, call)

    def call(
        self, hook_type: HookType, function_name: str, arguments: str, context: dict[str, Any], tool_output: Any
    ) -> Call:
        context = {**context, "hook_type": hook_type.value}
        if tool_output is not None:
            context["tool_output"] = tool_output
        return Call(hook_type, function_name, arguments, parse_tool_arguments(arguments), context, self.engine.project)

    def clear_hooks(self) -> None:
        self.hooks: dict[tuple[str | None, HookType], list[PatternHook]] = {}
        self.overrides: set[tuple[str, HookType]] = set()

    def close(self) -> None:
        """End what still runs; the manager may be used again."""
        self.engine.close()


# The parts of a host's context that hooks get.
CONTEXT = ("session_id", "agent_id", "orchestrator_id", "tool_output")


def parse_tool_arguments(arguments: str) -> Any:
    """Decode a model's arguments; if the JSON is not valid, hooks get the text as it is."""
    try:
        return json.loads(arguments) if arguments else {}
    except (ValueError, RecursionError):  # RecursionError: lists nested without end
        return {"raw": arguments}


def build_pattern_hook(hook: Hook, hooks_config: Mapping[str, Any]) -> PatternHook:
    """A hook as a config describes it, under MassGen's names."""
    entry: Any = hooks_config
    for step in hook.source.path:
        entry = entry[step]
    main = hook.spec["main"]
    python = handlers.runs_in_host(hook.handler)
    name = f"{'python' if python else 'command'}_{main}" if hook.name == main else hook.name
    return (PythonCallableHook if python else CommandHook)(
        name, main, hook.matcher or "*", hook.timeout or DIALECT.planning.timeout, bool(entry.get("fail_closed"))
    )


def together(outcome: Outcome, call: Call) -> HookResult:
    """The engine's outcome under MassGen's names."""
    by_hook = [
        (one.hook, {"content": one.text, "strategy": STRATEGIES[one.kind]}) for one in injection_messages(outcome)
    ]
    injections = [injection for _, injection in by_hook]
    changed = outcome.changes.get("input")
    result = HookResult(
        decision="allow" if outcome.decision == "none" else outcome.decision,
        reason=outcome.reason or None,
        updated_input=changed,
        modified_args=None if changed is None else json.dumps(changed),
        inject=merge_injections(injections) if injections else None,
        injections=injections,
        hook_errors=[
            f"Hook {one.hook} failed: {describe_attempt_failure(one)}" for one in outcome.attempts if one.failed
        ],
        outcome=outcome,
    )
    result.hook_errors += call.errors
    for attempt in outcome.attempts:
        content = next((injection["content"] for hook, injection in by_hook if hook == attempt.hook), None)
        silent = "error" if attempt.failed else "allow"
        result.add_executed_hook(
            attempt.hook,
            SHORT[call.type],
            silent if attempt.decision == "none" else attempt.decision,
            attempt.reason or None,
            attempt.seconds * 1000,
            injection_content=content,
        )
    return result


def injection_messages(outcome: Outcome) -> list[Any]:
    return [message for message in outcome.messages if message.kind in STRATEGIES]


def merge_injections(injections: list[dict[str, Any]]) -> dict[str, Any]:
    """All injections as one, for programs that know only one: no text is lost, but mixed strategies are."""
    texts = [injection["content"] for injection in injections]
    return {"content": "\n".join(texts), "strategy": injections[-1]["strategy"]}

"""MassGen's kinds of hooks: a class, a function, a program. Each says what the engine runs for a call."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from tenterhook.dialects.massgen import DIALECT
from tenterhook.errors import UsageError
from tenterhook.hosts.massgen.records import HookEvent, HookResult, HookType
from tenterhook.hosts.steps import is_async
from tenterhook.pipeline.match import match
from tenterhook.support import project_imports
from tenterhook.types import Hook, Source

# Keys that only a result has; a dialect's answer has the other ones, too.
RESULTS_OWN = {"allowed", "modified_args", "metadata", "hook_errors", "hook_name", "hook_type", "executed_hooks"}


class Call(Struct):
    """One call of a tool while its hooks run; `errors` are the errors in their results."""

    type: HookType
    tool_name: str
    arguments: str
    tool_input: Any
    context: dict[str, Any]
    project: str
    errors: list[str] = field(default_factory=list)

    def arguments_now(self, tool_input: Any) -> str:
        """The arguments exactly as they were given, until a hook changes them."""
        return self.arguments if tool_input == self.tool_input else json.dumps(tool_input)

    def taken(self, result: Any) -> Any:
        """A hook's result as the engine's handler takes it."""
        if isinstance(result, Mapping) and RESULTS_OWN & result.keys():
            result = HookResult.from_dict(result)
        if isinstance(result, HookResult):
            self.errors += result.hook_errors
        return result


class FunctionHook(ABC):
    """A hook for the call of a function."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    async def execute(
        self, function_name: str, arguments: str, context: dict[str, Any] | None = None, **kwargs: Any
    ) -> HookResult:
        """`arguments` is JSON text."""


class PatternHook(FunctionHook):
    """A hook for the tools whose names its matcher fits: globs, with bars between them."""

    fail_closed = False

    def __init__(self, name: str, matcher: str = "*", timeout: float = DIALECT.planning.timeout) -> None:
        super().__init__(name)
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
            raise UsageError(f"the timeout of {name!r} must be a number of seconds above 0, not {timeout!r}")
        self.matcher, self.timeout = matcher, timeout

    def matches(self, tool_name: str) -> bool:
        test = match(self.matcher, DIALECT.planning.matcher)
        return test is None or bool(test(tool_name))

    def as_hook(self, call: Call) -> Hook:
        """The hook that the engine runs for this call. A class with its own matching is asked."""
        own = type(self).matches is not PatternHook.matches
        handler, spec = self.runs(call)
        return Hook(
            name=self.name,
            event=call.type.value,
            handler=handler,
            spec=spec,
            source=Source(type(self).__name__),
            matcher=None if own else self.matcher,
            enabled=not own or self.matches(call.tool_name),
            timeout=self.timeout,
            on_failure={"default": "deny"} if self.fail_closed else {},
        )

    def runs(self, call: Call) -> tuple[str, dict[str, Any]]:
        async def main(given: Mapping[str, Any]) -> Any:
            arguments = call.arguments_now(given["tool_input"])
            return call.taken(await self.execute(given["tool_name"], arguments, dict(call.context)))

        return "python", {"main": main, "form": "function"}


class GivenHook(PatternHook):
    """A hook that the engine runs: a function or a program."""

    def __init__(
        self,
        name: str,
        handler: Any,
        matcher: str = "*",
        timeout: float = DIALECT.planning.timeout,
        fail_closed: bool = False,
    ) -> None:
        super().__init__(name, matcher, timeout)
        self.handler, self.fail_closed = handler, fail_closed

    async def execute(
        self, function_name: str, arguments: str, context: dict[str, Any] | None = None, **kwargs: Any
    ) -> HookResult:
        """Run this hook alone."""
        from tenterhook.hosts.massgen.manager import GeneralHookManager

        context = context or {}
        when = HookType(context.get("hook_type", HookType.PRE_TOOL_USE.value))
        alone = GeneralHookManager()
        alone.register_global_hook(when, self)
        try:
            return await alone.execute_hooks(when, function_name, arguments, context, context.get("tool_output"))
        finally:
            alone.close()


class PythonCallableHook(GivenHook):
    """A function, or its dotted name. It gets a HookEvent and returns a HookResult, a mapping or None."""

    def __init__(
        self,
        name: str,
        handler: str | Callable[..., Any],
        matcher: str = "*",
        timeout: float = DIALECT.planning.timeout,
        fail_closed: bool = False,
    ) -> None:
        if not isinstance(handler, str) and not callable(handler):
            raise UsageError(f"the handler of {name!r} must be a function or its dotted name, not {handler!r}")
        super().__init__(name, handler, matcher, timeout, fail_closed)

    def runs(self, call: Call) -> tuple[str, dict[str, Any]]:
        return "python", {"main": wrap_event_function(self.function(call), call), "form": "function"}

    def function(self, call: Call) -> Any:
        """The function. If it cannot be imported it stays a name: the engine tries again and reports why it failed."""
        if not isinstance(self.handler, str) or not self.matches(call.tool_name):
            return self.handler
        try:
            return project_imports.function(self.handler, call.project)
        except Exception:
            return self.handler


class CommandHook(GivenHook):
    """A program: gets the event as JSON on stdin, prints a result as JSON. Relative paths are the project's."""

    def runs(self, call: Call) -> tuple[str, dict[str, Any]]:
        return "command", {"main": self.handler, "form": "program"}


def wrap_event_function(function: Any, call: Call) -> Any:
    """Wrap a function to get an event, not a payload; `async def` stays async, to remain on the host's loop."""
    if isinstance(function, str):
        return function

    async def call_async(given: Mapping[str, Any]) -> Any:
        return call.taken(await function(HookEvent.from_dict(given)))

    def plain(given: Mapping[str, Any]) -> Any:
        return call.taken(function(HookEvent.from_dict(given)))

    return call_async if is_async(function) else plain

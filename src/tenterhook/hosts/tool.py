"""A tool call from its first hook to its last: `call` is the whole story."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property, update_wrapper
from typing import TYPE_CHECKING, Any, Protocol, overload

from msgspec.structs import replace

from tenterhook.clients.tool_inputs import PLACED, Check, Input, WrongInput, check_for, read, same, split_call_arguments
from tenterhook.errors import UsageError, format_exception_line
from tenterhook.hosts.permission import Ask, PermissionRequest, permission
from tenterhook.hosts.result import ToolError, ToolResult, refusal, result_for_hooks, result_of, text_of, with_words
from tenterhook.hosts.steps import Call, Fire, Host, Steps, adrive, drive, is_async, its_own
from tenterhook.pipeline.apply import STOPPED
from tenterhook.pipeline.payload import fresh
from tenterhook.support import logs
from tenterhook.types import Outcome

if TYPE_CHECKING:
    from tenterhook.dialects.schema.dialect import EventRule

log = logs.redacting_logger("tenterhook.tool")

Function = Callable[..., Any]
# Called with the state of a call: validating, executing (its hooks too), awaiting_approval, running (the tool itself),
# finished; and with its current input.
Note = Callable[[str, Input], None]


def silent(state: str, input: Input) -> None:
    """Ignore the state."""


class Tool:
    """A function with hooks around it. A call always returns a ToolResult; only Ctrl-C is raised."""

    def __init__(
        self,
        host: Host,
        name: str,
        function: Function,
        *,
        schema: Any = None,
        asks: bool | Callable[[Input], bool] = False,
        permission: Ask | None = None,
    ) -> None:
        self.host, self.engine, self.name, self.function = host, host.engine, name, function
        self.schema, self.asks, self.permission = schema, asks, permission
        if callable(asks) and is_async(asks):
            raise UsageError("asks is called and never awaited: give a function that is not async")
        if schema is not None:
            self.check = check_for(schema, function)  # checked now, so that a wrong schema raises at once
        update_wrapper(self, function, updated=())

    def __get__(self, owner: Any, kind: type | None = None) -> Tool:
        """As a method of a class, it is a tool of each object."""
        if owner is None:
            return self
        return self.copy_for(self.host, self.function.__get__(owner, kind), self.permission)

    def of(self, host: Host) -> Tool:
        """The same tool in another host, with that host's permission callback."""
        return self.copy_for(host, self.function, host.ask or self.permission)

    def copy_for(self, host: Host, function: Function, permission: Ask | None) -> Tool:
        return type(self)(host, self.name, function, schema=self.schema, asks=self.asks, permission=permission)

    def __call__(self, /, *args: Any, **input: Any) -> ToolResult:
        if self.quiet() and not args:
            try:
                return self.received(result_of(self.function(**input)))
            except BaseException as exc:
                if not its_own(exc):
                    raise
                return self.drive_flow(self.failed(exc, input, "", ()))
        return self.drive_flow(self.started(args, input))

    def run(self, input: Input | str, *, tool_use_id: str = "") -> ToolResult:
        """Call it with an input from a model, an object or JSON text, and the id of the call."""
        return self.drive_flow(self.asked(input, tool_use_id, silent))

    async def arun(self, input: Input | str, *, tool_use_id: str = "") -> ToolResult:
        """The same on an event loop; a function that is not async runs in a thread."""
        return await self.adrive_flow(self.asked(input, tool_use_id, silent))

    def drive_flow(self, steps: Steps[ToolResult]) -> ToolResult:
        return self.received(drive(self.host, steps))

    async def adrive_flow(self, steps: Steps[ToolResult]) -> ToolResult:
        return self.received(await adrive(self.host, steps))

    def received(self, result: ToolResult) -> ToolResult:
        """Hand texts for the conversation to the host; a session keeps them."""
        if not result.user_messages:
            return result
        return replace(result, user_messages=tuple(self.host.received(result.user_messages)))

    def quiet(self) -> bool:
        """Whether no hook listens and no permission is needed: then a call costs about as much as the bare function."""
        listens = self.engine.listens
        if self.asks or self.schema is not None or self.is_out_of_turn():
            return False
        return not (listens("tool.before") or listens("tool.after") or listens("tool.failed"))

    def started(self, args: tuple[Any, ...], input: Input) -> Steps[ToolResult]:
        """The steps of a Python call, which may have positional arguments."""
        if args:
            try:
                bound = inspect.signature(self.function).bind(*args, **input)
            except TypeError as exc:
                return self.refusal("invalid_input", f"{self.name} does not take this: {exc}", ())
            kinds = bound.signature.parameters
            input = {}
            for name, value in bound.arguments.items():
                input.update(value if kinds[name].kind is inspect.Parameter.VAR_KEYWORD else {name: value})
        if self.schema is None:
            return (yield from self.call(input, input, "", silent))
        return (yield from self.asked(input, "", silent))

    def asked(self, asked: Input | str, id: str, note: Note) -> Steps[ToolResult]:
        """The steps of a model's call, whose input may be anything."""
        note("validating", {})
        try:
            input = read(asked)
            given = self.check(input)
        except WrongInput as exc:
            return self.refusal("invalid_input", f"{self.name} does not take this input: {exc}", ())
        return (yield from self.call(input, given, id, note))

    def call(self, input: Input, given: Input, id: str, note: Note) -> Steps[ToolResult]:
        """Hooks, permission, the tool itself, hooks again. Hooks see `input`, the tool gets `given`."""
        if self.is_out_of_turn():
            return self.refusal("blocked", f"{self.name} may not be called in this turn", ())
        note("executing", input)
        before: Outcome = yield Fire("tool.before", self.event(input, id))
        outcomes: tuple[Outcome, ...] = (before,)
        if refused := self.refused(outcomes):
            return refused
        shown = before.changes.get("input", input)
        if self.must_ask(before, shown):
            request = PermissionRequest(self.name, fresh(shown), before.reason, id, before.decision == "ask")
            note("awaiting_approval", shown)
            answer = yield from permission(request, self.permission)
            note("executing", shown)
            outcomes += answer.outcomes
            if not answer.allowed:
                stopped = self.refused(outcomes) if outcomes[-1].halts else None
                text = f"{self.name} was not allowed: {answer.reason}"
                return stopped or self.refusal("refused", text, outcomes)
            if other := answer.input is not None and not same(answer.input, shown):
                shown = fresh(answer.input)
        else:
            other = False
        try:
            given = given if shown is input else self.accept_changed_input(input, given, shown)
        except WrongInput as exc:
            text = f"A hook changed the input of {self.name} to one that it does not take: {exc}"
            return self.refusal("invalid_input", text, outcomes)
        if other and self.engine.mode == "strict":  # deny rules see the input that was allowed; they have asked already
            outcomes += ((yield Fire("tool.before", self.event(shown, id))),)
            if refused := self.refused(outcomes):
                return refused
        return (yield from self.made(given, shown, id, outcomes, note))

    def refused(self, outcomes: tuple[Outcome, ...]) -> ToolResult | None:
        """The result, if the last outcome keeps the tool from running."""
        last = outcomes[-1]
        if last.halts:
            return self.refusal("stopped", last.stop_reason or STOPPED, outcomes)
        return self.refusal("blocked", last.reason, outcomes) if last.blocked else None

    def made(self, given: Input, shown: Input, id: str, outcomes: tuple[Outcome, ...], note: Note) -> Steps[ToolResult]:
        """Run the tool. After that hooks can only add, hide and stop."""
        try:
            args, named = split_call_arguments(self.places, given) if self.places else ((), given)
            note("running", shown)
            value = yield Call(self.function, tuple(args), named, waits=True)
            note("finished", shown)
            result = result_of(value)
        except KeyboardInterrupt as exc:
            yield from self.failed(exc, shown, id, outcomes)
            raise
        except BaseException as exc:
            if not its_own(exc):
                raise
            return (yield from self.failed(exc, shown, id, outcomes))
        if result.error:
            return (yield from self.unsuccessful(result, shown, id, outcomes))
        rule = self.rule("tool.after")
        output = result_for_hooks(result, value, rule.firing.output) if rule else None
        after: Outcome = yield Fire("tool.after", {**self.event(shown, id), "tool_output": output})
        return self.finished(changed_output(result, after), (*outcomes, after))

    def failed(self, exc: BaseException, shown: Input, id: str, outcomes: Sequence[Outcome]) -> Steps[ToolResult]:
        """The tool raised: run the failure hooks, and give the model the error as the result."""
        text = format_exception_line(exc)
        result = ToolResult(text, text, {}, ToolError(text, "failed", exc))
        return (yield from self.unsuccessful(result, shown, id, outcomes))

    def unsuccessful(self, result: ToolResult, shown: Input, id: str, outcomes: Sequence[Outcome]) -> Steps[ToolResult]:
        """Fire the event for failures; if the dialect has none, the event for results, if that includes failures."""
        event, error = self.event(shown, id), result.error
        assert error is not None
        rule = self.rule("tool.after")
        if self.rule("tool.failed") or rule is None or not rule.firing.after_failures:
            interrupted = isinstance(error.exception, KeyboardInterrupt) or error.type == "cancelled"
            hooks = yield Fire("tool.failed", {**event, "error": error.message, "is_interrupt": interrupted})
        else:
            hooks = yield Fire(
                "tool.after", {**event, "tool_output": result_for_hooks(result, result, rule.firing.output)}
            )
        return self.finished(changed_output(result, hooks), (*outcomes, hooks))

    def finished(self, result: ToolResult, outcomes: Sequence[Outcome]) -> ToolResult:
        suppressed = result.suppress_display or any(outcome.suppress for outcome in outcomes)
        shown = replace(result, suppress_display=suppressed)
        return with_words(shown, outcomes, self.engine.dialect.messages.marks, self.engine.hookset.label)

    def event(self, input: Input, id: str) -> dict[str, Any]:
        call = {"tool_name": self.name, "tool_input": input}
        return {**call, "tool_use_id": id} if id else call

    def must_ask(self, before: Outcome, input: Input) -> bool:
        """Whether to ask: a hook asks, or the tool always does, unless a hook's allow replaces the user's."""
        if before.decision == "ask":
            return True
        rule = self.rule("tool.before")
        granted = before.decision == "allow" and rule is not None and rule.can.grant
        return not granted and self.always_asks(input)

    def always_asks(self, input: Input) -> bool:
        """Whether the tool itself wants to ask; if its check fails, the person is asked."""
        try:
            return bool(self.asks(input) if callable(self.asks) else self.asks)
        except Exception:
            log.exception("%s could not say whether to ask, so it asks", self.name)
            return True

    @cached_property
    def places(self) -> inspect.Signature | None:
        """The signature, if it has positional-only parameters; all others are passed by name."""
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):
            return None
        return signature if any(one.kind in PLACED for one in signature.parameters.values()) else None

    @cached_property
    def check(self) -> Check:
        return check_for(self.schema, self.function)

    def accept_changed_input(self, input: Input, given: Input, changed: Input) -> Input:
        """The tool's input after a change: values that no hook changed stay the same objects."""
        changed = read(changed)
        checked = self.check(changed)
        return {
            name: given[name] if name in input and same(value, input[name]) else checked[name]
            for name, value in changed.items()
        }

    def is_out_of_turn(self) -> bool:
        """Whether hooks narrowed the tools of this turn, and this tool is not among them."""
        allowed = self.host.allowed
        return allowed is not None and self.name not in allowed

    def rule(self, event: str) -> EventRule | None:
        return self.engine.rule(event) if self.engine.has(event) else None

    def refusal(self, kind: str, reason: str, outcomes: Sequence[Outcome]) -> ToolResult:
        return refusal(kind, reason, outcomes, self.engine.dialect.messages.marks, self.engine.hookset.label)


def changed_output(result: ToolResult, after: Outcome) -> ToolResult:
    """The content for the model, with the hooks' change."""
    return replace(result, llm_content=text_of(after.changes["output"])) if "output" in after.changes else result


class AsyncTool(Tool):
    """The same for `async def`."""

    async def __call__(self, /, *args: Any, **input: Any) -> ToolResult:  # type: ignore[override]
        if self.quiet() and not args:
            try:
                value = self.function(**input)
                return self.received(result_of(await value if inspect.isawaitable(value) else value))
            except BaseException as exc:
                if not its_own(exc):
                    raise
                return await self.adrive_flow(self.failed(exc, input, "", ()))
        return await self.adrive_flow(self.started(args, input))


class Decorator(Protocol):
    """What `engine.tool(name)` returns: an async function becomes an AsyncTool, any other a Tool."""

    @overload
    def __call__(self, function: Callable[..., Coroutine[Any, Any, Any]]) -> AsyncTool: ...

    @overload
    def __call__(self, function: Function) -> Tool: ...


def tool(host: Host, name: str, **options: Any) -> Decorator:
    if not isinstance(name, str) or not name:
        raise UsageError(f"a tool needs the name that hooks know it by, @engine.tool(NAME), not {name!r}")

    def wrap(function: Function) -> Any:
        bare = function.function if isinstance(function, Tool) else function
        if not callable(bare):
            raise UsageError(f"a function is needed for the tool {name!r}, not {bare!r}")
        asking = options.get("permission") or host.ask
        return (AsyncTool if is_async(bare) else Tool)(host, name, bare, **{**options, "permission": asking})

    return wrap


async def execute_tool_with_hooks(
    host: Host,
    tool_name: str,
    tool_input: Input,
    execute_fn: Callable[[Input], Any],
    *,
    tool_use_id: str = "",
    **options: Any,
) -> ToolResult:
    """Make one call with all its hooks: before, the function with the changed input, after. Options as for a tool.

    The function takes the input as one mapping and may be async.
    """

    async def call_async(**input: Any) -> Any:
        return await execute_fn(input)

    function = call_async if is_async(execute_fn) else lambda **input: execute_fn(input)
    made = Tool(host, tool_name, function, **{"schema": accept_any_input, "permission": host.ask, **options})
    return await made.arun(tool_input, tool_use_id=tool_use_id)


def accept_any_input(input: Input) -> None:
    """The check of functions that take any mapping."""

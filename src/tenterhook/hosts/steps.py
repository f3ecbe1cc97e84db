"""A host's flow as steps without I/O, and the two drivers: `drive` from a thread, `adrive` on an event loop.

A flow is a generator that yields what it wants done, an event to fire or a function to call, and receives the result.
So the logic of a tool call, a model call or a turn exists once, for `def` and `async def` hosts alike.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from msgspec import Struct

from tenterhook.errors import UsageError
from tenterhook.types import Outcome

if TYPE_CHECKING:
    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.permission import Ask

P = ParamSpec("P")
T = TypeVar("T")
H = TypeVar("H", bound="Host")


class Fire(Struct, frozen=True):
    """An event to fire. If the dialect does not have it, nothing happens.

    `known` are further values of the host: hooks get those that the dialect's event has.
    """

    event: str
    data: dict[str, Any]
    known: dict[str, Any] = {}


class Call(Struct, frozen=True):
    """A function of the host to call. `waits` says that it may take long: then it must not block an event loop."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    waits: bool = False


Steps = Generator[Fire | Call, Any, T]


class Host(Protocol):
    """An engine, or a session over one."""

    @property
    def engine(self) -> Engine: ...

    @property
    def ask(self) -> Ask | None:
        """The callback that asks a person for permission, if there is one."""
        ...

    @property
    def allowed(self) -> frozenset[str] | None:
        """The tools that may be called in this turn, if hooks narrowed them down."""
        ...

    def narrow_tools(self, allowed: frozenset[str] | None) -> None:
        """Allow only these tools from now on."""
        ...

    def received(self, texts: Sequence[str]) -> Sequence[str]:
        """Take texts for the conversation as user input; return those that the caller has to deliver."""
        ...

    def fire(self, event: str, /, **data: Any) -> Outcome: ...

    async def afire(self, event: str, /, **data: Any) -> Outcome: ...


def drive(host: Host, steps: Steps[T]) -> T:
    """Drive a flow from a thread."""
    try:
        step = next(steps)
        while True:
            try:
                value = fire_step(host, step) if step.__class__ is Fire else call_step(step)
            except BaseException as exc:
                step = steps.throw(exc)
            else:
                step = steps.send(value)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    finally:
        steps.close()


async def adrive(host: Host, steps: Steps[T]) -> T:
    """Drive a flow on an event loop. If cancelled, it ends what runs and leaves the rest undone."""
    try:
        step = next(steps)
        while True:
            try:
                value = await afire_step(host, step) if step.__class__ is Fire else await acall_step(host, step)
            except BaseException as exc:
                step = steps.throw(exc)
            else:
                step = steps.send(value)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    finally:
        steps.close()


def fire_step(host: Host, step: Any) -> Outcome:
    engine = host.engine
    if not engine.has(step.event):
        return NOTHING
    data = all_data(host, step)
    if host is not engine or is_awaited(engine, step.event):
        return host.fire(step.event, **data)
    flow = engine.begin_flow(step.event, data, engine.own_background())
    return flow if isinstance(flow, Outcome) else engine.drive_flow(flow)


async def afire_step(host: Host, step: Any) -> Outcome:
    engine = host.engine
    if not engine.has(step.event):
        return NOTHING
    data = all_data(host, step)
    if host is not engine or is_awaited(engine, step.event):
        return await host.afire(step.event, **data)
    flow = await engine.abegin_flow(step.event, data, engine.own_background())
    return flow if isinstance(flow, Outcome) else await engine.adrive_flow(flow)


def is_awaited(engine: Engine, event: str) -> bool:
    """Whether the agent waits for the hooks of this event."""
    return engine.hookset.event(event).rule.firing.awaited


def all_data(host: Host, step: Any) -> dict[str, Any]:
    """The data of an event with the further values for its hooks; if both have a field, the data count."""
    if not step.known:
        return step.data  # type: ignore[no-any-return]
    return {**only_known(host.engine, step.event, step.known), **step.data}


def only_known(engine: Engine, event: str, data: dict[str, Any]) -> dict[str, Any]:
    """The values of a host that this dialect's hooks get."""
    rule = engine.dialect.rule(event)
    fields = {field.key for field in rule.fields} if rule else set()
    return {name: value for name, value in data.items() if name in fields}


def call_step(step: Any) -> Any:
    value = step.function(*step.args, **step.kwargs)
    if inspect.iscoroutine(value):
        value.close()
        raise UsageError(f"{step.function!r} is async, and its caller is not: use the async form of this call")
    return value


async def acall_step(host: Host, step: Any) -> Any:
    if step.waits and not is_async(step.function):
        value = await host.engine.running().in_a_thread(lambda: step.function(*step.args, **step.kwargs))
    else:
        value = step.function(*step.args, **step.kwargs)
    return await value if inspect.isawaitable(value) else value


def is_async(function: Callable[..., Any]) -> bool:
    """Whether its result must be awaited; SDKs hide that behind wrappers."""
    bare = inspect.unwrap(function)
    return inspect.iscoroutinefunction(bare) or inspect.iscoroutinefunction(getattr(bare, "__call__", None))  # noqa: B004


def its_own(exc: BaseException) -> bool:
    """Whether a function failed by itself; else the host is being interrupted or cancelled."""
    if isinstance(exc, Exception | SystemExit):
        return True
    if isinstance(exc, GeneratorExit):  # a call that was given up, perhaps while the interpreter ends: import nothing
        return False
    from asyncio import CancelledError, current_task

    if not isinstance(exc, CancelledError):
        return False
    try:
        task = current_task()
    except RuntimeError:  # no loop runs here, so no task can have cancelled it
        return True
    return task is None or not task.cancelling()


def twins(
    steps: Callable[Concatenate[H, P], Steps[T]],
) -> tuple[Callable[Concatenate[H, P], T], Callable[Concatenate[H, P], Coroutine[Any, Any, T]]]:
    """A method for threads and one for event loops, from the same steps."""

    def method(self: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return drive(self, steps(self, *args, **kwargs))

    async def amethod(self: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await adrive(self, steps(self, *args, **kwargs))

    name = steps.__name__.lstrip("_")
    for one, its in ((method, name), (amethod, f"a{name}")):
        one.__name__, one.__doc__ = its, steps.__doc__
        one.__qualname__ = f"{steps.__qualname__.rpartition('.')[0]}.{its}"
        one.__dict__["__wrapped__"] = steps  # help() and the API page show its parameters
    return method, amethod


# The outcome of an event that a dialect does not have.
NOTHING = Outcome()

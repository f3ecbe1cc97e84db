"""A function in the host's own process: a dotted name from a file, or a callable that the host registered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tenterhook.handlers import Traits
from tenterhook.types import Attempt, Job

if TYPE_CHECKING:
    from tenterhook.author.event import Event

TRAITS = Traits(
    about="a Python function, in the host's process",
    failures=("import", "exception", "output", "timeout"),
    in_host=True,
)


def event_of(job: Job) -> Event:
    """The event as every hook in Python gets it: the dialect's payload, with attributes that all agents have."""
    from tenterhook.author.event import Event

    given = job.given
    about = given.event
    event = Event.of_engine(about.kind, about.name, given.shape.dialect, about.environ)
    given.fill(event)
    return event


def inline(job: Job) -> bool:
    """Whether it may run inline: a function without a time-out never has to be ended from another thread."""
    return job.timeout is None


def run(job: Job) -> Attempt:
    began = time.monotonic()
    function: Any = job.hook.spec["main"]
    if function.__class__ is str:
        function = resolve(job)
        if isinstance(function, Attempt):
            return function
    try:
        answer = function(event_of(job))
        if answer is not None and hasattr(answer, "__await__"):
            answer = in_a_loop(answer, job.timeout)
    except TimeoutError as exc:
        return build_failure_attempt(job, "timeout" if job.timeout else "exception", exc, began)
    except (Exception, SystemExit) as exc:
        return build_failure_attempt(job, "exception", exc, began)
    return build_answer_attempt(job, answer, time.monotonic() - began)


async def arun(job: Job) -> Attempt:
    """The same on the caller's loop, for functions that can be awaited."""
    import asyncio

    began = time.monotonic()
    function = resolve(job)
    if isinstance(function, Attempt):
        return function
    limit = asyncio.timeout(job.timeout)
    try:
        async with limit:
            answer = await function(event_of(job))
    except asyncio.CancelledError as exc:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return build_failure_attempt(job, "exception", exc, began)  # it cancelled itself, not the host
    except TimeoutError as exc:
        return build_failure_attempt(job, "timeout" if limit.expired() else "exception", exc, began)
    except (Exception, SystemExit) as exc:
        return build_failure_attempt(job, "exception", exc, began)
    return build_answer_attempt(job, answer, time.monotonic() - began)


def awaits(job: Job) -> bool:
    """Whether the function is a coroutine function. Finding out may import it, which is part of running it."""
    from inspect import iscoroutinefunction

    function = resolve(job)
    return not isinstance(function, Attempt) and (
        iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
    )


def in_a_loop(awaitable: Any, timeout: float | None) -> Any:
    """Await it on a new loop; in a new thread if a loop already runs in the caller's."""
    import asyncio

    async def with_time_limit() -> Any:
        async with asyncio.timeout(timeout):
            return await awaitable

    async def limited_to_errors() -> Any:
        try:
            return await with_time_limit()
        except asyncio.CancelledError as exc:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # Ctrl-C: asyncio.run makes a KeyboardInterrupt of it
                raise
            raise RuntimeError("it cancelled itself") from exc

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(limited_to_errors())
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, limited_to_errors()).result()


def resolve(job: Job) -> Callable[[Any], Any] | Attempt:
    main = job.hook.spec["main"]
    if not isinstance(main, str):
        return main  # type: ignore[no-any-return]
    from tenterhook.support import project_imports

    try:
        return project_imports.function(main, job.cwd)
    except (Exception, SystemExit) as exc:  # a module that exits the program has not been imported, either
        detail = f"cannot import {main!r}: {type(exc).__name__}: {exc}"
        return Attempt(job.hook.name, "python", str(job.hook.source), error="import", detail=detail)


def build_answer_attempt(job: Job, answer: Any, seconds: float) -> Attempt:
    """Read the returned value: a mapping is the answer, text counts as printed text, None as silence."""
    hook = job.hook
    if answer is None:
        return Attempt(hook.name, "python", hook.source.text or str(hook.source), seconds=seconds)
    if isinstance(answer, str):
        return Attempt(hook.name, "python", str(hook.source), seconds=seconds, stdout=answer)
    if not isinstance(answer, dict) and is_authors(answer):
        return build_authors_attempt(job, answer, seconds)
    try:
        found, cut = as_json_or_cut(answer)
    except Exception as exc:
        found, cut, detail = None, False, f"returned what cannot be read as JSON: {type(exc).__name__}: {exc}"
    else:
        detail = f"returned {type(answer).__name__}; a hook returns a mapping, text or None"
    if isinstance(found, dict):
        return Attempt(hook.name, "python", str(hook.source), seconds=seconds, answer=found, truncated=cut)
    return Attempt(hook.name, "python", str(hook.source), error="output", detail=detail, seconds=seconds)


def is_authors(answer: Any) -> bool:
    """Whether it is what `hook.deny(...)` and the like give, or several of them."""
    from tenterhook.author.answers import Answer

    if isinstance(answer, list | tuple):
        return all(one is None or is_authors(one) for one in answer)
    return isinstance(answer, Answer) or hasattr(answer, "__next__") or hasattr(answer, "__anext__")


def build_authors_attempt(job: Job, answer: Any, seconds: float) -> Attempt:
    """Read an answer of the author's SDK: it is written in the one form that the dialect obeys."""
    from tenterhook.author import callers
    from tenterhook.author.calls import render_result

    hook, began = job.hook, time.monotonic()
    try:
        reply = render_result(answer, event_of(job), callers.load(job.given.shape.dialect))
    except (Exception, SystemExit) as exc:  # of the hook itself, if it is a generator
        return build_failure_attempt(job, "exception", exc, began)
    seconds += time.monotonic() - began
    notes = (reply.err,) if reply.err and not reply.code else ()
    return Attempt(
        hook.name,
        "python",
        str(hook.source),
        exit_code=reply.code or None,
        seconds=seconds,
        stdout=reply.out,
        stderr="" if notes else reply.err,
        notes=notes,
    )


def as_json_or_cut(answer: Any) -> tuple[Any, bool]:
    """The answer as JSON, without its deepest levels if Python cannot follow them: deciding fields are on the first
    level.
    """
    try:
        return as_json(answer), False
    except RecursionError:
        from tenterhook.pipeline.answer import shallow

        return as_json(shallow(in_own_words(answer))), True


def as_json(answer: Any) -> Any:
    """Convert the answer as if it had been printed and read again, so that an outcome is always JSON."""
    from msgspec.json import decode, encode

    answer = in_own_words(answer)
    try:
        return decode(encode(answer, enc_hook=str))
    except UnicodeEncodeError:  # the reason may hold a file name that is not UTF-8; keep the refusal
        from tenterhook.pipeline import answer as text
        from tenterhook.support.terminal.text import as_json as escaped

        return text.decode(escaped(answer))[0]


def in_own_words(answer: Any) -> Any:
    """Convert a mapping to a dictionary, an object by its own method; records that msgspec knows stay as they are."""
    if callable(getattr(answer, "to_dict", None)):
        answer = answer.to_dict()
    if isinstance(answer, Mapping):
        return dict(answer)
    if hasattr(answer, "__dataclass_fields__") or hasattr(answer, "__struct_fields__"):
        return answer
    return plain_record(answer)


def plain_record(answer: Any) -> dict[str, Any] | None:
    """The public values, if set, of an object of any other class."""
    if type(answer).__module__ == "builtins":
        return None
    names = [name for name in dir(answer) if not name.startswith("_")]
    found = {name: getattr(answer, name) for name in names}
    return {name: value for name, value in found.items() if value is not None and not callable(value)} or None


def build_failure_attempt(job: Job, error: str, exc: BaseException, began: float) -> Attempt:
    from traceback import format_exception

    seconds = time.monotonic() - began
    detail = f"{type(exc).__name__}: {exc}" if error != "timeout" else f"timed out after {job.timeout:g} s"
    stderr = "".join(format_exception(exc)) if error != "timeout" else ""
    hook = job.hook
    return Attempt(hook.name, "python", str(hook.source), error=error, detail=detail, seconds=seconds, stderr=stderr)

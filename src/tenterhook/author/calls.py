"""One event and its hooks: those that listen are called one after another, and there is one answer for all of them.

A hook that fails is reported, and refuses, asks or lets go on as its `on_failure` says.
"""

from __future__ import annotations

import os

from tenterhook.author import callers, forms
from tenterhook.author.answers import Answer, ask, deny, notify
from tenterhook.author.event import Event
from tenterhook.author.forms import REFUSED, Said
from tenterhook.author.inputs import Misplaced
from tenterhook.author.registered import GUARDED
from tenterhook.errors import TenterhookError, format_exception_line
from tenterhook.support.off_switch import switched_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from tenterhook.author.forms import Failure
    from tenterhook.author.registered import Registered

# With this variable hooks are not called: everything that would be is refused, and it is told by whom.
CANARY = "TENTERHOOK_CANARY"


class Call:
    """What a hook's command line says: who calls, at which event, and with which options for the hooks."""

    __slots__ = ("agent", "event", "options", "problems", "report", "settings", "words")

    def __init__(self, agent: str = "", event: str = "") -> None:
        self.agent, self.event, self.options, self.report = agent, event, "", ""
        # Files, each with the settings that stand after it; those before the first are in `settings`.
        self.words: list[tuple[str, list[str]]] = []
        self.settings: list[str] = []
        self.problems: list[str] = []


# ---- one event


def handle_event(hooks: list[Registered], given: bytes, call: Call, environ: Mapping[str, str]) -> Said:
    """What to tell the agent about the event that it gave."""
    off = switched_off(environ)
    if off:
        return Said(err=off)
    try:
        event, dialect = parse_event(given, call, environ)
        answer, failures = (
            run_all_hooks(hooks, event) if CANARY not in environ else (sung(hooks, event, environ[CANARY]), [])
        )
        out = forms.render_answer(answer, event, dialect)
    except TenterhookError as exc:
        return unreadable(hooks, str(exc), exc)
    except Exception as exc:  # also a fault of ours, or a change that no JSON can hold
        return unreadable(hooks, format_exception_line(exc), exc)
    out.err = "\n".join(
        text for text in (callers.strange(call.agent), *(text for text, _ in failures), out.err) if text
    )
    out.failures = failures
    return out


def run_all_hooks(hooks: Iterable[Registered], event: Event) -> tuple[Answer, list[Failure]]:
    """What all hooks that listen say together, and what went wrong with some."""
    failures: list[Failure] = []
    answer, now = Answer(), event
    for one in hooks:
        try:
            said = call_hook(one, now)
            now = now.after(said)
        except (Exception, SystemExit) as exc:
            said, problem = answer_for_failure(one, exc, event)
            failures.append((problem, exc))
        answer = answer & said
    return answer, failures


def sung(hooks: list[Registered], event: Event, mark: str) -> Answer:
    """What tells an installer that the hooks would be called; they are not."""
    from tenterhook.author import canary

    return canary.answer(hooks, event, mark)


def parse_event(given: bytes, call: Call, environ: Mapping[str, str]) -> tuple[Event, dict[str, Any]]:
    """The event in our words, and the forms of whoever it came from."""
    raw = callers.payload(given) if given.strip() or not call.event else {}
    dialect, name = callers.of(raw, call.agent, call.event, environ)
    return callers.event_in(raw, dialect, name, environ), dialect


def unreadable(hooks: Iterable[Registered], problem: str, exc: BaseException) -> Said:
    """An event that nobody could look at is refused where a hook guards; every agent understands this refusal."""
    closed = any(one.on_failure(kind) != "allow" for one in hooks for kind in one.kinds if kind in GUARDED)
    said = Said(REFUSED if closed else 1, "", f"This cannot be checked: {problem}")
    said.failures = [(problem, exc)]
    return said


# ---- one hook


def call_hook(one: Registered, event: Event) -> Answer:
    """What a hook says to an event; nothing where it does not listen."""
    if not one.listens(event):
        return Answer()
    options = one.options

    def call() -> Answer:
        return coerce_to_answer(one.function(event, **options))

    return in_time(call, one.timeout) if one.timeout else call()


def coerce_to_answer(said: Any) -> Answer:
    """One answer of what a hook returned: nothing, an answer, several, or something to wait for."""
    if said is None:
        return Answer()
    if isinstance(said, Answer):
        return said
    if hasattr(said, "__await__") or hasattr(said, "__anext__"):
        import asyncio

        return coerce_to_answer(asyncio.run(await_hook_result(said)))
    if hasattr(said, "__next__") or isinstance(said, list | tuple):
        total = Answer()
        for part in said:
            total = total & coerce_to_answer(part)
        return total
    raise TypeError(f"a hook returns hook.deny(...) and the like, or nothing; not {said!r:.80}")


async def await_hook_result(said: Any) -> Any:
    return [part async for part in said] if hasattr(said, "__anext__") else await said


def in_time(call: Callable[[], Answer], seconds: float) -> Answer:
    """In a thread, which is left behind where it takes too long."""
    from threading import Thread

    said: list[Answer] = []
    problem: list[BaseException] = []

    def work() -> None:
        try:
            said.append(call())
        except BaseException as exc:
            problem.append(exc)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if problem:
        raise problem[0]
    if not said:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return said[0]


def answer_for_failure(one: Registered, exc: BaseException, event: Event) -> tuple[Answer, str]:
    """What the failure of a hook means, and one line about it."""
    problem = one.problem or f"hook {one.name} failed: {format_exception_line(exc)}{place(exc, one.function)}"
    # A call that a hook wanted to be another one does not run as it was, whatever the hook's failure means else.
    policy = "deny" if isinstance(exc, Misplaced) else one.on_failure(event.kind)
    if policy == "allow" or (event.stop_active and event.kind not in GUARDED):
        return notify(problem), problem
    return (deny if policy == "deny" else ask)(f"This cannot be checked: {problem}"), problem


def place(exc: BaseException, function: Any) -> str:
    """Where it went wrong: the last line of the hook's own file on the way there."""
    own = getattr(getattr(function, "__code__", None), "co_filename", "")
    number = line_of(exc, own)
    return f" ({os.path.basename(own)}, line {number})" if number else ""


def line_of(exc: BaseException, file: str) -> int:
    """The last line of a file on the way to where it went wrong; 0 where the way did not lead through it."""
    found, trace = 0, exc.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found

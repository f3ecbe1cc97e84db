"""Handle one event: call the hooks that listen, one after another, and make one answer of theirs.

A hook that fails is reported, and refuses, asks or allows as its `on_failure` says.
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

# With this variable hooks are not called: everything is refused, and the refusal lists the hooks that would run.
CANARY = "TENTERHOOK_CANARY"


class HookCommand:
    """The command line of a hook: the agent, the event, and the options for the hooks."""

    __slots__ = (
        *("agent", "command", "dialect", "event", "given", "hooks_of", "only", "options", "problems", "report"),
        *("settings", "words"),
    )

    def __init__(self, agent: str = "", event: str = "") -> None:
        self.agent, self.event, self.options, self.report = agent, event, "", ""
        # What the engine says: the one hook of the file that it wants, and its options as JSON.
        self.only, self.given = "", ""
        # The agents whose own config files are read, too.
        self.hooks_of: list[str] = []
        # The command of one hook, and the agent that it was written for.
        self.command: list[str] = []
        self.dialect = ""
        # Files, each with the settings after it; those before the first file are in `settings`.
        self.words: list[tuple[str, list[str]]] = []
        self.settings: list[str] = []
        self.problems: list[str] = []


# ---- one event


def handle_event(hooks: list[Registered], given: bytes, call: HookCommand, environ: Mapping[str, str]) -> Said:
    """The reply to the agent for the event that it sent."""
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
    except Exception as exc:  # a bug of ours, too, or a change that JSON cannot hold
        return unreadable(hooks, format_exception_line(exc), exc)
    out.err = "\n".join(
        text for text in (callers.strange(call.agent), *(text for text, _ in failures), out.err) if text
    )
    out.failures = failures
    return out


def run_all_hooks(hooks: Iterable[Registered], event: Event) -> tuple[Answer, list[Failure]]:
    """The combined answer of all hooks that listen, and the failures."""
    failures: list[Failure] = []
    answer, now = Answer(), event
    for one in hooks:
        try:
            reply = call_hook(one, now)
            now = now.after(reply)
        except (Exception, SystemExit) as exc:
            reply, problem = answer_for_failure(one, exc, event)
            failures.append((problem, exc))
        answer = answer & reply
    return answer, failures


def sung(hooks: list[Registered], event: Event, mark: str) -> Answer:
    """Answer an installer that checks whether the hooks would be called, without calling them."""
    from tenterhook.author import canary

    return canary.answer(hooks, event, mark)


def parse_event(given: bytes, call: HookCommand, environ: Mapping[str, str]) -> tuple[Event, dict[str, Any]]:
    """The event in our words, and the forms of the agent that sent it."""
    raw = callers.payload(given) if given.strip() or not call.event else {}
    dialect, name = callers.of(raw, call.agent, call.event, environ)
    return callers.event_in(raw, dialect, name, environ), dialect


def unreadable(hooks: Iterable[Registered], problem: str, exc: BaseException) -> Said:
    """Refuse an event that cannot be read if a hook guards; every agent understands this refusal."""
    closed = any(one.on_failure(kind) != "allow" for one in hooks for kind in one.kinds if kind in GUARDED)
    reply = Said(REFUSED if closed else 1, "", f"This cannot be checked: {problem}")
    reply.failures = [(problem, exc)]
    return reply


# ---- one hook


def render_result(result: Any, event: Event, dialect: dict[str, Any]) -> Said:
    """The reply for what a hook returned, in the form of this dialect."""
    try:
        return forms.render_answer(coerce_to_answer(result), event, dialect)
    except Misplaced as exc:  # it wanted to change the call and could not: the original call must not run
        return forms.render_answer(deny(f"This cannot be checked: {exc}"), event, dialect)


def call_hook(one: Registered, event: Event) -> Answer:
    """Call a hook with an event; the answer is empty if the hook does not listen."""
    if not one.listens(event):
        return Answer()
    options = one.options

    def call() -> Answer:
        return coerce_to_answer(one.function(event, **options))

    return in_time(call, one.timeout) if one.timeout else call()


def coerce_to_answer(result: Any) -> Answer:
    """Make one answer of a hook's return value: nothing, an answer, several, or something to await."""
    if result is None:
        return Answer()
    if isinstance(result, Answer):
        return result
    if hasattr(result, "__await__") or hasattr(result, "__anext__"):
        import asyncio

        return coerce_to_answer(asyncio.run(await_hook_result(result)))
    if hasattr(result, "__next__") or isinstance(result, list | tuple):
        total = Answer()
        for part in result:
            total = total & coerce_to_answer(part)
        return total
    raise TypeError(f"a hook returns hook.deny(...) and the like, or nothing; not {result!r:.80}")


async def await_hook_result(result: Any) -> Any:
    return [part async for part in result] if hasattr(result, "__anext__") else await result


def in_time(call: Callable[[], Answer], seconds: float) -> Answer:
    """Call it in a thread, which is abandoned if it takes too long."""
    from threading import Thread

    answers: list[Answer] = []
    problem: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(call())
        except BaseException as exc:
            problem.append(exc)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if problem:
        raise problem[0]
    if not answers:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return answers[0]


def answer_for_failure(one: Registered, exc: BaseException, event: Event) -> tuple[Answer, str]:
    """The answer for a hook that failed, and one line about it."""
    problem = one.problem or f"hook {one.name} failed: {format_exception_line(exc)}{place(exc, one.function)}"
    # If a hook tried to change a call and could not, the original call must not run, whatever its `on_failure` says.
    policy = "deny" if isinstance(exc, Misplaced) else one.on_failure(event.kind)
    if policy == "allow" or (event.stop_active and event.kind not in GUARDED):
        return notify(problem), problem
    return (deny if policy == "deny" else ask)(f"This cannot be checked: {problem}"), problem


def place(exc: BaseException, function: Any) -> str:
    """The place of the failure: the last line of the hook's own file in the traceback."""
    own = getattr(getattr(function, "__code__", None), "co_filename", "")
    number = line_of(exc, own)
    return f" ({os.path.basename(own)}, line {number})" if number else ""


def line_of(exc: BaseException, file: str) -> int:
    """The last line of a file in a traceback; 0 if the file is not in it."""
    found, trace = 0, exc.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found

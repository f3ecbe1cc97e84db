"""One call of an agent, from its words to the reply.

`engine_for` gives the engine of a call: the command makes one, the server keeps some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.author import callers
from tenterhook.author.answers import Answer
from tenterhook.author.calls import CANARY
from tenterhook.author.forms import REFUSED, Said
from tenterhook.errors import TenterhookError, format_exception_line
from tenterhook.hosts.gate import reply
from tenterhook.hosts.gate.call import AgentCall, Unreadable, read_call
from tenterhook.hosts.gate.session import Repeats, once_a_session
from tenterhook.support.off_switch import switched_off

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from tenterhook.engine.engine import Engine
    from tenterhook.types import Outcome

    # Gives the engine for these options, and takes it back at the end.
    EngineFor = Callable[[dict[str, Any]], AbstractContextManager[Engine]]
    Fire = Callable[[Engine, AgentCall], Outcome]


def answer_call(words: list[str], given: bytes, environ: Mapping[str, str], engine_for: EngineFor, fire: Fire) -> Said:
    """The reply to an agent's call. Hooks that guard refuse what cannot be read."""
    try:
        call = read_call(words, given, environ)
    except Unreadable as exc:
        return refuse_unreadable(exc, engine_for)
    try:
        with engine_for(call.engine_options()) as engine:
            said = answer_with(engine, call, environ, fire)
    except TenterhookError as exc:
        said = reply.cannot_check(call, str(exc))
    except Exception as exc:  # a bug of ours, too
        said = reply.cannot_check(call, format_exception_line(exc))
    said.err = "\n".join(text for text in (callers.strange(call.line.agent), said.err) if text)
    return said


def refuse_unreadable(problem: Unreadable, engine_for: EngineFor) -> Said:
    """Every agent understands this refusal; it is in the journal, too."""
    try:
        with engine_for(problem.engine_options()) as engine:
            return reply.refuse(problem, engine)
    except TenterhookError as exc:
        return Said(REFUSED, "", f"This cannot be checked: {problem}; and the hooks cannot be read: {exc}")


def answer_with(engine: Engine, call: AgentCall, environ: Mapping[str, str], fire: Fire) -> Said:
    from tenterhook.hosts.gate.hooks import add_hooks

    with add_hooks(call.line, engine):
        if CANARY in environ:
            return answer_canary(engine, call, environ[CANARY])
        if not engine.has(call.kind):  # an event that is newer than we are: no hook of ours can be for it
            return Said()
        if not engine.listens(call.kind):
            outcome = fire(engine, call)
            return reply.render(call, outcome, notices_of(engine, call, outcome))
        with Repeats(call, engine) as repeat:
            if repeat.earlier is not None:
                return repeat.earlier
            outcome = fire(engine, call)
            said = reply.render(call, outcome, notices_of(engine, call, outcome))
            repeat.keep(said, call, outcome)
    return said


def answer_canary(engine: Engine, call: AgentCall, mark: str) -> Said:
    """Answer an installer that checks whether the hooks would be called, without calling them."""
    from tenterhook.author import canary
    from tenterhook.author.forms import render_answer

    planned = engine.plan_event(engine.hookset.event(call.kind), call.data())[1] if engine.has(call.kind) else None
    names = [hook.name for batch in planned.batches for hook in batch] if planned else []
    how = canary.REACHED if names else canary.NOBODY
    refusal = Answer("deny", canary.format_canary_reason(mark, how, ", ".join(names)))
    return render_answer(refusal, call.event, call.forms)


def notices_of(engine: Engine, call: AgentCall, outcome: Outcome) -> tuple[str, ...]:
    """What the user has to know about hooks that did not run, told once in a session."""
    waiting = sorted({one.hook for one in outcome.skipped if one.why == "untrusted"})
    texts = []
    if waiting:
        what, them = ("1 hook", "it") if len(waiting) == 1 else (f"{len(waiting)} hooks", "them")
        names = ", ".join(map(engine.hookset.label, waiting[:3])) + (", ..." if len(waiting) > 3 else "")
        texts.append(
            f"tenterhook: {what} of this project did not run, because you have not approved {them} ({names}). "
            "To look and approve: tenter trust"
        )
    if off := switched_off(call.environ):
        texts.append(f"tenterhook: {off}")
    return tuple(text for text in texts if once_a_session(call, engine, text))

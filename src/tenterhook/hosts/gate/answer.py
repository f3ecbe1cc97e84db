"""One call of an agent, from its words to the reply.

`engine_for` gives the engine of a call: the command makes one, the server keeps some. `flow` is the whole story: it
yields events for engines and receives outcomes. In the server another thread may have to go on with it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tenterhook.author import callers
from tenterhook.author.answers import Answer
from tenterhook.author.calls import CANARY
from tenterhook.author.forms import Said
from tenterhook.author.inputs import Misplaced
from tenterhook.author.registered import GUARDED
from tenterhook.errors import TenterhookError, format_exception_line
from tenterhook.hosts.gate import reply
from tenterhook.hosts.gate.call import AgentCall, Unreadable, read_call
from tenterhook.hosts.gate.record import (
    caller_of,
    caller_of_unreadable,
    data_of_unreadable,
    keep_refusal,
    keep_unanswered,
    keep_unheard,
)
from tenterhook.hosts.gate.session import Repeats, once_a_session
from tenterhook.journal.caller import called_by
from tenterhook.support.off_switch import switched_off

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.gate.sides import EngineFor, Side
    from tenterhook.types import Outcome

    # Fires an event; the last argument makes the reply of its outcome.
    Fire = Callable[[Engine, str, dict[str, Any], Callable[[Outcome], Said]], Outcome]
    Flow = Generator[tuple[Engine, str, dict[str, Any]], Outcome, Said]


def answer_call(words: list[str], given: bytes, environ: Mapping[str, str], engine_for: EngineFor, fire: Fire) -> Said:
    """The reply to an agent's call. Hooks that guard refuse what cannot be read."""
    from tenterhook.hosts.gate.sides import open_sides

    try:
        call = read_call(words, given, environ)
    except Unreadable as exc:
        return refuse_unreadable(exc, engine_for)
    try:
        with called_by(caller_of(call)), open_sides(call, engine_for) as sides:
            return drive_flow(call, flow(call, sides, environ), fire, engine_for=engine_for)
    except Exception as exc:  # a bug of ours, too
        return refuse_unanswered(call, exc, engine_for)


def refuse_unreadable(problem: Unreadable, engine_for: EngineFor) -> Said:
    """Every agent understands this refusal; it is in the journal, too."""
    from tenterhook.hosts.gate.sides import open_sides_of_unreadable

    line, text = problem.line, f"This cannot be checked: {problem}"
    with called_by(caller_of_unreadable(line)):
        try:
            with open_sides_of_unreadable(problem, engine_for) as sides:
                guarded = bool(line.words or line.command) or any(one.guards() for one in sides)
                keep_refusal(sides[0].engine, GUARDED[0], data_of_unreadable(line), text, blocked=guarded)
                return reply.refuse(text, guarded=guarded)
        except TenterhookError as exc:
            text = f"{text}; and the hooks cannot be read: {exc}"
        with suppress(Exception), engine_for({**problem.engine_options(), "on_config_error": "warn"}) as engine:
            keep_refusal(engine, GUARDED[0], data_of_unreadable(line), text, blocked=True)
    return reply.refuse(text, guarded=True)


def refuse_unanswered(call: AgentCall, exc: Exception, engine_for: EngineFor) -> Said:
    problem = str(exc) if isinstance(exc, TenterhookError) else format_exception_line(exc)
    keep_unanswered(call, f"This cannot be checked: {problem}", engine_for)
    return with_remarks(call, reply.cannot_check(call, problem))


def with_remarks(call: AgentCall, said: Said) -> Said:
    said.err = "\n".join(text for text in (callers.strange(call.line.agent), said.err) if text)
    return said


def drive_flow(
    call: AgentCall, flow: Flow, fire: Fire, outcome: Outcome | None = None, *, engine_for: EngineFor
) -> Said:
    """Drive a flow to its end, from its start or from an outcome that it waits for."""

    def finish(outcome: Outcome) -> Said:
        return drive_flow(call, flow, fire, outcome, engine_for=engine_for)

    try:
        event = next(flow) if outcome is None else flow.send(outcome)
        while True:
            event = flow.send(fire(*event, finish))
    except StopIteration as finished:
        said: Said = finished.value
        return with_remarks(call, said)
    except Exception as exc:
        flow.close()
        return refuse_unanswered(call, exc, engine_for)


def flow(call: AgentCall, sides: list[Side], environ: Mapping[str, str]) -> Flow:
    """One call without firing: yields events, receives outcomes, returns the reply."""
    if CANARY in environ:
        return answer_canary(call, sides, environ[CANARY])
    engine, data = sides[0].engine, call.data()
    if not any(one.engine.may_run(call.kind, wording.data) for one in sides for wording in one.wordings(call, data)):
        answer, _ = yield from ask_all(call, sides, data)
        keep_unheard(call, sides, data)
        return render(call, answer, engine)
    with Repeats(call, engine) as repeat:
        if repeat.earlier is not None:
            return repeat.earlier
        answer, ran = yield from ask_all(call, sides, data)
        said = render(call, answer, engine)
        if ran:
            repeat.keep(answer)
    return said


def render(call: AgentCall, answer: Answer, engine: Engine) -> Said:
    """The reply; where a change cannot be carried out the call is refused, which the journal has, too."""
    try:
        return reply.render_answer(call, answer)
    except Misplaced as exc:  # a hook wanted to change the call, and this agent's tool has no such field
        text = f"This cannot be checked: {exc}"
        keep_refusal(engine, call.kind, call.data(), text, blocked=True)
        return reply.refuse_call(call, text, answer.notices)


def ask_all(
    call: AgentCall, sides: list[Side], data: dict[str, Any]
) -> Generator[tuple[Engine, str, dict[str, Any]], Outcome, tuple[Answer, bool]]:
    """The answers of all sides as one, and whether a hook ran. Each side sees what those before it changed."""
    answer, ran = Answer(), False
    for side in sides:
        own, blocked = side.unheard(call), False
        own.notices = tell_once(call, side, (*own.notices, *side.notices))
        for wording in side.wordings(call, data):
            outcome = yield side.engine, call.kind, wording.data
            own = own & reply.answer_of(call, outcome, wording) & side.check(call, outcome)
            own.notices += notices_of(side, call, outcome)
            ran, blocked = ran or bool(outcome.attempts), blocked or outcome.blocked
        if own.decision == "deny" and not blocked:  # not by a hook: the agent cannot do what a hook wants
            keep_refusal(side.engine, call.kind, call.data(), own.reason, blocked=True)
        data = reply.data_after(call, data, own)
        answer = answer & own
    return answer, ran


def answer_canary(call: AgentCall, sides: list[Side], mark: str) -> Said:
    """Answer an installer that checks whether the hooks would be called, without calling them."""
    from tenterhook.author import canary
    from tenterhook.author.forms import render_answer

    names: list[str] = []
    for side in sides:
        for wording in side.wordings(call, call.data()):
            planned = side.engine.plan_event(side.engine.hookset.event(call.kind), wording.data)[1]
            names += [hook.name for batch in planned.batches for hook in batch]
    how = canary.REACHED if names else canary.NO_HOOK
    refusal = Answer("deny", canary.format_canary_reason(mark, how, ", ".join(dict.fromkeys(names))))
    return render_answer(refusal, call.event, call.forms)


def notices_of(side: Side, call: AgentCall, outcome: Outcome) -> tuple[str, ...]:
    """What the user has to know about hooks that did not run, told once in a session."""
    waiting = sorted({one.hook for one in outcome.skipped if one.why == "untrusted"})
    texts = []
    if waiting:
        what, them = ("1 hook", "it") if len(waiting) == 1 else (f"{len(waiting)} hooks", "them")
        names = ", ".join(map(side.engine.hookset.label, waiting[:3])) + (", ..." if len(waiting) > 3 else "")
        texts.append(
            f"tenterhook: {what} of this project did not run, because you have not approved {them} ({names}). "
            f"To look and approve: {side.approve}"
        )
    if off := switched_off(call.environ):
        texts.append(f"tenterhook: {off}")
    return tell_once(call, side, texts)


def tell_once(call: AgentCall, side: Side, texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if once_a_session(call, side.engine, text))

"""An outcome as the answer to the agent that called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.author import forms
from tenterhook.author.answers import NOTHING, Answer
from tenterhook.author.callers import CALLER
from tenterhook.author.event import SUBJECTS
from tenterhook.author.forms import REFUSED, Said
from tenterhook.author.inputs import Misplaced
from tenterhook.author.registered import GUARDED
from tenterhook.hosts.gate import our_words
from tenterhook.types import Event, Outcome

if TYPE_CHECKING:
    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.gate.call import AgentCall, Unreadable

# Messages that repeat what the outcome's reason or stop reason says.
REASONS = ("reason", "stop_reason")
# What an outcome calls the subject of a change.
CHANGES = {
    "tool_input": "input",
    "tool_output": "output",
    "llm_request": "request",
    "llm_response": "response",
    "tool_config": "tool_config",
    "prompt": "prompt",
    "transformed_prompt": "prompt",
}


def render(call: AgentCall, outcome: Outcome, notices: tuple[str, ...] = ()) -> Said:
    """The outcome in the one form that the agent is known to obey at this event."""
    answer = answer_of(call, outcome)
    answer.notices += notices
    return render_answer(call, answer)


def render_answer(call: AgentCall, answer: Answer) -> Said:
    try:
        return forms.render_answer(answer, call.event, call.forms)
    except Misplaced as exc:  # a hook wanted to change the call, and this agent's tool has no such field
        refusal = Answer("deny", f"This cannot be checked: {exc}")
        refusal.notices = answer.notices
        return forms.render_answer(refusal, call.event, call.forms)


def answer_of(call: AgentCall, outcome: Outcome) -> Answer:
    """The outcome as the author's SDK would say it."""
    reason = "\n\n".join(dict.fromkeys(one.text for one in outcome.messages if one.kind == "reason")) or outcome.reason
    answer = Answer(outcome.decision if outcome.decision in ("deny", "ask", "allow") else "none", reason)
    if outcome.blocked and answer.decision == "none":
        answer.decision = "deny"
    if answer.decision == "deny" and only_failures(outcome) and loops(call):
        answer.decision = "none"
        answer.notices += (reason,)
    for one in outcome.messages:
        if one.kind in REASONS or not one.text:
            continue
        if one.to == "model":
            answer.contexts += (one.text,)
        elif one.to == "user":
            answer.notices += (one.text,)
    if outcome.stop:
        answer.stop = outcome.stop_reason
    change(answer, call, outcome)
    return answer


def only_failures(outcome: Outcome) -> bool:
    """Whether hooks refuse only because they failed."""
    denies = [one for one in outcome.attempts if one.decision == "deny"]
    return not any(not one.failed for one in denies)


def loops(call: AgentCall) -> bool:
    """Whether a refusal might go on for ever: a hook has already kept the agent from stopping."""
    return call.event.stop_active and call.kind not in GUARDED


def change(answer: Answer, call: AgentCall, outcome: Outcome) -> None:
    """Put in what hooks changed, if they did. A tool's input is changed field by field, under the agent's names."""
    subject = SUBJECTS.get(call.kind, "")
    value: Any = outcome.changes.get(CHANGES.get(subject, ""), NOTHING)
    if value is NOTHING:
        return
    if subject != "tool_input":
        answer.change = value
        return
    before = call.data().get("tool_input")
    if isinstance(before, dict) and isinstance(value, dict):
        answer.edits = our_words.changed_fields(before, value)
    elif value != before:
        answer.change = value


def render_kept(call: AgentCall, kept: dict[str, Any]) -> Said:
    """The reply to a call that came before: its decision and its change, in this call's own form."""
    answer = Answer(kept["decision"], kept["reason"])
    answer.edits = kept.get("edits", {})
    answer.stop = kept.get("stop")
    return render_answer(call, answer)


def cannot_check(call: AgentCall, problem: str) -> Said:
    """Answer an event whose hooks cannot be asked: refuse it where they may have guarded, else tell the user."""
    text = f"This cannot be checked: {problem}"
    answer = Answer("deny", text) if call.kind in GUARDED else Answer()
    answer.notices += () if answer.decision == "deny" else (text,)
    return forms.render_answer(answer, call.event, call.forms)


def refuse(problem: Unreadable, engine: Engine) -> Said:
    """Answer an event that cannot be read: refuse it if any hook guards. Every agent understands this refusal."""
    engine.ready()
    guarded = bool(problem.line.words) or any(
        hook.event in GUARDED and hook.enabled and hook.trusted for hook in engine.hooks()
    )
    text = f"This cannot be checked: {problem}"
    compiled = engine.hookset.event(GUARDED[0])
    outcome = replace(
        engine.nothing(compiled), decision="deny" if guarded else "none", blocked=guarded, reason=text, success=False
    )
    data = {CALLER: {"agent": problem.line.agent, "event": problem.line.event}}
    engine.finish(Event(compiled.rule.kind, compiled.rule.name, data, engine.project, engine.session_id), outcome)
    return Said(REFUSED if guarded else 1, "", text, text if guarded else "")

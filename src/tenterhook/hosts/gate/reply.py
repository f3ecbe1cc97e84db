"""An outcome as the answer to the agent that called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.author import forms
from tenterhook.author.answers import NOTHING, Answer
from tenterhook.author.event import SUBJECTS
from tenterhook.author.forms import REFUSED, Said
from tenterhook.author.inputs import Misplaced, apply_field_edits, output_text
from tenterhook.author.registered import GUARDED
from tenterhook.hosts.gate import our_words
from tenterhook.types import Outcome

if TYPE_CHECKING:
    from tenterhook.hosts.gate.call import AgentCall
    from tenterhook.hosts.gate.our_words import Wording

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


def render_answer(call: AgentCall, answer: Answer) -> Said:
    """The answer in the one form that the agent is known to obey at this event. Raises Misplaced."""
    try:
        return forms.render_answer(answer, call.event, call.forms)
    except Misplaced:
        if our_words.REMARKS.isdisjoint(answer.edits):
            raise
    answer.edits = {name: new for name, new in answer.edits.items() if name not in our_words.REMARKS}
    return forms.render_answer(answer, call.event, call.forms)


def refuse_call(call: AgentCall, text: str, notices: tuple[str, ...]) -> Said:
    refusal = Answer("deny", text)
    refusal.notices = notices
    return forms.render_answer(refusal, call.event, call.forms)


def answer_of(call: AgentCall, outcome: Outcome, wording: Wording) -> Answer:
    """The outcome as the author's SDK would say it; the hooks were given the event in this wording."""
    reason = "\n\n".join(dict.fromkeys(one.text for one in outcome.messages if one.kind == "reason")) or outcome.reason
    answer = Answer(outcome.decision if outcome.decision in ("deny", "ask", "allow") else "none", reason)
    if outcome.blocked and answer.decision == "none":
        answer.decision = "deny"
    if answer.decision == "deny" and only_failures(outcome) and loops(call):
        answer.decision = "none"
        answer.notices += (reason,)
    for one in outcome.messages:
        if one.kind in REASONS or not one.text or (one.to == "model" and one.text == answer.reason):
            continue
        if one.to == "model":
            answer.contexts += (one.text,)
        elif one.to == "user":
            answer.notices += (one.text,)
    if outcome.stop:
        answer.stop = outcome.stop_reason
    change(answer, call, outcome, wording)
    return answer


def only_failures(outcome: Outcome) -> bool:
    """Whether hooks refuse only because they failed."""
    denies = [one for one in outcome.attempts if one.decision == "deny"]
    return not any(not one.failed for one in denies)


def loops(call: AgentCall) -> bool:
    """Whether a refusal might go on for ever: a hook has already kept the agent from stopping."""
    return call.event.stop_active and call.kind not in GUARDED


def change(answer: Answer, call: AgentCall, outcome: Outcome, wording: Wording) -> None:
    """Put in what hooks changed, if they did. A tool's input is changed field by field, under our names."""
    subject = SUBJECTS.get(call.kind, "")
    value: Any = outcome.changes.get(CHANGES.get(subject, ""), NOTHING)
    if value is NOTHING:
        return
    if subject != "tool_input":
        change_subject(answer, call, outcome, value)
        return
    before = wording.data.get("tool_input")
    if value == before:
        return
    if wording.fixed:
        import json

        refuse_change(answer, f"{wording.fixed}: do it again with {json.dumps(value, ensure_ascii=False, default=str)}")
    elif isinstance(before, dict) and isinstance(value, dict):
        changed = our_words.changed_fields(before, value)
        answer.edits = {wording.our_field(name): new for name, new in changed.items()}
    else:
        answer.change = value


def change_subject(answer: Answer, call: AgentCall, outcome: Outcome, value: Any) -> None:
    """Change what is not a tool's input: a text is the same for every agent, a model's request is not."""
    if outcome.dialect in (our_words.DIALECT, call.forms["name"]) or isinstance(value, str):
        answer.change = value
    elif call.kind == "tool.after":
        answer.change = output_text(value)
    else:
        refuse_change(answer, f"the hooks of {outcome.dialect} write it in another form than {call.forms['title']}")


def refuse_change(answer: Answer, why: str) -> None:
    """A hook changed what cannot be changed for this agent: the original must not happen unnoticed."""
    text = f"A hook changes this, which is not possible here: {why}"
    refused = answer & Answer("deny", text)
    answer.decision, answer.reason = refused.decision, refused.reason


def data_after(call: AgentCall, data: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """The event's data in our words, with a change."""
    subject = SUBJECTS.get(call.kind, "")
    if not answer.changes or not subject:
        return data
    value = data.get(subject) if answer.change is NOTHING else answer.change
    if answer.edits:
        value = apply_field_edits(value if isinstance(value, dict) else {}, answer.edits)
    return {**data, subject: value}


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


def refuse(text: str, *, guarded: bool) -> Said:
    """Answer an event that cannot be read: refuse it if any hook guards. Every agent understands this refusal."""
    return Said(REFUSED if guarded else 1, "", text, text if guarded else "")

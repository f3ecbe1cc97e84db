"""What some agents do with several answers: they lose them all, or lay them over each other."""

from __future__ import annotations

from collections.abc import Sequence

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.verdict import NO_REASON
from tenterhook.types import Message, Verdict


def is_ruined(verdicts: Sequence[Verdict], dialect: Dialect, rule: EventRule) -> bool:
    """Whether one answer makes the agent lose all of them: always, or only if it combines several."""
    how = rule.overrides.broken_section or dialect.reading.section.broken
    if how == "ignored" or not any(one.ruins for one in verdicts):
        return False
    speaking = [
        one for one in verdicts if one.ruins or one.decision != "none" or one.messages or one.changes or one.stop
    ]
    return how == "ruins" or len(speaking) > 1 or any(one.ruins_alone for one in verdicts)


def surviving(verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """The verdicts that are left if one answer makes the agent lose them all."""
    why = next((f"{one.hook}: {one.ruins}" for one in verdicts if one.ruins), "")
    return [without_answer(one, why) for one in verdicts] if why else verdicts


def without_answer(verdict: Verdict, why: str) -> Verdict:
    """The verdict of an answer that the agent loses: nothing except a warning."""
    messages = [Message("log", one.kind, one.text, one.hook) for one in verdict.messages]
    meant = verdict.decision != "none" or verdict.stop or verdict.changes or messages
    warnings = [*verdict.warnings, *([f"{verdict.hook}: its answer is lost, because {why}"] if meant else [])]
    return Verdict(verdict.hook, failed=verdict.failed, messages=messages, warnings=warnings, seconds=verdict.seconds)


def counting(messages: list[Message], rule: EventRule, decision: str, reason: str) -> list[Message]:
    """Send reasons of refusals to the log if the event's own reason does not contain them."""
    to, kind = rule.deny.to, rule.deny.kind
    return [
        Message("log", kind, one.text, one.hook)
        if (one.to, one.kind) == (to, kind) and (decision != "deny" or one.text not in reason)
        else one
        for one in messages
    ]


def own(verdict: Verdict) -> str:
    """The decision of the answer itself, without the effects of a stop or of a failure."""
    parts = verdict.parts
    if parts is None:
        return "none"
    return parts.section if parts.section not in (None, "none") else parts.general


def section_last(verdicts: Sequence[Verdict]) -> tuple[str, str]:
    """The agent lays all answers over each other: the last section counts, and the strongest general decision."""
    parts = [one.parts for one in verdicts if one.parts]
    joined = "\n".join(one.reason for one in parts if one.reason)
    general = next((word for word in ("deny", "allow") if any(one.general == word for one in parts)), "none")
    if len(parts) == 1:
        general = parts[0].general
    inside = [one.section for one in parts if one.section is not None]
    reasons = [one.section_reason for one in parts if one.section_reason is not None]
    decision = inside[-1] if inside and inside[-1] != "none" else general
    forced = [one for one in verdicts if one.decision == "deny" and own(one) != "deny"]
    if forced and decision not in ("deny", "ask"):
        stops = [one.stop_reason for one in parts if one.stop_reason]
        return "deny", (stops[-1] if stops else joined) or forced[-1].reason
    if decision == "ask":  # if no user could be asked, the ask became something else
        decision = next((one.decision for one in reversed(verdicts) if own(one) == "ask"), decision)
    reason = (reasons[-1] if reasons else "") or joined
    return decision, reason or (NO_REASON if decision == "deny" else "")


def taken_back(verdicts: Sequence[Verdict], decision: str) -> list[str]:
    """One warning for each refusal that does not count."""
    if decision in ("deny", "ask"):
        return []
    return [f"{one.hook}: refuses, and another hook takes that back" for one in verdicts if own(one) == "deny"]

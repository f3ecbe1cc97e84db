"""Verdicts -> Outcome: what all hooks decide together. The order of the plan counts, never the order of finishing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.apply import Changes
from tenterhook.pipeline.merge_losses import counting, is_ruined, section_last, surviving, taken_back
from tenterhook.support.strategy import Strategy
from tenterhook.types import Attempt, Message, Outcome, Skipped, Verdict, stronger


def merge(
    verdicts: Sequence[Verdict],
    changes: Changes,
    dialect: Dialect,
    rule: EventRule,
    *,
    mode: str,
    id: str,
    attempts: tuple[Attempt, ...] = (),
    skipped: tuple[Skipped, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Outcome:
    """A deny outranks an ask, an ask an allow. Nothing erases a deny, unless the agent uses only the last decision.

    In observe mode nothing is applied.
    """
    if ruined := mode != "strict" and is_ruined(verdicts, dialect, rule):
        verdicts = surviving(verdicts)
    counts = "strongest" if mode == "strict" else rule.merging.decisions
    decision, stop, stop_after, suppress, failed = "none", False, False, False, False
    messages: list[Message] = []
    notices: list[str] = []
    for verdict in verdicts:
        failed = failed or verdict.failed
        notices += verdict.warnings
        if mode == "observe":
            continue
        if verdict.decision != "none" and counts != "section-last":
            decision = WEIGHED[counts].run(decision, verdict.decision)
        stop, stop_after = stop or verdict.stop, stop_after or verdict.stop_after
        suppress = suppress or verdict.suppress
        messages += verdict.messages
    observed = mode == "observe"
    decision, reason = (decision, "") if observed else combine_decisions(verdicts, rule, counts, decision)
    notices += taken_back(verdicts, decision) if counts == "section-last" and not observed else []
    messages = heard_of(messages, verdicts, rule, counts, decision, reason)
    blocked = decision == "deny" and rule.can.block and not (stop and dialect.reading.stop_outranks)
    stop_reason = STOP_REASONS[rule.stop.reasons].run(verdicts) if stop or stop_after else ""
    changed = not observed and not ruined and (changes.values or stop)
    made = changes.result(denied=decision == "deny", stopped=stop, stop_reason=stop_reason) if changed else {}
    replaced = rule.deny.replaces and decision == "deny"
    return Outcome(
        decision,
        blocked,
        reason,
        stop or stop_after,
        stop_reason,
        suppress,
        {**made, "output": reason} if replaced else made,
        tuple(demote_context_to_log(messages) if rule.deny.erases and (blocked or replaced) else messages),
        not failed,
        attempts,
        skipped,
        (*warnings, *notices) if notices else warnings,
        rule.name,
        dialect.name,
        mode,
        id,
        stop_after=stop_after and not stop,
    )


def combine_decisions(verdicts: Sequence[Verdict], rule: EventRule, counts: str, decision: str) -> tuple[str, str]:
    """What all hooks decide together, and why."""
    if counts == "section-last":
        return section_last(verdicts)
    way = rule.merging.reasons
    reason = REASONS[way].run(verdicts, decision)
    # If one hook's reason may serve for another's refusal, a refusal without any reason does not count.
    void = decision == "deny" and counts == "last" and way == "last-any" and not reason
    return "none" if void else decision, reason


def heard_of(
    messages: list[Message], verdicts: Sequence[Verdict], rule: EventRule, counts: str, decision: str, reason: str
) -> list[Message]:
    """The messages that are delivered, of all that hooks sent."""
    merging = rule.merging
    messages = standing(messages, verdicts) if counts == "last" else messages
    messages = counting(messages, rule, decision, reason) if merging.reasons_told == "counting" else messages
    return demote_context_to_log(messages, but=last_of(messages, "context")) if merging.contexts == "last" else messages


def demote_context_to_log(messages: list[Message], but: str = "") -> list[Message]:
    """Send context to the log only: all of it if its prompt or result is gone, or that of every hook except `but`."""
    return [
        Message("log", m.kind, m.text, m.hook) if m.kind == "context" and (not but or m.hook != but) else m
        for m in messages
    ]


def last_of(messages: list[Message], kind: str) -> str:
    return next((m.hook for m in reversed(messages) if m.kind == kind), "")


def last(before: str, decision: str) -> str:
    return decision


def standing(messages: list[Message], verdicts: Sequence[Verdict]) -> list[Message]:
    """Drop the reasons of decisions that another hook overruled."""
    before = [one for one in verdicts if one.decision != "none"][:-1]
    gone = [message for one in before for message in one.messages if message.text == one.reason]
    return [message for message in messages if message not in gone]


def first(verdicts: Sequence[Verdict], decision: str) -> str:
    """The first reason of the winning decision."""
    if decision != "none":
        for verdict in verdicts:
            if verdict.decision == decision and verdict.reason:
                return verdict.reason
    return ""


def newest(verdicts: Sequence[Verdict], decision: str) -> str:
    """The last reason of the winning decision."""
    return first(verdicts[::-1], decision)


def last_any(verdicts: Sequence[Verdict], decision: str) -> str:
    """The last reason that any hook gives, even without a decision; else the reason of a failure that refuses."""
    if decision == "none":
        return ""
    failures = [one for one in verdicts if one.failed and one.decision == decision]
    return next((one.reason for one in (*reversed(verdicts), *failures) if one.reasoned or one in failures), "")


def last_finished(verdicts: Sequence[Verdict], decision: str) -> str:
    """The reason of the refusal that finished last; for other decisions the first reason."""
    if decision != "deny":
        return first(verdicts, decision)
    refusals = [one for one in verdicts if one.decision == "deny" and one.reason]
    return max(reversed(refusals), key=lambda one: one.seconds).reason if refusals else ""


def join_ruled(verdicts: Sequence[Verdict], decision: str) -> str:
    """All reasons of the winning decision, with a rule between them."""
    return "\n\n---\n\n".join(one.reason for one in verdicts if one.decision == decision and one.reason)


def join(verdicts: Sequence[Verdict], decision: str) -> str:
    """All reasons, one a line."""
    return "\n".join(verdict.reason for verdict in verdicts if verdict.reason)


def paragraphs(verdicts: Sequence[Verdict], decision: str) -> str:
    """The reasons of the winning decision, a paragraph each."""
    return "\n\n".join(one.reason for one in verdicts if one.reason and one.decision == decision != "none")


def first_stop(verdicts: Sequence[Verdict]) -> str:
    return next((verdict.stop_reason for verdict in verdicts if verdict.stop_reason), "")


def all_stops(verdicts: Sequence[Verdict]) -> str:
    return "\n".join(verdict.stop_reason for verdict in verdicts if verdict.stop_reason)


STOP_REASONS: dict[str, Strategy[Callable[[Sequence[Verdict]], str]]] = {
    "first": Strategy(first_stop, "the first reason to stop"),
    "join": Strategy(all_stops, "all of them, one a line"),
}
# How two decisions are weighed. If the agent lays answers over each other, `section_last` reads all of them at once.
WEIGHED: dict[str, Strategy[Callable[[str, str], str]]] = {
    "strongest": Strategy(stronger, "a deny outranks an ask, an ask an allow"),
    "last": Strategy(last, "the last decision counts"),
    "section-last": Strategy(last, "of the answers' sections the last counts, of the rest the strongest"),
}
REASONS: dict[str, Strategy[Callable[[Sequence[Verdict], str], str]]] = {
    "first": Strategy(first, "the first reason of the decision that counts"),
    "last": Strategy(newest, "the last reason of the decision that counts"),
    "last-any": Strategy(last_any, "the last reason that any hook gives, though it decide nothing itself"),
    "last-finished": Strategy(
        last_finished, "of refusals that of the hook which finished last; of anything else the first"
    ),
    "join": Strategy(join, "all reasons, one a line"),
    "join-ruled": Strategy(join_ruled, "all reasons of the decision that counts, with a rule between them"),
    "paragraphs": Strategy(paragraphs, "all reasons of the decision that counts, a paragraph each"),
}

"""Verdicts -> Outcome: what all hooks mean together. Order of the plan, never order of finishing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tenterhook.apply import Changes
from tenterhook.dialect import Dialect, EventRule
from tenterhook.effects import stronger
from tenterhook.types import Attempt, Message, Outcome, Skipped, Verdict


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
    """A deny outranks an ask, an ask an allow; nothing erases a deny, unless the agent hears the last one only.

    In observe mode nothing is applied.
    """
    decision = "none"
    heard = "strongest" if mode == "strict" else rule.decisions
    stop = stop_after = suppress = failed = False
    said: list[Message] = []
    told: list[str] = []
    for verdict in verdicts:
        failed = failed or verdict.failed
        told += verdict.warnings
        if mode == "observe":
            continue
        if verdict.decision != "none":
            decision = WEIGHED[heard](decision, verdict.decision)
        stop = stop or verdict.stop
        stop_after = stop_after or verdict.stop_after
        suppress = suppress or verdict.suppress
        said += verdict.messages
    said = standing(said, verdicts) if heard == "last" else said
    said = erased(said, but=last_of(said, "context")) if rule.contexts == "last" else said
    blocked = decision == "deny" and rule.blocks and not (stop and dialect.stop_outranks)
    observed = mode == "observe"
    reason = "" if observed else REASONS[rule.reasons](verdicts, decision)
    stop_reason = STOP_REASONS[rule.stop_reasons](verdicts) if stop or stop_after else ""
    changed = not observed and (changes.values or stop)
    made = changes.result(denied=decision == "deny", stopped=stop, stop_reason=stop_reason) if changed else {}
    replaced = rule.replaces and decision == "deny"
    return Outcome(
        decision,
        blocked,
        reason,
        stop or stop_after,
        stop_reason,
        suppress,
        {**made, "output": reason} if replaced else made,
        tuple(erased(said) if rule.erased and (blocked or replaced) else said),
        not failed,
        attempts,
        skipped,
        (*warnings, *told) if told else warnings,
        rule.name,
        dialect.name,
        mode,
        id,
        stop_after=stop_after and not stop,
    )


def erased(messages: list[Message], but: str = "") -> list[Message]:
    """Without the context of a prompt or a result that is gone; or without that of all hooks but one."""
    return [
        Message("log", m.kind, m.text, m.hook) if m.kind == "context" and (not but or m.hook != but) else m
        for m in messages
    ]


def last_of(messages: list[Message], kind: str) -> str:
    return next((m.hook for m in reversed(messages) if m.kind == kind), "")


def last(before: str, decision: str) -> str:
    return decision


def standing(messages: list[Message], verdicts: Sequence[Verdict]) -> list[Message]:
    """Without the reasons of decisions that another hook took back."""
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


STOP_REASONS: dict[str, Callable[[Sequence[Verdict]], str]] = {"first": first_stop, "join": all_stops}
WEIGHED: dict[str, Callable[[str, str], str]] = {"strongest": stronger, "last": last}
REASONS: dict[str, Callable[[Sequence[Verdict], str], str]] = {
    "first": first,
    "last": newest,
    "join": join,
    "join-ruled": join_ruled,
    "paragraphs": paragraphs,
}

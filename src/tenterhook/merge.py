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
    """A deny outranks an ask, an ask an allow; nothing erases a deny. In observe mode nothing is applied."""
    told = [text for verdict in verdicts for text in verdict.warnings]
    said = (*warnings, *told) if told else warnings
    success = True not in [verdict.failed for verdict in verdicts]
    if mode == "observe":
        return Outcome(
            success=success,
            attempts=attempts,
            skipped=skipped,
            warnings=said,
            event=rule.name,
            dialect=dialect.name,
            mode=mode,
            id=id,
        )
    decision = "none"
    stop = suppress = False
    stop_reason = ""
    for verdict in verdicts:
        decision = stronger(decision, verdict.decision)
        stop = stop or verdict.stop
        suppress = suppress or verdict.suppress
        stop_reason = stop_reason or verdict.stop_reason
    blocked = decision == "deny" and rule.blocks and not (stop and dialect.stop_outranks)
    return Outcome(
        decision,
        blocked,
        REASONS[rule.reasons](verdicts, decision),
        stop,
        stop_reason,
        suppress,
        changes.result(denied=decision == "deny", stopped=stop, stop_reason=stop_reason),
        messages(verdicts, erased=blocked and rule.erased),
        success,
        attempts,
        skipped,
        said,
        rule.name,
        dialect.name,
        mode,
        id,
    )


def messages(verdicts: Sequence[Verdict], *, erased: bool) -> tuple[Message, ...]:
    """All texts, two hooks' as two. The context of a prompt that was erased has nothing left to belong to."""
    said = [message for verdict in verdicts for message in verdict.messages]
    if erased:
        said = [Message("log", m.kind, m.text, m.hook) if m.kind == "context" else m for m in said]
    return tuple(said)


def first(verdicts: Sequence[Verdict], decision: str) -> str:
    """The first reason of the winning decision."""
    if decision != "none":
        for verdict in verdicts:
            if verdict.decision == decision and verdict.reason:
                return verdict.reason
    return ""


def join(verdicts: Sequence[Verdict], decision: str) -> str:
    """All reasons, one a line."""
    return "\n".join(verdict.reason for verdict in verdicts if verdict.reason)


REASONS: dict[str, Callable[[Sequence[Verdict], str], str]] = {"first": first, "join": join}

"""What a wish to stop does on an event, by the rule's word for it; and an ask if no user can be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tenterhook.pipeline.apply import STOPPED
from tenterhook.support.strategy import Strategy
from tenterhook.types import Message

if TYPE_CHECKING:
    from tenterhook.pipeline.verdict import Reader

# What an ask does if no user can be asked; `decide_unattended` applies it.
UNATTENDED = {"deny": "it is a refusal", "allow": "it is an allow", "stop": "the agent stops"}
DEFERRED = "Deferred by hook"


def decide_unattended(reader: Reader) -> None:
    """Handle an ask or a deferral. If no user can be asked, the dialect decides an ask; a deferral stops the agent."""
    verdict, attended = reader.verdict, reader.rules.attended
    if verdict.decision == "defer" and attended:
        reader.warn("defers, which counts only if no user can be asked")
        verdict.decision = "none"
    elif verdict.decision == "defer":
        verdict.stop, verdict.stop_reason = True, verdict.stop_reason or verdict.reason or DEFERRED
    elif attended is False and reader.rules.rule.can.ask:
        policy = "deny" if reader.rules.strict else reader.rules.rule.can.unattended
        verdict.stop = verdict.stop or policy == "stop"
        verdict.decision = "none" if policy == "stop" else policy


def ends_turn(spec: dict[str, Any]) -> bool:
    """Whether a model's refusal also ends the turn: some agents do that unless the entry says otherwise."""
    return bool(spec.get("ends_turn")) and not spec.get("continueOnBlock")


def first(reader: Reader) -> None:
    reader.verdict.stop_reason = reader.verdict.stop_reason or reader.verdict.reason


def after(reader: Reader) -> None:
    """Let the operation finish, then end the agent."""
    reader.verdict.stop, reader.verdict.stop_after = False, True
    first(reader)


def denies(reader: Reader) -> None:
    """Refuse this one operation; the agent goes on. If the hook also denies or asks, that decision stays."""
    verdict = reader.verdict
    if verdict.decision not in ("deny", "ask"):
        verdict.decision, verdict.reason = "deny", verdict.stop_reason or verdict.reason
    verdict.reason = verdict.reason or verdict.stop_reason
    verdict.stop, verdict.stop_reason = False, ""


def denies_by_stop(reader: Reader) -> None:
    """The same, but the stop's reason comes before the refusal's."""
    reader.verdict.reason = reader.verdict.stop_reason or reader.verdict.reason
    denies(reader)


def replaces(reader: Reader) -> None:
    """Give the model the reason in place of the tool's output; the agent goes on."""
    verdict = reader.verdict
    text = verdict.stop_reason or verdict.reason or STOPPED
    verdict.changes["output"] = text
    verdict.messages.append(Message("model", "feedback", text, reader.attempt.hook))
    verdict.stop, verdict.stop_reason = False, ""


def replaces_by_reason(reader: Reader) -> None:
    """The same, but the refusal's reason comes before the stop's. With only a stop's reason nothing is refused."""
    verdict = reader.verdict
    if verdict.reason.strip():
        verdict.stop_reason = verdict.reason
    else:
        verdict.decision = "none"
    replaces(reader)


def ignore_stop(reader: Reader) -> None:
    """The event does not let a hook stop the agent: warn, and keep the reason in the log."""
    verdict = reader.verdict
    reader.warn(f"wants the agent to stop, which does not count on {reader.rules.rule.name}")
    if verdict.stop_reason:
        reader.add("log", "reason", verdict.stop_reason)
    verdict.stop, verdict.stop_reason = False, ""


STOPS: dict[str, Strategy[Callable[[Reader], None]]] = {
    "first": Strategy(first, "the agent stops before the operation"),
    "after": Strategy(after, "the operation is done, then the agent stops"),
    "denies": Strategy(denies, "the operation is refused, the agent goes on"),
    "denies-by-stop": Strategy(denies_by_stop, "the same, with the stop's reason before the refusal's"),
    "replaces": Strategy(replaces, "the reason takes the place of the tool's output, the agent goes on"),
    "replaces-by-reason": Strategy(
        replaces_by_reason, "the same, with the refusal's reason before the stop's; without it nothing is refused"
    ),
    "ignored": Strategy(ignore_stop, "the agent goes on"),
}

"""What a hook can do in each agent: agent x event x effect, enforced, advisory or impossible, and how that is known.

All of it is computed. Each cell takes the form that the author SDK prints for the effect (author/forms/), lets the
dialect's own engine read it, and looks at the outcome. Only the evidence is data (evidence.toml).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from tenterhook.author import callers
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.make_forms import EFFECTS, ONE, Trial
from tenterhook.tools.matrix.evidence import known_by
from tenterhook.types import Outcome

__all__ = ["EFFECTS", "Cell", "cells", "matrix"]

ENFORCED, ADVISORY, IMPOSSIBLE = "enforced", "advisory", "impossible"


class Cell(Struct, frozen=True):
    """One effect at one event of one agent. `note` says what is rewritten, or when an agent ends."""

    agent: str
    version: str
    event: str
    kind: str
    effect: str
    support: str
    known_by: str
    note: str = ""


def matrix(dialects: Iterable[Dialect]) -> list[Cell]:
    return [cell for dialect in dialects for cell in cells(dialect)]


def cells(dialect: Dialect) -> Iterator[Cell]:
    """All cells of one agent, in the order of its events."""
    forms = callers.load(dialect.name)["events"]
    for rule in dialect.events:
        for effect in EFFECTS:
            support, note = judge_effect(dialect, rule, effect, forms.get(rule.name, {}).get("says", {}))
            how = known_by(dialect, rule.name, effect)
            yield Cell(dialect.name, dialect.version, rule.name, rule.kind, effect, support, how, note)


def judge_effect(dialect: Dialect, rule: EventRule, effect: str, says: dict[str, Any]) -> tuple[str, str]:
    """The result of an answer with this effect; without a form for it there is no such answer."""
    trial = Trial(dialect, rule)
    if effect not in says:
        return IMPOSSIBLE, ""
    seen = trial.outcome({effect: says[effect]}, trial.wish(effect, ONE))
    if not trial.checks[effect](seen, ONE):
        return IMPOSSIBLE, ""
    return JUDGES[effect](trial, seen) if effect in JUDGES else (ENFORCED, "")


def judge_deny(trial: Trial, seen: Outcome) -> tuple[str, str]:
    """After something has happened a refusal can only be reported."""
    return (ENFORCED, "") if trial.event.can.block else (ADVISORY, "the model is told")


def judge_allow(trial: Trial, seen: Outcome) -> tuple[str, str]:
    return (ENFORCED, "") if trial.event.can.grant else (ADVISORY, "does not stand for the user's permission")


def rewritten(trial: Trial, seen: Outcome) -> tuple[str, str]:
    return ENFORCED, trial.change


def judge_stop(trial: Trial, seen: Outcome) -> tuple[str, str]:
    return ENFORCED, "when the operation is done" if seen.stop_after else ""


JUDGES: dict[str, Callable[[Trial, Outcome], tuple[str, str]]] = {
    "deny": judge_deny,
    "allow": judge_allow,
    "rewrite": rewritten,
    "stop": judge_stop,
}

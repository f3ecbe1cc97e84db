"""Answers in an agent's own form, as the author SDK prints them, to see how the other agent reads them."""

from __future__ import annotations

from collections.abc import Iterator

from tenterhook.author import callers
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.make_forms import Trial
from tenterhook.tools.check.answers import TEXT, SampleAnswer

# The rule about answers of another agent's shape.
SHAPE = 9


def native(dialect: Dialect, rule: EventRule) -> Iterator[SampleAnswer]:
    """One for each effect that a hook can have at the event."""
    forms = callers.load(dialect.name)["events"].get(rule.name, {})
    trial = Trial(dialect, rule)
    for effect, form in forms.get("says", {}).items():
        answer = trial.said({effect: form}, trial.wish(effect, TEXT))
        name = f"{dialect.title}'s own {effect}"
        yield SampleAnswer(name, exit=answer.code, stdout=answer.out, stderr=answer.err, hazard=SHAPE)

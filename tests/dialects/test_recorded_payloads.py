"""What real agents told their hooks is told again, field by field and in their order, from events in our words."""

from typing import Any

import pytest

from tenterhook import Engine, dialects
from tenterhook.dialects.recorded import agents, payloads
from tenterhook.pipeline.payload import Given, aliases, in_our_words

RECORDED = [
    (agent, event, payload)
    for agent in agents()
    if agent in dialects.names()
    for event, several in payloads(agent).items()
    for payload in several
]


def told(agent: str, event: str, payload: dict[str, Any]) -> dict[str, Any]:
    """What we would tell a hook of the same event, of which a host knows what this payload says."""
    dialect = dialects.get(agent)
    rule = dialect.rule(event)
    assert rule, f"{agent} has no event {event}"
    ours = in_our_words(payload, aliases(dialect, rule))
    with Engine(payload["cwd"], dialect=agent, files=False, environ={}, home="/", journal=False) as engine:
        compiled = engine.hookset.event(rule.name)
        happened, _, _ = engine.plan_event(compiled, ours)
        return dict(Given(happened, compiled.shape).payload())


@pytest.mark.parametrize(
    ("agent", "event", "payload"), RECORDED, ids=[f"{agent}-{event}" for agent, event, _ in RECORDED]
)
def test_a_recorded_payload_is_told_again(agent: str, event: str, payload: dict[str, Any]) -> None:
    again = told(agent, event, payload)

    assert payload == again
    assert list(payload) == list(again)


@pytest.mark.parametrize("agent", [agent for agent in agents() if agent in dialects.names()])
def test_everything_recorded_stands_under_an_event_that_the_dialect_has(agent: str) -> None:
    events = {rule.name for rule in dialects.get(agent).events}

    assert set(payloads(agent)) <= events


@pytest.mark.parametrize(
    ("agent", "event", "payload"), RECORDED, ids=[f"{agent}-{event}" for agent, event, _ in RECORDED]
)
def test_every_field_that_was_recorded_is_one_that_the_dialect_names(
    agent: str, event: str, payload: dict[str, Any]
) -> None:
    """Else it would be told only because a host happened to give it."""
    dialect = dialects.get(agent)
    rule = dialect.rule(event)
    assert rule
    known = {field.name for field in (*(rule.overrides.base or dialect.payload.base), *rule.fields)}

    assert set(payload) <= known

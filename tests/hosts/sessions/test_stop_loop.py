"""No set of hooks keeps an agent going for ever: random sets, in every dialect in which a hook can refuse a stop."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from conftest import Project
from hosts.living import Told
from tenterhook.hosts.session import Session
from tenterhook.hosts.stop_limit import STOP_LIMIT

SETS = 100
FOREVER = 500
# The events that can keep an agent going, words of a refusal (without any, only failing refuses), and other words.
STOPS: dict[str, tuple[list[str], list[Any], list[Any]]] = {
    "wave": (
        ["Stop"],
        [{"decision": "block", "reason": "more"}, {"decision": "block"}],
        [{}, None, {"systemMessage": "x"}, {"decision": "block", "continue": False}],
    ),
    "amcp": (["Stop"], [], [{"feedback": "x"}, None, "text", {"continue": False}]),
    "moai": (
        ["TeammateIdle", "Stop", "SubagentStop"],
        [{"decision": "block", "reason": "more"}],
        [{"systemMessage": "x"}, None, {"continue": True}],
    ),
    "tenterhook": (
        ["turn.stop", "agent.stop", "teammate.idle"],
        [{"decision": "deny", "reason": "more"}, {"decision": "deny"}, {"decision": "nonsense"}],
        [{"context": "x"}, None, {"decision": "allow"}, {"stop": True}],
    ),
}
Answer = Callable[[Any, int], Any]


def always(words: Any) -> Answer:
    return lambda event, n: words


def unless_active(words: Any) -> Answer:
    """As hooks are told to do it."""
    return lambda event, n: None if event.get("stop_hook_active") else words


def now_and_then(words: Any, chance: random.Random) -> Answer:
    pattern = [chance.random() < 0.8 for _ in range(chance.randint(1, 12))]
    return lambda event, n: words if pattern[n % len(pattern)] else None


def failing(words: Any) -> Answer:
    def fail(event: Any, n: int) -> Any:
        raise ZeroDivisionError(words)

    return fail


def meddling(words: Any, session: Session, chance: random.Random) -> Answer:
    """It uses the session that it is a hook of."""
    moment = chance.choice(["prompt", "stop", "idle", "notify"])
    args = {"prompt": ("again",), "notify": ("a", "b")}.get(moment, ())

    def meddle(event: Any, n: int) -> Any:
        getattr(session, moment)(*args)
        return words

    return meddle


def install(session: Session, dialect: str, chance: random.Random) -> None:
    events, refusals, others = STOPS[dialect]
    for _ in range(chance.randint(1, 4)):
        words = chance.choice(refusals if refusals and chance.random() < 0.8 else others)
        answer = chance.choice(
            [
                always(words),
                always(words),
                unless_active(words),
                now_and_then(words, chance),
                failing(words),
                meddling(words, session, chance),
            ]
        )
        if not refusals and chance.random() < 0.5:
            answer = failing(words)
        count = iter(range(10**6))
        policy = chance.choice([None, "deny"])
        session.engine.add(
            chance.choice(events),
            lambda event, answer=answer, count=count: answer(event, next(count)),
            on_failure=policy,
            timeout=chance.choice([None, None, None, 5]),
        )


def turns(agent: Session, limit: int) -> int:
    """How often the agent goes on, as a host asks: may it stop, and may it then idle?"""
    for turn in range(limit):
        stop = agent.stop()
        if stop.goes_on:
            assert stop.text
            continue
        if stop.stop or not agent.idle().goes_on:
            return turn
    return limit


def bound(limit: int) -> int:
    """For each time that it was kept from idling it may be kept from stopping."""
    return (limit + 1) * (limit + 1)


@pytest.mark.parametrize("dialect", STOPS)
def test_of_a_hundred_random_sets_of_hooks_none_keeps_an_agent_going_for_ever(project: Project, dialect: str) -> None:
    chance, longest, warned = random.Random(dialect), 0, 0
    for n in range(SETS // len(STOPS)):
        told = Told()
        limit = chance.choice([STOP_LIMIT, STOP_LIMIT, 1, 3])
        session = project.engine(dialect, files=False).session(tell=told, stop_limit=limit)
        install(session, dialect, chance)
        for agent in (session, session.agent("look", agent_name="a")):
            for prompt in ("first", "second"):
                agent.prompt(prompt)
                before = len(told)
                went_on = turns(agent, FOREVER)
                assert went_on <= bound(limit), n
                longest = max(longest, went_on)
                warned += sum(text.startswith("Hooks kept the agent from stopping") for text in told[before:])
    assert longest >= STOP_LIMIT
    assert warned


REFUSING = {
    "wave": (".wave/settings.json", "Stop", "stop"),
    "amcp": (".amcp/hooks.json", "Stop", "stop"),
    "moai": (".claude/settings.json", "TeammateIdle", "idle"),
    "tenterhook": ("tenterhook.toml", "turn.stop", "stop"),
}


@pytest.mark.parametrize("dialect", REFUSING)
def test_a_command_that_always_refuses_is_overruled_after_eight_times_and_the_user_is_told(
    project: Project, dialect: str
) -> None:
    name, event, moment = REFUSING[dialect]
    hook = {"type": "command", "command": "echo not yet >&2; exit 2"}
    forms: dict[str, Any] = {
        ".amcp/hooks.json": {"hooks": {event: {"handlers": [hook]}}},
        "tenterhook.toml": f'[[hook]]\non = "{event}"\ncommand = "echo not yet >&2; exit 2"\n',
    }
    form = forms.get(name, {"hooks": {event: [{"hooks": [hook]}]}})
    project.write(name, form if isinstance(form, str) else json.dumps(form))
    told = Told()
    session = project.engine(dialect).session(tell=told)

    goes_on = [getattr(session, moment)().goes_on for _ in range(9)]

    assert goes_on == [True] * STOP_LIMIT + [False]
    assert STOP_LIMIT == 8
    assert told == ["Hooks kept the agent from stopping 8 times in a row; it stops now all the same."]
    session.prompt("next")
    assert getattr(session, moment)().goes_on

"""How often in a row hooks may keep an agent from stopping."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from tenterhook.engine.engine import Engine
    from tenterhook.types import Outcome

# Where neither the host nor the dialect says anything.
STOP_LIMIT = 8


def counting(engine: Engine, event: str, outcome: Outcome, forced: int, said: int | None) -> Outcome:
    """The outcome without the refusals of hooks that kept the agent going as often as they may: their texts go too."""
    if not outcome.blocked:
        return outcome
    limits = limits_of(engine, event, outcome, said)
    spent = {name for name, most in limits.items() if forced >= most}
    messages = tuple(message for message in outcome.messages if message.hook not in spent)
    return replace(outcome, messages=messages, blocked=len(spent) < len(limits))


def limits_of(engine: Engine, event: str, outcome: Outcome, said: int | None) -> dict[str, float]:
    """Of each hook that refuses: the host's own word, else its entry's, else what all have."""
    usual = cap(engine, event, said)
    hooks = engine.slot(event).hooks if said is None else ()
    own = {(hook.name, str(hook.source)): hook.spec["stop_cap"] for hook in hooks if "stop_cap" in hook.spec}
    found: dict[str, float] = {}
    for one in outcome.attempts:
        if one.decision == "deny":
            most = own.get((one.hook, one.source), usual)
            found[one.hook] = max(found.get(one.hook, 0), endless(engine) if most is None else most)
    return found or {"": usual}


def cap(engine: Engine, event: str, said: int | None) -> float:
    """The host's own word, else the dialect's, which may be without end."""
    if said is not None:
        return said
    rule = engine.dialect.rule(event)
    if rule is None or rule.stop.cap is None:
        return STOP_LIMIT
    return rule.stop.cap or endless(engine)


def endless(engine: Engine) -> float:
    """What is without end comes to one in a strict engine."""
    return STOP_LIMIT if engine.mode == "strict" else inf

"""How often in a row hooks may keep an agent from stopping."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from tenterhook.engine.engine import Engine
    from tenterhook.types import Outcome

# The default if neither the host nor the dialect sets one.
STOP_LIMIT = 8


def without_spent_refusals(
    engine: Engine, event: str, outcome: Outcome, forced: int, host_limit: int | None
) -> Outcome:
    """Drop the refusals, and their texts, of hooks that have reached their limit."""
    if not outcome.blocked:
        return outcome
    limits = hook_limits(engine, event, outcome, host_limit)
    spent = {name for name, most in limits.items() if forced >= most}
    messages = tuple(message for message in outcome.messages if message.hook not in spent)
    return replace(outcome, messages=messages, blocked=len(spent) < len(limits))


def hook_limits(engine: Engine, event: str, outcome: Outcome, host_limit: int | None) -> dict[str, float]:
    """The limit of each hook that refuses: the host's, else its entry's, else the dialect's."""
    usual = stop_limit(engine, event, host_limit)
    hooks = engine.hookset.event(event).hooks if host_limit is None else ()
    own = {(hook.name, str(hook.source)): hook.spec["stop_cap"] for hook in hooks if "stop_cap" in hook.spec}
    found: dict[str, float] = {}
    for one in outcome.attempts:
        if one.decision == "deny":
            most = own.get((one.hook, one.source), usual)
            found[one.hook] = max(found.get(one.hook, 0), no_limit(engine) if most is None else most)
    return found or {"": usual}


def stop_limit(engine: Engine, event: str, host_limit: int | None) -> float:
    """The host's limit, else the dialect's, which may be unlimited."""
    if host_limit is not None:
        return host_limit
    rule = engine.dialect.rule(event)
    if rule is None or rule.stop.cap is None:
        return STOP_LIMIT
    return rule.stop.cap or no_limit(engine)


def no_limit(engine: Engine) -> float:
    """Unlimited; a strict engine uses our own limit instead."""
    return STOP_LIMIT if engine.mode == "strict" else inf

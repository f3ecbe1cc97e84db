"""How often in a row hooks may keep an agent from stopping."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenterhook.engine import Engine

# Where neither the host nor the dialect says anything.
STOP_LIMIT = 8


def cap(engine: Engine, event: str, said: int | None) -> float:
    """The host's own word, else the dialect's, which may be without end; a strict engine comes to one."""
    if said is not None:
        return said
    rule = engine.dialect.rule(event)
    if rule is None or rule.stop_cap is None:
        return STOP_LIMIT
    return rule.stop_cap or (STOP_LIMIT if engine.mode == "strict" else inf)

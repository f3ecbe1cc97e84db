"""How a turn ends."""

from __future__ import annotations

from msgspec import Struct


class TurnEnd(Struct, frozen=True):
    """done, stopped by a hook, blocked before it began, script (no reply was left), failed, interrupted."""

    reason: str
    text: str = ""

"""Before a tool: no secrets, no dangerous commands, no protected paths."""

from __future__ import annotations

from tenterhook.actions.happened import Happened
from tenterhook.actions.said import Said
from tenterhook.actions.settings import Settings
from tenterhook.guard import judge


def run(event: Happened, settings: Settings) -> Said:
    return judge(event, settings)

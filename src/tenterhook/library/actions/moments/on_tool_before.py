"""Before a tool: no secrets, no dangerous commands, no protected paths."""

from __future__ import annotations

from tenterhook.library.actions.happened import Happened
from tenterhook.library.actions.said import Said
from tenterhook.library.actions.settings import Settings
from tenterhook.library.guard import judge


def run(event: Happened, settings: Settings) -> Said:
    return judge(event, settings)

"""An action that nobody knows: before a tool the guard, else nothing; it always says that the name is unknown."""

from __future__ import annotations

from tenterhook.errors import nearest
from tenterhook.library.actions import ACTIONS, BEFORE
from tenterhook.library.actions.happened import Happened
from tenterhook.library.actions.said import Said, fine
from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    name = action_name_of(event)
    unknown = f"no action {name!r}{nearest(name, ACTIONS)}" if name else "no action of that name"
    if event.kind != BEFORE:
        return fine(f"{unknown}: nothing was done")
    from tenterhook.library.guard import judge

    said = judge(event, settings)
    said.note = f"{unknown}; the guard instead: {said.note}"
    if said.reason:
        said.reason += f"\n({unknown}: this is the guard's answer)"
    return said


def action_name_of(event: Happened) -> str:
    """The action's name, where the event says it."""
    inner = event.data.get("data")
    found = event.data.get("action") or (inner.get("action") if isinstance(inner, dict) else None)
    return found if isinstance(found, str) else ""

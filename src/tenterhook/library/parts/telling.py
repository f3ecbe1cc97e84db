"""The texts of notifications: one short text for a person, without secrets."""

from __future__ import annotations

import os

from tenterhook.library.parts.decisions import all_of
from tenterhook.library.parts.moments import MOMENTS
from tenterhook.library.project.wording import plain
from tenterhook.support.secrets.redact import Redactor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Event

MESSAGES = ("message", "notification", "last_assistant_message", "error", "reason")
LONGEST = 200


def should_notify(event: Event, on: tuple[str, ...]) -> bool:
    """Whether to notify about such an event."""
    return event.kind in all_of("on", on, MOMENTS)


def title(event: Event) -> str:
    return f"{event.agent or 'an agent'} in {plain(os.path.basename(os.path.normpath(event.project)), 60)}"


def text(event: Event) -> str:
    """What happened, and the agent's own text about it."""
    what = MOMENTS[event.kind]
    said = next((event.text_of(name) for name in MESSAGES if event.text_of(name)), "")
    about = said or event.command or event.tool_name
    hidden = Redactor(os.environ).text(about)  # before it is cut: half a secret is not recognised
    return f"{what}: {plain(' '.join(hidden.split()), LONGEST)}" if about else what

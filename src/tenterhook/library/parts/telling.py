"""The texts of notifications: one short text for a person, without secrets."""

from __future__ import annotations

import os

from tenterhook.library.parts.decisions import all_of
from tenterhook.library.project.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Event

# The events that a person may want to hear of, and the text for each.
MOMENTS = {
    "notify": "needs your attention",
    "permission.ask": "asks for permission",
    "permission.denied": "was refused a permission",
    "turn.stop": "has finished",
    "turn.failed": "has failed",
    "agent.stop": "has finished a subtask",
    "task.done": "has done a task",
    "teammate.idle": "has a teammate without work",
    "tool.failed": "could not run a tool",
    "session.start": "has started",
    "session.end": "has ended",
}
MESSAGES = ("message", "notification", "last_assistant_message", "error", "reason")
LONGEST = 200


def should_notify(event: Event, on: tuple[str, ...]) -> bool:
    """Whether to notify about such an event."""
    return event.kind in all_of("on", on, MOMENTS)


def title(event: Event) -> str:
    return f"{event.agent or 'an agent'} in {plain(os.path.basename(os.path.normpath(event.project)), 60)}"


def text(event: Event) -> str:
    """What happened, and the agent's own text about it."""
    from tenterhook.support.secrets.redact import Redactor

    what = MOMENTS[event.kind]
    message = next((event.text_of(name) for name in MESSAGES if event.text_of(name)), "")
    about = message or event.command or event.tool_name
    hidden = Redactor(os.environ).text(about)  # before it is cut: half a secret is not recognised
    return f"{what}: {plain(' '.join(hidden.split()), LONGEST)}" if about else what

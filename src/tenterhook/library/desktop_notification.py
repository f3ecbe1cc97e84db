"""Show a notification on the desktop when an agent needs you or has finished.

`notify-send` shows it on Linux and `osascript` on macOS, within a short time limit. If the machine has neither, the
hook tells you once in a session. Secrets in the text are hidden.

Options:
    on: what to show, of notify, permission.ask, permission.denied, turn.stop, turn.failed, agent.stop, task.done,
        teammate.idle, tool.failed, session.start and session.end
    seconds: how long the program may take

What it cannot stop:
- It stops nothing: it only shows messages.
- On a machine without a desktop, over ssh or in a container you see nothing. A program that is installed may still find
  no desktop, and not report that.
- Windows is not supported.
- Moments for which an agent has no event: many have none for a question to the user.
"""

from __future__ import annotations

from tenterhook import hook
from tenterhook.library.parts.telling import MOMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event

SCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")
NONE = "desktop-notification: neither notify-send nor osascript is here, so nothing is shown; install libnotify"


@hook(*MOMENTS, on_failure="allow")
def desktop_notification(
    event: Event, on: tuple[str, ...] = ("notify", "permission.ask", "turn.stop"), seconds: float = 3.0
) -> Answer | None:
    from tenterhook.library.parts import telling
    from tenterhook.library.parts.decisions import positive

    positive("seconds", seconds)
    if not telling.should_notify(event, on):
        return None
    words = command(telling.title(event), telling.text(event))
    if not words:
        from tenterhook.library.parts.kept import once

        return once(event, "desktop-notification", NONE)
    import os

    from tenterhook.library.project.asked import output_of

    if output_of(words, dict(os.environ), seconds) is None:
        return hook.notify(f"desktop-notification: {words[0]} could not show it")
    return None


def command(title: str, text: str) -> list[str]:
    """The command that shows it; empty if there is none. Texts of an event are never taken for options or code."""
    from shutil import which

    if which("notify-send"):
        marked = text.replace("&", "&amp;").replace("<", "&lt;")  # a body may hold markup
        return ["notify-send", "--app-name=tenterhook", "--", title, marked]
    if which("osascript"):
        return ["osascript", *(part for line in SCRIPT for part in ("-e", line)), title, text]
    return []

"""Send a message to a URL when an agent needs you or has finished: a chat's webhook, or your own server.

The hook sends a POST with JSON, within a time limit. It checks the address like those of http hooks: the public
internet is allowed, this machine and private networks only if you allow them, a cloud's metadata service never. It does
not follow redirects. Secrets in the text are hidden. The URL of a webhook is a secret itself: write `url=$NAME` and
keep it in the environment.

Options:
    url: where to send it; `$NAME` takes it from a variable of the environment
    on: what to send, of notify, permission.ask, permission.denied, turn.stop, turn.failed, agent.stop, task.done,
        teammate.idle, tool.failed, session.start and session.end
    form: how to write it: `event` (agent, kind, title, text, session, project), `slack` or `discord`
    headers: headers to send, as `Name: value`; `$NAME` in a value takes a variable of the environment
    seconds: how long it may take
    loopback: whether to allow this machine's own addresses
    private: whether to allow addresses of private networks

What it cannot stop:
- It stops nothing: it only sends messages. If one cannot be sent, the user is told, and it is not sent again.
- What the text itself says of your work leaves the machine; only what looks like a secret is hidden.
- Moments for which an agent has no event.
"""

from __future__ import annotations

from tenterhook import hook
from tenterhook.library.parts.telling import MOMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event

FORMS = ("event", "slack", "discord")


@hook(*MOMENTS, on_failure="allow")
def webhook_notification(
    event: Event,
    url: str = "",
    on: tuple[str, ...] = ("notify", "permission.ask", "turn.stop"),
    form: str = "event",
    headers: tuple[str, ...] = (),
    seconds: float = 5.0,
    loopback: bool = False,
    private: bool = False,
) -> Answer | None:
    from tenterhook.library.parts import telling
    from tenterhook.library.parts.decisions import one_of, positive

    one_of("form", form, FORMS)
    positive("seconds", seconds)
    if not telling.should_notify(event, on):
        return None
    import json

    from tenterhook.library.parts.posting import post

    body = json.dumps(message(event, form)).encode()
    problem = post(url, headers, body, seconds, loopback=loopback, private=private)
    return hook.notify(f"webhook-notification: not sent: {problem}") if problem else None


def message(event: Event, form: str) -> dict[str, str]:
    from tenterhook.library.parts import telling

    title, text = telling.title(event), telling.text(event)
    if form == "slack":
        return {"text": f"{title} {text}"}
    if form == "discord":
        return {"content": f"{title} {text}"}
    about = {"agent": event.agent, "kind": event.kind, "title": title, "text": text}
    return {**about, "session": event.session, "project": event.project}

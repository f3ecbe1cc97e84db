"""Answer a canary: an event that an installer sends to find out whether hooks would be called; no hook sees it.

The answer is a refusal, the strongest one: if the variable is set by mistake, nothing gets past a hook.
"""

from __future__ import annotations

from tenterhook.author.answers import Answer, deny

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author.event import Event
    from tenterhook.author.registered import Registered

REACHED, NO_HOOK, BROKEN = "reached", "reached no hook", "broken"


def answer(hooks: list[Registered], event: Event, mark: str) -> Answer:
    """Which hooks listen to the event, after all of them were loaded."""
    problems = [one.problem for one in hooks if one.problem]
    if problems:
        return deny(format_canary_reason(mark, BROKEN, "; ".join(problems)))
    names = [one.name for one in hooks if one.listens(event)]
    return deny(format_canary_reason(mark, REACHED if names else NO_HOOK, ", ".join(names)))


def format_canary_reason(mark: str, how: str, text: str) -> str:
    return f"canary {mark} {how}: {text}"

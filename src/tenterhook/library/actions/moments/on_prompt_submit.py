"""When a prompt comes in: the user is warned of a secret in it. It is never refused."""

from __future__ import annotations

from tenterhook.library.actions.happened import Happened, list_or_empty
from tenterhook.library.actions.said import Said, fine
from tenterhook.library.actions.settings import Settings

PROMPTS = ("prompt", "user_prompt", "userPrompt", "message", "input", "text")


def run(event: Happened, settings: Settings) -> Said:
    from tenterhook.library.guard.secret import describe_new_secrets

    text = prompt(event)
    if not text:
        return fine("nothing to check: no prompt")
    lines = describe_new_secrets(text)
    if not lines:
        return fine("no secret in the prompt")
    message = "\n".join(
        (
            "The prompt holds what looks like a secret, and is sent to the model:",
            *(f"- {line}" for line in lines),
            "If it is one, change it where it is used.",
        )
    )
    return fine(f"warned of what looks like a secret in the prompt: {len(lines)}", message=message)


def prompt(event: Happened) -> str:
    """The prompt's text: as it is, or the texts of its parts."""
    inner = event.data.get("data")
    for place in (event.data, inner if isinstance(inner, dict) else {}):
        for name in PROMPTS:
            value = place.get(name)
            if isinstance(value, str) and value:
                return value
            parts = [
                one["text"]
                for one in list_or_empty(value)
                if isinstance(one, dict) and isinstance(one.get("text"), str)
            ]
            if parts:
                return "\n".join(parts)
    return ""

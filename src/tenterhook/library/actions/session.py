"""At the start and the end of a session, on a prompt, and before the conversation is compacted."""

from __future__ import annotations

from tenterhook.library.actions.answers import fine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author.event import Event
    from tenterhook.library.actions.answers import ActionAnswer
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent


def session_start(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """Tell the model the project's commands, the branch, and how much is changed already."""
    from tenterhook.library.project.changed import changes
    from tenterhook.library.project.overview import overview
    from tenterhook.library.project.wording import count_with_noun, plain, truncate_lines

    lines = overview(event.project, settings)
    found = changes(event)
    if found.branch:
        lines.append(f"branch: {plain(found.branch)}, {count_with_noun(len(found.files), 'changed file')}")
    if not lines:
        return fine("no commands and no repository found")
    note = f"told the agent {count_with_noun(len(lines), 'fact')} about the project"
    return fine(note, context=truncate_lines(lines))


def prompt_submit(event: Event, settings: ActionSettings) -> ActionAnswer:
    """Warn the user of a secret in the prompt. It is never refused."""
    from tenterhook.library.guard.secret import describe_new_secrets

    text = prompt_text(event.data.get("prompt"))
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


def prompt_text(found: object) -> str:
    """A prompt as it is, or the texts of its parts."""
    if isinstance(found, str):
        return found
    parts = found if isinstance(found, list) else []
    return "\n".join(one["text"] for one in parts if isinstance(one, dict) and isinstance(one.get("text"), str))


def compact_before(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """Add what changed and what is red to the text that the model keeps. Runs nothing."""
    from tenterhook.library.project.report import Standing

    standing = Standing(event)
    if not standing.changed and not standing.states:
        return fine("nothing changed and nothing was tested")
    return fine("kept what changed and what is red", context=f"State of the work so far:\n{standing.text()}")


def session_end(event: Event, settings: ActionSettings) -> ActionAnswer:
    """Forget the results that were kept for the session."""
    from tenterhook.library.project.ledger import Ledger

    return fine("forgot the session's results" if Ledger(event).forget() else "nothing was kept for the session")

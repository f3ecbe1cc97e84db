"""The answer of an action: an answer of the author's SDK, and one line about what was done."""

from __future__ import annotations

from tenterhook.author.answers import Answer


class ActionAnswer(Answer):
    """`note` is a line for stderr. A deny's reason is for the model, before a tool and after it."""

    __slots__ = ("note",)

    def __init__(self, decision: str, reason: str = "", *, note: str) -> None:
        super().__init__(decision, reason)
        self.note = note


def fine(note: str, *, message: str = "", context: str = "") -> ActionAnswer:
    """No objection. It decides nothing: an action that found no fault does not grant permission either.

    `message` is for the user and `context` for the model, if there is something to say.
    """
    answer = ActionAnswer("none", note=note)
    answer.notices, answer.contexts = (message,) if message else (), (context,) if context else ()
    return answer


def deny(reason: str, *, note: str = "") -> ActionAnswer:
    """Refuse; after a tool, say what is wrong with its result."""
    return ActionAnswer("deny", reason, note=note or first_line(reason))


def ask(reason: str, *, note: str = "") -> ActionAnswer:
    """Ask the user. An agent that cannot ask at this event refuses."""
    return ActionAnswer("ask", reason, note=note or first_line(reason))


def first_line(text: str) -> str:
    return text.partition("\n")[0]

"""What an action answers: an answer of the author's SDK, and one line about what was done."""

from __future__ import annotations

from tenterhook.author.answers import Answer


class ActionAnswer(Answer):
    """`note` is a line for stderr. A deny's reason is for the model, before a tool and after it."""

    __slots__ = ("note",)

    def __init__(self, decision: str, reason: str = "", *, note: str) -> None:
        super().__init__(decision, reason)
        self.note = note


def fine(note: str, *, message: str = "", context: str = "") -> ActionAnswer:
    """Nothing against it. It decides nothing: an action that found no fault grants no permission either.

    `message` is for the user and `context` for the model, where there is something worth telling.
    """
    answer = ActionAnswer("none", note=note)
    answer.notices, answer.contexts = (message,) if message else (), (context,) if context else ()
    return answer


def deny(reason: str, *, note: str = "") -> ActionAnswer:
    """Not like this; after a tool, what is wrong with what it did."""
    return ActionAnswer("deny", reason, note=note or first_line(reason))


def ask(reason: str, *, note: str = "") -> ActionAnswer:
    """Only with the user's word. An agent that cannot ask there refuses it."""
    return ActionAnswer("ask", reason, note=note or first_line(reason))


def first_line(text: str) -> str:
    return text.partition("\n")[0]

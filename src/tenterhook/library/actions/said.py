"""What an action says: its decision, and who is told what."""

from __future__ import annotations


class Said:
    """One action's answer. The caller's dialect decides how it is written.

    `note` is one line about what was done. `message` is for the user and `context` for the model, where there is
    something worth telling; a deny's reason is for the model, before a tool and after it.
    """

    __slots__ = ("context", "decision", "message", "note", "reason")

    def __init__(self, decision: str, reason: str = "", *, note: str, message: str = "", context: str = "") -> None:
        self.decision, self.reason = decision, reason
        self.note, self.message, self.context = note, message, context


def fine(note: str, *, message: str = "", context: str = "") -> Said:
    """Nothing against it. It decides nothing: an action that found no fault grants no permission either."""
    return Said("none", note=note, message=message, context=context)


def deny(reason: str, *, note: str = "") -> Said:
    """Not like this; after a tool, what is wrong with what it did."""
    return Said("deny", reason, note=note or first_line(reason))


def ask(reason: str, *, note: str = "") -> Said:
    """Only with the user's word. Where nobody can be asked it is refused."""
    return Said("ask", reason, note=note or first_line(reason))


def first_line(text: str) -> str:
    return text.partition("\n")[0]

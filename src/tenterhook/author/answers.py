"""The answers of a hook: a decision, texts for model and user, a change, a wish to stop. Combine them with `&`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RANK = {"none": 0, "allow": 1, "ask": 2, "deny": 3}
# Means "no change": None is a valid value.
NOTHING = object()


class Answer:
    """The answer of one hook, or of all of them together. Made by `hook.deny` and the like.

    `change` replaces the event's subject; `edits` are laid over it by key. A text may be any object, such as an
    exception: it is converted, because a reason that is not text makes an agent throw the whole answer away.
    """

    __slots__ = ("change", "contexts", "decision", "edits", "notices", "reason", "stop")

    def __init__(self, decision: str = "none", reason: object = "") -> None:
        self.decision, self.reason = decision, text_or_empty(reason)
        self.contexts: tuple[str, ...] = ()
        self.notices: tuple[str, ...] = ()
        self.change: Any = NOTHING
        self.edits: dict[str, Any] = {}
        self.stop: str | None = None

    def __and__(self, other: Answer) -> Answer:
        """Combine two answers: a deny outranks an ask and an ask an allow, texts add up, the later change counts."""
        if not isinstance(other, Answer):
            return NotImplemented
        strong, weak = (self, other) if RANK[self.decision] >= RANK[other.decision] else (other, self)
        both = Answer(strong.decision, strong.reason)
        if strong.decision == weak.decision:
            both.reason = append_unique_line(self.reason, other.reason)
        both.contexts = self.contexts + other.contexts
        both.notices = self.notices + other.notices
        both.change = self.change if other.change is NOTHING else other.change
        both.edits = {**(self.edits if other.change is NOTHING else {}), **other.edits}
        if self.stop is not None or other.stop is not None:
            both.stop = append_unique_line(self.stop or "", other.stop or "")
        return both

    @property
    def changes(self) -> bool:
        return self.change is not NOTHING or bool(self.edits)

    def __repr__(self) -> str:
        parts = {name: getattr(self, name) for name in self.__slots__}
        silent: tuple[Any, ...] = ("", (), {}, None, NOTHING)
        return f"Answer({', '.join(f'{name}={value!r}' for name, value in parts.items() if value not in silent)})"


def text_or_empty(value: object) -> str:
    return "" if value is None else str(value)


def append_unique_line(one: str, other: str) -> str:
    """Both texts; a text that is already there is not repeated."""
    if not one or not other:
        return one or other
    return one if other in one.split("\n") or other == one else f"{one}\n{other}"


def allow(reason: object = "") -> Answer:
    """Let it happen. Some agents take this for a permission and no longer ask the user; return nothing to leave that
    open.
    """
    return Answer("allow", reason)


def deny(reason: object) -> Answer:
    """Refuse it. The model gets the reason; at the end of a turn that is what it must do before it may end."""
    return Answer("deny", reason)


def ask(reason: object) -> Answer:
    """Ask the user first. Agents that cannot ask a user refuse instead."""
    return Answer("ask", reason)


def context(text: object) -> Answer:
    """Tell the model something."""
    answer = Answer()
    answer.contexts = (text_or_empty(text),)
    return answer


def notify(text: object) -> Answer:
    """Show the user something."""
    answer = Answer()
    answer.notices = (text_or_empty(text),)
    return answer


def stop(reason: object = "") -> Answer:
    """End the agent here. Before a tool this is also a refusal."""
    answer = Answer()
    answer.stop = text_or_empty(reason)
    return answer


def rewrite(value: Any = NOTHING, /, **edits: Any) -> Answer:
    """Change the tool's input, its output, the prompt or the request. An object is laid over the old; None removes a
    key.
    """
    answer = Answer()
    if isinstance(value, dict):
        edits = {**value, **edits}
    else:
        answer.change = value
    if not edits and answer.change is NOTHING:
        raise TypeError("hook.rewrite needs what to change: a value, or input fields by name")
    answer.edits = edits
    check_json(edits if answer.change is NOTHING else answer.change)
    return answer


def check_json(value: Any) -> None:
    """Check that a value fits into JSON: if not, it fails here, in the hook, and not when the agent is answered."""
    import json

    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as exc:
        raise TypeError(f"hook.rewrite was given a value that JSON cannot hold: {exc}") from None

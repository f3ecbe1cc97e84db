"""What a hook says: a decision, texts for model and user, a change, a wish to stop. Answers add up with `&`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RANK = {"none": 0, "allow": 1, "ask": 2, "deny": 3}
# Stands for "no change" where None is a value that somebody may want.
NOTHING = object()


class Answer:
    """What one hook says, or all of them together. Made by `hook.deny` and the like.

    `change` takes the place of what the event is about; `edits` are laid over it by key. Texts may be anything that
    has one, an exception say: a reason that is no text makes an agent throw the whole answer away.
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
        """Both: a deny outranks an ask and an ask an allow, texts add up, the later change counts."""
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
    """Both texts; one that is there already is not said again."""
    if not one or not other:
        return one or other
    return one if other in one.split("\n") or other == one else f"{one}\n{other}"


def allow(reason: object = "") -> Answer:
    """Go on. Some agents take it for a permission and do not ask the user any more; say nothing to leave that open."""
    return Answer("allow", reason)


def deny(reason: object) -> Answer:
    """Not like this. The model is told the reason; at the end of a turn it is what to do before it may end."""
    return Answer("deny", reason)


def ask(reason: object) -> Answer:
    """Only with the user's word; refused by agents that can ask nobody."""
    return Answer("ask", reason)


def context(text: object) -> Answer:
    """Something for the model to know."""
    said = Answer()
    said.contexts = (text_or_empty(text),)
    return said


def notify(text: object) -> Answer:
    """Something for the user to see."""
    said = Answer()
    said.notices = (text_or_empty(text),)
    return said


def stop(reason: object = "") -> Answer:
    """The agent shall end here. Before a tool it is a refusal too."""
    said = Answer()
    said.stop = text_or_empty(reason)
    return said


def rewrite(value: Any = NOTHING, /, **edits: Any) -> Answer:
    """Another tool input, output, prompt or request. An object is laid over what is there; None takes a key away."""
    said = Answer()
    if isinstance(value, dict):
        edits = {**value, **edits}
    else:
        said.change = value
    if not edits and said.change is NOTHING:
        raise TypeError("hook.rewrite needs what to change: a value, or input fields by name")
    said.edits = edits
    check_json(edits if said.change is NOTHING else said.change)
    return said


def check_json(value: Any) -> None:
    """What no JSON can hold fails here, in the hook that wrote it, and not when the agent is answered."""
    import json

    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as exc:
        raise TypeError(f"hook.rewrite was given what no JSON can hold: {exc}") from None

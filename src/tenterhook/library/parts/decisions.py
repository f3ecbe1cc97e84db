"""Options that say what to do: a word each, and the answer that it stands for."""

from __future__ import annotations

from tenterhook.author import hook
from tenterhook.errors import UsageError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenterhook.author import Answer

DECISIONS = ("deny", "ask", "warn", "allow")
# What may be done when a budget is used up.
ENDS = ("deny", "ask", "stop")


def one_of(option: str, word: str, words: Iterable[str] = DECISIONS) -> str:
    """The word, where it is one that the option may be."""
    words = tuple(words)
    if word not in words:
        raise UsageError(f"{option} may be {', '.join(words)}; not {word!r}{nearest(word, words)}")
    return word


def all_of(option: str, given: Iterable[str], words: Iterable[str]) -> tuple[str, ...]:
    """Several words, each one that the option may have."""
    words = tuple(words)
    return tuple(one_of(option, one, words) for one in given)


def positive(option: str, number: float) -> float:
    if not number > 0:  # nor is nan, which nothing would ever reach
        raise UsageError(f"{option} must be a number above 0, not {number:g}")
    return number


def answer(decision: str, reason: str) -> Answer | None:
    """`deny` and `ask` for the model and the user, `warn` for the user alone, `allow` for nobody."""
    if decision == "deny":
        return hook.deny(reason)
    if decision == "ask":
        return hook.ask(reason)
    return hook.notify(reason) if decision == "warn" else None


def used_up(then: str, what: str) -> Answer:
    """A budget is: the word, one of ENDS, says what comes of it."""
    reason = f"{what}; end here and tell the user what is left to do"
    return hook.stop(reason) if then == "stop" else hook.ask(reason) if then == "ask" else hook.deny(reason)

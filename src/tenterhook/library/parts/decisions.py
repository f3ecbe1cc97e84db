"""Options whose value is a decision: the words, and the answer for each."""

from __future__ import annotations

from tenterhook.author import hook
from tenterhook.errors import UsageError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenterhook.author import Answer

DECISIONS = ("deny", "ask", "warn", "allow")
# The decisions for a budget that is used up.
ENDS = ("deny", "ask", "stop")


def one_of(option: str, word: str, words: Iterable[str] = DECISIONS) -> str:
    """The word, if the option allows it; else raise."""
    words = tuple(words)
    if word not in words:
        raise UsageError(f"{option} may be {', '.join(words)}; not {word!r}{nearest(word, words)}")
    return word


def all_of(option: str, given: Iterable[str], words: Iterable[str]) -> tuple[str, ...]:
    """Several words, each allowed by the option."""
    words = tuple(words)
    return tuple(one_of(option, one, words) for one in given)


def positive(option: str, number: float) -> float:
    if not number > 0:  # nan is refused too: nothing would ever reach it
        raise UsageError(f"{option} must be a number above 0, not {number:g}")
    return number


def answer(decision: str, reason: str) -> Answer | None:
    """The answer of a word: `deny` and `ask` for model and user, `warn` for the user only, `allow` is none."""
    if decision == "deny":
        return hook.deny(reason)
    if decision == "ask":
        return hook.ask(reason)
    return hook.notify(reason) if decision == "warn" else None


def used_up(then: str, what: str) -> Answer:
    """The answer when a budget is used up, by a word of ENDS."""
    reason = f"{what}; end here and tell the user what is left to do"
    return hook.stop(reason) if then == "stop" else hook.ask(reason) if then == "ask" else hook.deny(reason)

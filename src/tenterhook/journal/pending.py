"""What waits to be written: outcomes in which nothing was said, those that are alike together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from tenterhook.types import Outcome

# The event's session and agents, what it is about, and what came of it.
Waiting = tuple[str, tuple[str, ...], str, Outcome]


class RepeatedOutcome:
    """Outcomes of which the first tells all: how many there were, and by hook how many seconds each took."""

    __slots__ = ("count", "first", "seconds")

    def __init__(self, first: Waiting) -> None:
        self.first, self.count = first, 0
        self.seconds: list[list[float]] = [[] for _ in first[3].attempts]


def drain_grouped(waiting: deque[Waiting]) -> Iterable[RepeatedOutcome]:
    """All that waits, those that are alike together, while other threads go on adding."""
    found: dict[tuple[object, ...], RepeatedOutcome] = {}
    like: RepeatedOutcome | None = None
    while waiting:
        try:
            one = waiting.popleft()
        except IndexError:  # another thread writes too
            break
        outcome = one[3]
        if like and not outcome.attempts and outcome is like.first[3] and one[0] is like.first[0]:
            like.count += 1  # the same once more, as most are: known without a key, in a third of the time
            continue
        key = in_common(one)
        like = found.get(key)
        if like is None:
            like = found[key] = RepeatedOutcome(one)
        like.count += 1
        if outcome.attempts:
            for runs, attempt in zip(like.seconds, outcome.attempts, strict=True):
                runs.append(attempt.seconds)
    return found.values()


def in_common(one: Waiting) -> tuple[object, ...]:
    """What outcomes that are alike have in common; partly by identity, since the first of them is still there."""
    session, agents, target, outcome = one
    if not outcome.attempts:
        return (outcome.id, text(session))  # an event that no hook matches has the same outcome each time
    hooks = tuple([attempt.hook for attempt in outcome.attempts])
    return (outcome.event, text(session), agents, target, id(outcome.skipped), id(outcome.warnings), hooks)


def text(given: object) -> str:
    """What a host gave where a text belongs."""
    return given if isinstance(given, str) else ""

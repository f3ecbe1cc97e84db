"""The queue of outcomes to be written: those without an answer, equal ones together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from tenterhook.journal.caller import Caller
from tenterhook.types import Outcome

# The event's session and agents, its target, its outcome, and who called.
Waiting = tuple[str, tuple[str, ...], str, Outcome, Caller | None]


class RepeatedOutcome:
    """Equal outcomes: the first one, how many there were, and by hook the seconds of each run."""

    __slots__ = ("count", "first", "seconds")

    def __init__(self, first: Waiting) -> None:
        self.first, self.count = first, 0
        self.seconds: list[list[float]] = [[] for _ in first[3].attempts]


def drain_grouped(waiting: deque[Waiting]) -> Iterable[RepeatedOutcome]:
    """Take everything from the queue, equal outcomes together, while other threads go on adding."""
    found: dict[tuple[object, ...], RepeatedOutcome] = {}
    like: RepeatedOutcome | None = None
    while waiting:
        try:
            one = waiting.popleft()
        except IndexError:  # another thread writes too
            break
        outcome = one[3]
        same = like and outcome is like.first[3] and one[0] is like.first[0] and one[4] is like.first[4]
        if like and same and not outcome.attempts:
            like.count += 1  # the same once more, as most are: recognised without a key, in a third of the time
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
    """A key for equal outcomes; partly by identity, since the first of them is still referenced."""
    session, agents, target, outcome, caller = one
    who = text(session), caller and (caller.agent, caller.version)
    if not outcome.attempts:
        return (outcome.id, *who)  # an event that no hook matches has the same outcome each time
    hooks = tuple([attempt.hook for attempt in outcome.attempts])
    return (outcome.event, *who, agents, target, id(outcome.skipped), id(outcome.warnings), hooks)


def text(given: object) -> str:
    """A value of the host, as text."""
    return given if isinstance(given, str) else ""

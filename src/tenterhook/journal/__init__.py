"""Where every outcome of an event that had hooks is kept: one line of JSON each.

What hooks decided, changed, failed at or did outside of this process is written before `fire` returns. Functions that
had nothing to say and events that no hook ran for are many and alike: they wait, at most a second, and are written
together, those alike as one line with their number, so that they cost little and drive nothing else out of the journal.
Of what waits nothing of the host's is held: names, times and the outcome, in which there is nothing of it then.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from time import sleep, time
from typing import TYPE_CHECKING

from tenterhook.journal.files import Files, place

if TYPE_CHECKING:
    from tenterhook.hookset import HookSet
    from tenterhook.journal.entry import Entry
    from tenterhook.redact import Redactor
    from tenterhook.types import Event, Outcome, Skipped

# So many wait, and so many seconds.
MOST, PATIENCE = 1_000, 1.0
# The one handler that is nothing but a call in this process.
INLINE = "python"
# Reasons not to run a hook that somebody may want to prove.
TRUST = frozenset(("untrusted", "modified", "denied"))

# When, the event's name, session and agents, what it is about, and what came of it.
Waiting = tuple[float, str, str, tuple[str, ...], str, "Outcome"]


class Journal:
    """One engine's view of the journal. Safe to use from threads; it never raises, and warns once."""

    def __init__(self, files: Files, owner: HookSet) -> None:
        self.files, self.project, self.environ = files, owner.project, owner.environ
        self.kinds = {rule.name: rule.kind for rule in owner.dialect.events}
        self.targets = {rule.name: rule.target for rule in owner.dialect.events}
        self.waiting: deque[Waiting] = deque()
        # By identity, and held, so that nothing else can come to stand at their place.
        self.harmless: dict[int, tuple[Skipped, ...]] = {}
        self.redactor: Redactor | None = None
        self.awake = self.warned = False
        self.pid = os.getpid()

    @classmethod
    def of(cls, owner: HookSet, folder: str) -> Journal:
        """The journal in that folder, or in the user's state folder."""
        where = os.path.abspath(folder) if folder else place(owner.home, owner.environ)
        said = owner.settings
        made = cls(Files(where, said.journal_days, said.journal_megabytes), owner)
        OPEN.add(made)
        weakref.finalize(owner, made.flush)  # an engine that nobody closed; at the end of the process too
        return made

    def keep(self, event: Event, outcome: Outcome) -> None:
        """What hooks decided, did or failed at is written before anybody acts on it."""
        if outcome.decision != "none" or outcome.messages or outcome.changes or outcome.stop or not outcome.success:
            return self.write(event, outcome)
        for attempt in outcome.attempts:
            if attempt.type != INLINE or attempt.error is not None:
                return self.write(event, outcome)
        return self.later(event, outcome)

    def later(self, event: Event, outcome: Outcome) -> None:
        """What no hook ran for, or had nothing to say to, is written with the next line."""
        skipped = outcome.skipped
        if skipped and id(skipped) not in self.harmless and not self.looked_at(skipped):
            return self.write(event, outcome)
        name = event.name
        target = event.data.get(self.targets[name])
        if target.__class__ is not str:
            target = ""
        self.waiting.append((time(), name, event.session, event.agents, target, outcome))
        if not self.awake or len(self.waiting) >= MOST:
            self.wake()
        return None

    def looked_at(self, skipped: tuple[Skipped, ...]) -> bool:
        """Whether none of these was skipped for want of trust; remembered, because plans are."""
        if any(one.why in TRUST for one in skipped):
            return False
        if len(self.harmless) >= MOST:
            self.harmless.clear()
        self.harmless[id(skipped)] = skipped
        return True

    def wake(self) -> None:
        """See to it that what waits is written: now where it is much, else soon."""
        if len(self.waiting) >= MOST:
            return self.flush()
        self.awake = True
        with contextlib.suppress(RuntimeError):  # no more threads, or the process ends: the next line takes it along
            threading.Thread(target=self.soon, name="tenterhook journal", daemon=True).start()
        return None

    def soon(self) -> None:
        sleep(PATIENCE)
        self.awake = False
        self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self.waiting:
            self.append(None)

    def write(self, event: Event, outcome: Outcome) -> None:
        self.append((event, outcome))

    def append(self, last: tuple[Event, Outcome] | None) -> None:
        """What waits, and this, in one write. Whatever goes wrong with that is no matter of the event's."""
        try:
            from tenterhook.journal.entry import encoded

            entries = [*self.gathered(), *([self.whole(*last)] if last else ())]
            lines = b"".join(map(encoded, entries))
            self.files.append(self.redact().data(lines))
        except Exception as exc:
            self.warn(exc)

    def whole(self, event: Event, outcome: Outcome) -> Entry:
        """Everything that is kept of one outcome."""
        from tenterhook.journal.entry import Facts, entry, given

        target = event.data.get(self.targets[event.name])
        facts = Facts(time(), event.kind, event.name, text(event.session), event.agent, text(target))
        return given(entry(facts, outcome, self.project, self.pid, self.cut), event, self.cut)

    def gathered(self) -> Iterator[Entry]:
        """What waits, those that are alike together."""
        from tenterhook.journal.entry import Facts, entry, together

        alike: dict[tuple[object, ...], tuple[Facts, Outcome, list[float], list[list[float]]]] = {}
        for at, name, session, agents, target, outcome in drained(self.waiting):
            hooks = tuple(attempt.hook for attempt in outcome.attempts)
            # By identity: all of these outcomes are still there.
            key = (name, text(session), agents, target, id(outcome.skipped), id(outcome.warnings), hooks)
            if key not in alike:
                agent = agents[0] if agents else ""
                facts = Facts(at, self.kinds[name], name, text(session), agent, target)
                alike[key] = (facts, outcome, [], [[] for _ in hooks])
            _, _, times, seconds = alike[key]
            times.append(at)
            for runs, attempt in zip(seconds, outcome.attempts, strict=True):
                runs.append(attempt.seconds)
        for facts, outcome, times, seconds in alike.values():
            yield together(entry(facts, outcome, self.project, self.pid, self.cut), times, seconds)

    def cut(self, whole: str, most: int) -> str:
        """At most so much of a text. It is redacted first: of a secret that was cut, the rest would not be known."""
        if len(whole) <= most:
            return whole
        from tenterhook.journal.entry import MARGIN

        return f"{self.redact().text(whole[: most + MARGIN])[:most]}... ({len(whole):,} characters)"

    def redact(self) -> Redactor:
        if self.redactor is None:
            from tenterhook.redact import Redactor

            self.redactor = Redactor(self.environ)
        return self.redactor

    def warn(self, exc: Exception) -> None:
        """Once: who cannot be written to now is tried again with every line."""
        if self.warned:
            return
        self.warned = True
        from logging import getLogger

        why = exc.strerror if isinstance(exc, OSError) and exc.strerror else f"{type(exc).__name__}: {exc}"
        getLogger(__name__).warning("the journal in %s cannot be written: %s; outcomes stand", self.files.folder, why)


def text(given: object) -> str:
    """What a host gave where a text belongs."""
    return given if isinstance(given, str) else ""


def drained(waiting: deque[Waiting]) -> Iterator[Waiting]:
    """Each once, while other threads go on adding."""
    while True:
        try:
            yield waiting.popleft()
        except IndexError:
            return


OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()


def forget() -> None:
    """In a forked child: what waits is the parent's to write."""
    for journal in OPEN:
        journal.waiting.clear()
        journal.awake, journal.pid = False, os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)

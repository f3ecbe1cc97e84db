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
from time import sleep, time
from typing import TYPE_CHECKING

from tenterhook.journal.files import Files, place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tenterhook.engine.hookset import HookSet
    from tenterhook.journal.lines import Lines
    from tenterhook.journal.waiting import Waiting
    from tenterhook.types import Event, Outcome, Skipped

# So many wait, and so many seconds. To write a thousand takes 0.3 ms, most of it for the line itself: fewer at a time
# would make an event that no hook matches a sixth dearer.
WAIT, PATIENCE = 4_000, 1.0
# So many are remembered of what hardly ever differs.
MOST = 1_000
# The one handler that is nothing but a call in this process.
INLINE = "python"
# Reasons not to run a hook that somebody may want to prove.
TRUST = frozenset(("untrusted", "denied", "forbidden"))


class Journal:
    """One engine's view of the journal. Safe to use from threads; it never raises, and warns once."""

    def __init__(self, files: Files, owner: HookSet) -> None:
        self.files = files
        self.made_lines: Lines | None = None
        self.facts = (owner.project, collect_hook_environ(owner), owner.dialect.events)
        self.targets = {rule.name: rule.target.field for rule in owner.dialect.events}
        self.waiting: deque[Waiting] = deque()
        # What is kept of events whose hooks run, by identity.
        self.expected: dict[int, tuple[Event, bytes]] = {}
        # Whether somebody will write them, and since when they are no older. Of a command that forks its helper it is
        # the end: another thread would be in the way of the fork, and take as long to start as all the rest here.
        self.awake, self.since = owner.supervisor == "fork", time()
        # By identity, and held, so that nothing else can come to stand at their place.
        self.harmless: dict[int, tuple[Skipped, ...]] = {}
        # Where nothing is applied, the outcome does not tell what a hook said.
        self.inline = "" if owner.mode == "observe" else INLINE
        self.warned = False

    @classmethod
    def of(cls, owner: HookSet, folder: str) -> Journal:
        """The journal in that folder, or in the user's state folder."""
        where = os.path.abspath(folder or place(owner.home, owner.environ))
        said = owner.settings
        made = cls(Files(where, said.journal_days, said.journal_megabytes), owner)
        OPEN.add(made)
        weakref.finalize(owner, made.flush)  # an engine that nobody closed; at the end of the process too
        return made

    def expect(self, event: Event) -> None:
        """An outcome will come: write down now, while there is nothing else to do, what does not depend on it."""
        if id(event) in self.expected:
            return
        if len(self.expected) >= MOST:  # all but a few were cancelled
            self.expected.clear()
        with contextlib.suppress(Exception):  # what is wrong is said when it is to be written
            self.expected[id(event)] = event, self.lines.about(event)

    def about(self, event: Event) -> bytes:
        known = self.expected.pop(id(event), None)
        return known[1] if known and known[0] is event else self.lines.about(event)

    def keep(self, event: Event, outcome: Outcome) -> None:
        """What hooks decided, did or failed at is written before anybody acts on it."""
        if outcome.decision != "none" or not outcome.success or outcome.messages or outcome.changes:
            return self.write(event, outcome)
        for attempt in outcome.attempts:
            if attempt.type != self.inline or attempt.stdout:
                return self.write(event, outcome)
        if outcome.stop or outcome.suppress:
            return self.write(event, outcome)
        return self.later(event, outcome)

    def later(self, event: Event, outcome: Outcome) -> None:
        """What no hook ran for, or had nothing to say to, waits for the next line."""
        skipped = outcome.skipped
        if skipped and id(skipped) not in self.harmless and not self.looked_at(skipped):
            return self.write(event, outcome)
        target = event.data.get(self.targets[event.name])
        self.waiting.append((event.session, event.agents, target if target.__class__ is str else "", outcome))
        if not self.awake or len(self.waiting) >= WAIT:
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
        if self.awake:
            return self.flush()
        self.awake, self.since = True, time()
        with contextlib.suppress(RuntimeError):  # no more threads, or the process ends: the next line takes it along
            threading.Thread(target=self.soon, name="tenterhook journal", daemon=True).start()
        return None

    def soon(self) -> None:
        sleep(PATIENCE)
        self.awake = False  # first: who comes now needs another thread
        self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self.waiting:
            self.write()

    def write(self, event: Event | None = None, outcome: Outcome | None = None) -> None:
        """What waits, and this, in one write. Whatever goes wrong with that is no matter of the event's."""
        try:
            lines = (
                self.lines.encode_redacted(self.lines.lines_of_waiting(self.waiting, self.since))
                if self.waiting
                else b""
            )
            self.since = time()
            if event and outcome:
                lines += self.lines.whole(outcome, self.about(event))
            self.files.append(lines)
        except Exception as exc:
            self.warn(exc)

    @property
    def lines(self) -> Lines:
        """Made when the first is written."""
        if self.made_lines is None:
            from tenterhook.journal.lines import Lines

            self.made_lines = Lines(*self.facts)
        return self.made_lines

    def warn(self, exc: Exception) -> None:
        """Once: who cannot be written to now is tried again with every line."""
        if self.warned:
            return
        self.warned = True
        from tenterhook.support.logs import redacting_logger

        why = exc.strerror if isinstance(exc, OSError) and exc.strerror else f"{type(exc).__name__}: {exc}"
        redacting_logger(__name__).warning(
            "the journal in %s cannot be written: %s; outcomes stand", self.files.folder, why
        )


def collect_hook_environ(owner: HookSet) -> Mapping[str, str]:
    """What hooks may know and nobody else: the environment, and what their entries put into it."""
    found: dict[str, str] = {}
    for number, hook in enumerate(owner.registry.all()):
        for name, value in hook.env.items():
            if value:
                found[name if name not in found and name not in owner.environ else f"HOOK_{number}_{name}"] = value
    return {**owner.environ, **found} if found else owner.environ


OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()


def forget() -> None:
    """In a forked child: what waits is the parent's to write."""
    for journal in OPEN:
        journal.waiting.clear()
        journal.expected.clear()
        journal.awake = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)

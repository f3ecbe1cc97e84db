"""Records every outcome of an event that had hooks: one line of JSON each.

What hooks decided, changed, failed at or did outside of this process is written before `fire` returns. Functions
without an answer and events without a matching hook are many and alike: they are queued, at most a second, and written
together, equal ones as one line with their count, so that they cost little and push nothing else out of the journal.
Queued entries hold names, times and the outcome only, never references to the host's data. A caller may want a line for
each event all the same, as an agent's calls have: then the event is queued, and its line is made when it is written.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from _thread import allocate_lock
from collections import deque
from time import monotonic, sleep, time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenterhook.handlers import runs_in_host
from tenterhook.journal.caller import CALLER
from tenterhook.journal.files import JournalFiles, place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tenterhook.engine.engine import Engine
    from tenterhook.engine.hookset import HookSet
    from tenterhook.journal.lines import HeardCall, LineWriter
    from tenterhook.journal.pending import Waiting
    from tenterhook.types import Event, Outcome, Skipped

# The most queued entries, and the most seconds. Writing a thousand takes 0.3 ms, most of it for the line itself:
# smaller batches would make an event that no hook matches a sixth slower.
WAIT, PATIENCE = 4_000, 1.0
# The size of caches for values that hardly ever differ.
MOST = 1_000
# Reasons for skipping a hook that must be on record.
TRUST = frozenset(("untrusted", "denied", "forbidden"))


class Journal:
    """One engine's view of the journal. Thread-safe; it never raises, and warns once."""

    def __init__(self, files: JournalFiles, owner: Engine) -> None:
        self.files = files
        self.made_lines: LineWriter | None = None
        common = {"project": owner.project, "dialect": owner.dialect.name, "mode": owner.mode}
        loaded = owner.hookset.ready()
        paths = [place.path for place in loaded.places if place.found]
        self.facts = (owner.dialect, common, paths, collect_hook_environ(owner.hookset))
        self.targets = {rule.name: rule.target.field for rule in owner.dialect.events}
        self.waiting: deque[Waiting] = deque()
        self.calls: deque[HeardCall] = deque()
        # What is recorded of events whose hooks are running, by identity.
        self.expected: dict[int, tuple[Event, bytes]] = {}
        # Whether a thread will write them, and since when. In a command that forks its helper it is the exit: another
        # thread would interfere with the fork, and take as long to start as everything else here.
        self.awake, self.since = owner.supervisor == "fork", time()
        # By identity, and referenced, so that the id cannot be reused.
        self.harmless: dict[int, tuple[Skipped, ...]] = {}
        # If nothing is applied, the outcome does not show what a hook answered.
        self.observes = owner.mode == "observe"
        self.warned = False

    @classmethod
    def of(cls, owner: Engine) -> Journal:
        """The journal in the folder that the host names, or in the user's state folder."""
        wanted, said = owner.options.journal, owner.hookset.settings
        folder = "" if wanted is None or isinstance(wanted, bool) else os.fspath(wanted)
        where = os.path.abspath(folder or place(owner.home, owner.environ))
        made = cls(JournalFiles(where, said.journal_days, said.journal_megabytes), owner)
        OPEN.add(made)
        weakref.finalize(owner, made.flush)  # an engine that was not closed; also at the end of the process
        return made

    def expect(self, event: Event) -> None:
        """Prepare now, while the hooks run, the part of the line that does not depend on the outcome."""
        if id(event) in self.expected:
            return
        if len(self.expected) >= MOST:  # all but a few were cancelled
            self.expected.clear()
        with contextlib.suppress(Exception):  # errors are reported when it is written
            self.expected[id(event)] = event, self.lines.about(event)
            self.files.hash_ahead()

    def about(self, event: Event) -> bytes:
        known = self.expected.pop(id(event), None)
        return known[1] if known and known[0] is event else self.lines.about(event)

    def keep(self, event: Event, outcome: Outcome) -> None:
        """Write what hooks decided, did or failed at, before the host acts on it."""
        if outcome.decision != "none" or not outcome.success or outcome.messages or outcome.changes:
            return self.write(event, outcome)
        for attempt in outcome.attempts:
            if attempt.stdout or self.observes or not runs_in_host(attempt.type):
                return self.write(event, outcome)
        if outcome.stop or outcome.suppress:
            return self.write(event, outcome)
        return self.later(event, outcome)

    def later(self, event: Event, outcome: Outcome) -> None:
        """Queue an outcome without a hook or without an answer, for the next line."""
        skipped = outcome.skipped
        if skipped and id(skipped) not in self.harmless and not self.looked_at(skipped):
            return self.write(event, outcome)
        caller = CALLER.get()
        if caller is not None and caller.each:
            own = replace(outcome, id=f"{os.urandom(4).hex()}-1")  # outcomes without a hook are shared, with their id
            self.calls.append((event, own, caller, time(), monotonic() - event.begun))
        else:
            target = event.data.get(self.targets[event.name])
            target = target if target.__class__ is str else ""
            self.waiting.append((event.session, event.agents, target, outcome, caller))
        if not self.awake or len(self.waiting) + len(self.calls) >= WAIT:
            self.wake()
        return None

    def looked_at(self, skipped: tuple[Skipped, ...]) -> bool:
        """Whether none of these was skipped for lack of trust; cached, because plans are."""
        if any(one.why in TRUST for one in skipped):
            return False
        if len(self.harmless) >= MOST:
            self.harmless.clear()
        self.harmless[id(skipped)] = skipped
        return True

    def wake(self) -> None:
        """Make sure that the queue is written: now if it is long, else soon."""
        if self.awake:
            return self.flush()
        from threading import Thread  # not needed by a command that ends after one event

        self.awake, self.since = True, time()
        with contextlib.suppress(RuntimeError):  # no more threads, or the process ends: the next line takes it along
            Thread(target=self.soon, name="tenterhook journal", daemon=True).start()
        return None

    def soon(self) -> None:
        sleep(PATIENCE)
        self.awake = False  # first: an entry that comes now needs another thread
        self.flush()

    def flush(self) -> None:
        """Write the queue."""
        if self.waiting or self.calls:
            self.write()

    def write(self, event: Event | None = None, outcome: Outcome | None = None) -> None:
        """Write the queue and this line in one write. Errors do not affect the event."""
        try:
            parts: dict[str, bytes] = {}
            lines = self.lines.lines_of_waiting(self.waiting, self.since, parts) if self.waiting else []
            self.since = time()
            with contextlib.suppress(IndexError):  # another thread writes too
                while self.calls:
                    lines.append(self.lines.of_call(self.calls.popleft(), parts))
            if event and outcome:
                lines.append(self.lines.whole(event, outcome, self.about(event), parts))
            self.files.append(lines, parts)
        except Exception as exc:
            self.warn(exc)

    @property
    def lines(self) -> LineWriter:
        """Made when the first line is written."""
        if self.made_lines is None:
            from tenterhook.journal.lines import LineWriter

            self.made_lines = LineWriter(*self.facts)
        return self.made_lines

    def warn(self, exc: Exception) -> None:
        """Warn once; writing is tried again with every line."""
        if self.warned:
            return
        self.warned = True
        from tenterhook.support.logs import redacting_logger

        why = exc.strerror if isinstance(exc, OSError) and exc.strerror else f"{type(exc).__name__}: {exc}"
        redacting_logger(__name__).warning(
            "the journal in %s cannot be written: %s; outcomes are not affected", self.files.folder, why
        )


def collect_hook_environ(owner: HookSet) -> Mapping[str, str]:
    """The environment and the variables in hooks' entries, whose secrets must be redacted."""
    found: dict[str, str] = {}
    for number, hook in enumerate(owner.registry.all()):
        for name, value in hook.env.items():
            if value:
                found[name if name not in found and name not in owner.environ else f"HOOK_{number}_{name}"] = value
    return {**owner.environ, **found} if found else owner.environ


OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()


def forget() -> None:
    """In a forked child: the queue is the parent's to write."""
    for journal in OPEN:
        journal.waiting.clear()
        journal.calls.clear()
        journal.expected.clear()
        journal.awake = False
        journal.files.lock = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)

"""A cache of engines between events. An engine is used again only while a new one would be identical."""

from __future__ import annotations

import itertools
import os
import threading
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

from tenterhook import handlers
from tenterhook.cli.server import event_thread, missing_files
from tenterhook.cli.server.fingerprints import FileFingerprints
from tenterhook.cli.server.streams import STREAMS, ClientStreams
from tenterhook.engine.engine import Engine
from tenterhook.runtime.supervisor import client
from tenterhook.support.fingerprint import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenterhook.support.fingerprint import Stamp
    from tenterhook.trust.seal import Seal
    from tenterhook.types import Outcome

# The most engines for one set of options, and the most sets of options.
MOST = 16
Options = dict[str, str]
Key = frozenset[tuple[str, object]]


class CachedEngine:
    """An engine with its client's streams and the fingerprints of its files; used by one client at a time."""

    def __init__(self, key: Key, arguments: dict[str, Any], generation: int) -> None:
        self.key, self.generation = key, generation
        self.engine = Engine(**arguments)
        self.streams = ClientStreams()
        files = FileFingerprints(self.engine)
        hooks = self.engine.hooks()
        self.functions = any(handlers.runs_in_host(hook.handler) for hook in hooks)
        self.seals = [hook.seal for hook in hooks if hook.seal]
        # Every file once: many hooks are bound to the same ones.
        self.sealed = collect_stamps(self.seals)
        self.files = files if files.sure else None
        runner = self.engine.running()
        runner.aside = event_thread.call
        # If several threads run functions for this engine, they all print to its client.
        runner.workers.begin = partial(STREAMS.set, self.streams)

    @property
    def fresh(self) -> bool:
        """Whether the files are the same, those that approvals are bound to included."""
        return self.files is not None and self.files.same and self.has_intact_seals()

    def has_intact_seals(self) -> bool:
        broken = any(seal.why for seal in self.seals)
        if not broken and all(stamp(path) == known for path, known in self.sealed):
            return True
        if broken or any(seal.find_change() for seal in self.seals):
            return False
        self.sealed = collect_stamps(self.seals)
        return True

    def begin(self, session: str) -> None:
        """Reset to the state of a new process: a new id, nothing spent, nothing warned about."""
        engine = self.engine
        engine.session_id = session or os.urandom(16).hex()
        engine.prefix, engine.numbers = os.urandom(4).hex(), itertools.count(1)
        engine.spent.clear()
        if engine.journal is not None:
            engine.journal.warned = False
        for helper in client.ours:
            helper.complained = False

    def own(self, outcome: Outcome) -> bool:
        """False for an outcome of an earlier event that is reused because no hook ran then or now."""
        return outcome.id.startswith(self.engine.prefix)


def collect_stamps(seals: Iterable[Seal]) -> set[tuple[str, Stamp]]:
    """The files that approvals are bound to, with the fingerprints under which they were read."""
    return {(one.path, known) for seal in seals for one, known in seal.files}


class Engines:
    """The idle engines, by options."""

    def __init__(self) -> None:
        self.idle: OrderedDict[Key, list[CachedEngine]] = OrderedDict()
        self.lock = threading.Lock()
        # Incremented when all cached engines become outdated.
        self.generation = 0
        missing_files.watch()
        client.helper("auto", self)  # keeps interpreters warm while no engine is cached

    def take(self, arguments: dict[str, Any]) -> CachedEngine:
        """A cached engine of these arguments that is up to date, or a new one. Raises config errors."""
        key = frozenset(arguments.items())
        if missing_files.discard_stale_sandboxes():
            self.close_idle()
        while True:
            with self.lock:
                waiting = self.idle.get(key)
                cached = waiting.pop() if waiting else None
            if cached is None:
                return CachedEngine(key, arguments, self.generation)
            if cached.fresh:
                return cached
            cached.engine.close()

    def give_back(self, cached: CachedEngine) -> None:
        """Put an engine back into the cache; drop the least recently used."""
        if cached.files is None or cached.generation != self.generation or cached.engine.abandoned:
            cached.engine.close()
            return
        old: list[CachedEngine] = []
        with self.lock:
            self.idle.setdefault(cached.key, []).append(cached)
            self.idle.move_to_end(cached.key)
            if len(self.idle[cached.key]) > MOST:
                old = [self.idle[cached.key].pop(0)]
            elif len(self.idle) > MOST:
                _, old = self.idle.popitem(last=False)
        for one in old:
            one.engine.close()

    def close(self) -> None:
        """Close all. Processes that hooks left running go on, as they do after a `tenter fire`."""
        self.close_idle()
        for helper in client.ours:
            helper.release()

    def close_idle(self) -> None:
        with self.lock:
            old = [one for waiting in self.idle.values() for one in waiting]
            self.idle.clear()
            self.generation += 1
        for cached in old:
            cached.engine.close()

"""Engines that are kept between events, as long as one that is made anew would be the same."""

from __future__ import annotations

import itertools
import os
import threading
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING

from tenterhook import handlers
from tenterhook.cli.commands.fire import engine_arguments
from tenterhook.cli.server import event_thread, missing_files
from tenterhook.cli.server.stamps import Files
from tenterhook.cli.server.streams import SEAT, Seat
from tenterhook.engine.engine import Engine
from tenterhook.runtime.supervisor import client

if TYPE_CHECKING:
    from tenterhook.types import Outcome

# Kept for one set of options, and sets of options.
MOST = 16
Options = dict[str, str]
Key = frozenset[tuple[str, str]]
# What does not make another engine.
SEPARATE = ("EVENT", "session", "input", "json", "require-trusted")


class Kept:
    """An engine, the seat of whoever it works for, and the files that it was made from; one client at a time."""

    def __init__(self, key: Key, options: Options, turn: int) -> None:
        self.key, self.turn = key, turn
        self.engine = Engine(**engine_arguments(options))
        self.seat = Seat()
        files = Files(self.engine)
        hooks = self.engine.hooks()
        self.functions = any(handlers.runs_in_host(hook.handler) for hook in hooks)
        # What approvals are bound to is looked for in too many places to watch them: it is looked for again.
        sure = files.sure and not any(hook.seal for hook in hooks)
        self.files = files if sure else None
        runner = self.engine.running()
        runner.aside = event_thread.call
        # Threads that run functions for this engine, where there are several at once, print to its client.
        runner.workers.begin = partial(SEAT.set, self.seat)

    @property
    def fresh(self) -> bool:
        return self.files is not None and self.files.same

    def begin(self, session: str) -> None:
        """As in a new process: an id of its own, nothing said or run before."""
        engine = self.engine
        engine.session_id = session or os.urandom(16).hex()
        engine.prefix, engine.numbers = os.urandom(4).hex(), itertools.count(1)
        engine.spent.clear()
        if engine.journal is not None:
            engine.journal.warned = False
        for helper in client.ours:
            helper.complained = False

    def own(self, outcome: Outcome) -> bool:
        """False for an outcome that was made for an earlier event, when nothing ran then and nothing runs now."""
        return outcome.id.startswith(self.engine.prefix)


class Engines:
    """Those that nobody uses, by their options."""

    def __init__(self) -> None:
        self.idle: OrderedDict[Key, list[Kept]] = OrderedDict()
        self.lock = threading.Lock()
        # Counts how often all of them were of no use any more.
        self.turn = 0
        missing_files.watch()
        client.helper("auto", self)  # interpreters stay warm though no engine is kept

    def take(self, options: Options) -> Kept:
        """One that is as good as new, or a new one; whatever is wrong with the config is raised."""
        key = engine_cache_key(options)
        if missing_files.discard_stale_sandboxes():
            self.close_idle()
        while True:
            with self.lock:
                waiting = self.idle.get(key)
                kept = waiting.pop() if waiting else None
            if kept is None:
                return Kept(key, options, self.turn)
            if kept.fresh:
                return kept
            kept.engine.close()

    def give_back(self, kept: Kept) -> None:
        """Those whose options were not asked for the longest time make room."""
        if kept.files is None or kept.turn != self.turn or kept.engine.abandoned:
            kept.engine.close()
            return
        old: list[Kept] = []
        with self.lock:
            self.idle.setdefault(kept.key, []).append(kept)
            self.idle.move_to_end(kept.key)
            if len(self.idle[kept.key]) > MOST:
                old = [self.idle[kept.key].pop(0)]
            elif len(self.idle) > MOST:
                _, old = self.idle.popitem(last=False)
        for one in old:
            one.engine.close()

    def close(self) -> None:
        """What hooks left running goes on without us, as it does after a `tenter fire` that ends with its event."""
        self.close_idle()
        for helper in client.ours:
            helper.release()

    def close_idle(self) -> None:
        with self.lock:
            old = [one for waiting in self.idle.values() for one in waiting]
            self.idle.clear()
            self.turn += 1
        for kept in old:
            kept.engine.close()


def engine_cache_key(options: Options) -> Key:
    return frozenset((name, value) for name, value in options.items() if name not in SEPARATE)

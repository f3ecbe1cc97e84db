"""One session of ours for each conversation of an SDK."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.session import Session

# Conversations that are kept. The one that was used least recently ends first.
MOST = 1000


class Sessions:
    """Sessions by the SDK's own name of a conversation. `options` are those of `engine.session`."""

    def __init__(self, engine: Engine, **options: Any) -> None:
        self.engine, self.options = engine, options
        self.lock = threading.Lock()
        self.known: OrderedDict[str, Session] = OrderedDict()

    def find(self, id: str) -> tuple[Session, bool]:
        """The session, and whether it is new: then its start has to be fired."""
        with self.lock:
            session = self.known.get(id)
            if session is not None:
                self.known.move_to_end(id)
                return session, False
            session = self.known[id] = self.engine.session(id=id, **self.options)
            old = self.known.popitem(last=False)[1] if len(self.known) > MOST else None
        if old is not None:
            old.end(reason="other")
        return session, True

    def get(self, id: str) -> Session:
        """The session of a conversation that is going on."""
        session, new = self.find(id)
        if new:
            session.start()
        return session

    async def aget(self, id: str) -> Session:
        session, new = self.find(id)
        if new:
            await session.astart()
        return session

    async def aend(self, id: str) -> None:
        """End a conversation; the next use of its name begins it anew."""
        with self.lock:
            session = self.known.pop(id, None)
        if session is not None:
            await session.aend(reason="other")

    def close(self) -> None:
        """End all conversations."""
        with self.lock:
            sessions = list(self.known.values())
            self.known.clear()
        for session in sessions:
            session.end(reason="other")

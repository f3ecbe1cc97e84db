"""What a hook counts over the calls of one session. A hook that cannot count must say so."""

from __future__ import annotations

import os

from tenterhook.author import hook
from tenterhook.errors import UsageError
from tenterhook.library.parts.session_lines import SessionLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author import Answer, Event

LARGEST = 4 << 20


class Kept(SessionLines):
    """One session's lines for one hook."""

    __slots__ = ()

    def __init__(self, event: Event, name: str) -> None:
        super().__init__("library", name, f"{event.agent}\0{event.session or os.path.realpath(event.project)}")

    def add(self, line: dict[str, Any]) -> None:
        try:
            self.append(line)
        except OSError as exc:
            raise self.problem(exc) from None

    def lines(self) -> list[dict[str, Any]]:
        try:
            return self.read(LARGEST)
        except OSError as exc:
            raise self.problem(exc) from None

    def problem(self, exc: OSError) -> UsageError:
        return UsageError(f"{self.file}: {exc.strerror or exc}: without it nothing can be counted")


def once(event: Event, name: str, text: str) -> Answer | None:
    """Tell the user once in a session; the hook must not keep anything else."""
    store = Kept(event, name)
    if store.lines():
        return None
    store.add({"said": True})
    return hook.notify(text)

"""After a change of a backend file: linter, types and tests of that file."""

from __future__ import annotations

from tenterhook.library.project import kinds, verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    of = ("source", "test", "declaration")
    return verify.after(event, settings, what="backend file", of=of, suffixes=kinds.BACKEND)

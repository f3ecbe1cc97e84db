"""After a change of code: its tests still pass, so its behaviour is preserved."""

from __future__ import annotations

from tenterhook.library.project import verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return verify.after(event, settings, ("test",), red="the change does not preserve the behaviour", proof=True)

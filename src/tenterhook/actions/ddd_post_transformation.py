"""After a change of code: its tests still pass, so its behaviour is preserved."""

from __future__ import annotations

from tenterhook.project import verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return verify.after(event, settings, ("test",), red="the change does not preserve the behaviour", proof=True)

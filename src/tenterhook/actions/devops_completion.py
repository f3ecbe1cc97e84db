"""At the end of work on config: what changed, and whether every such file is sound."""

from __future__ import annotations

from tenterhook.project.sound import Configs, at_the_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return at_the_end(event, Configs, "Configuration")

"""After a change of a config file: YAML, JSON, TOML, Dockerfiles, CI files, makefiles and scripts are sound."""

from __future__ import annotations

from tenterhook.library.project.sound import Configs, after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    return after(event, Configs)

"""One session in which a hook shows all that it can do: it fires, denies, rewrites, and tells the model something."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .programs.client import Client
from .programs.running import Seen, started
from .programs.scene import Fired, Scene

HARMLESS, DANGEROUS, TO_CHANGE, CHANGED = "./mark.sh harmless", "rm -rf precious", "./mark.sh old", "./mark.sh new"
WHY = "Precious things are not removed here."
CONTEXT = {
    "session.start": "The session began with this.",
    "prompt.submit": "The prompt came with this.",
    "tool.after": "The result came with this.",
}

# Writes hooks into a scene that do all of this.
Install = Callable[[Client, Scene], None]


class Effects(NamedTuple):
    """What was left; `precious` is whether what the dangerous command would remove is still there."""

    seen: Seen
    precious: bool

    @property
    def model_read(self) -> str:
        """All that the model was told, at last."""
        return self.seen.model.saw(len(self.seen.model.asked) - 1)


def commands_told(fired: list[Fired], event: str) -> list[str]:
    """The command of each call of a hook at this event."""
    every = (HARMLESS, DANGEROUS, TO_CHANGE, CHANGED)
    told = (one.stdin for one in fired if one.event == event)
    return [next((command for command in every if command in text), text) for text in told]


def effects(client: Client, install: Install) -> Effects:
    with tempfile.TemporaryDirectory(prefix=f"{client.name}-", ignore_cleanup_errors=True) as folder:
        scene = Scene(Path(folder))
        precious = scene.write("project/precious/thing", "the only one")
        install(client, scene)
        seen = started(client, scene, [HARMLESS, DANGEROUS, TO_CHANGE])
        return Effects(seen, precious.exists())

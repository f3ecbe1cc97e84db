"""The helper that starts, contains and ends hook processes.

    host --control--> supervisor --forks--> spawner (one for each profile) --starts--> hook
     \\--------------- channel ---------------/

The supervisor watches the host: when the host dies, by any signal, nothing that a hook started survives. A spawner
confines itself once, and what it starts inherits that. Both adopt orphans, so that no process escapes them.

`wire` is their protocol; `client`, `channel` and `launch` are the host's side, `serve` is the supervisor, `spawner`,
`hook_processes` and `spawn` are a spawner, `system` has the kernel calls of both.
The helper imports almost nothing, so that it starts in 20 ms.
"""

from __future__ import annotations


class NoHelper(Exception):
    """The supervisor cannot be started, or does not answer."""


class ChannelLost(Exception):
    """The spawner at its other end is gone."""


class Outdated(Exception):
    """The sandbox was made from an older state of the files."""


class NotConfined(Exception):
    """Hooks cannot be confined that way here; `refused`: they must not run with weaker confinement either."""

    def __init__(self, reason: str, refused: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused

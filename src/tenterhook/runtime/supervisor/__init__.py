"""The helper that starts, contains and ends hook processes.

    host --control--> supervisor --forks--> spawner (one for each profile) --starts--> hook
     \\--------------- channel ---------------/

The supervisor watches the host: when it dies, by whatever signal, nothing that a hook started survives. A spawner
confines itself once, and what it starts inherits that. Both adopt orphans, so that nothing gets out of their sight.

`wire` is what is said between them, `client`, `channel` and `launch` the host's side, `serve` the supervisor,
`spawner`, `jobs` and `spawn` a spawner, `system` what both of these ask of the kernel.
What runs in the helper imports next to nothing, which makes it start in 20 ms.
"""

from __future__ import annotations

__all__ = ["ChannelLost", "NoHelper", "NotConfined", "Outdated"]


class NoHelper(Exception):
    """It cannot be started, or does not answer."""


class ChannelLost(Exception):
    """The spawner at its other end is gone."""


class Outdated(Exception):
    """Other files would have to be closed and hidden by now."""


class NotConfined(Exception):
    """Hooks cannot be confined that way here; `refused`: nor may they run with less."""

    def __init__(self, reason: str, refused: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused

"""Where we keep things for a user between calls: approvals, the journal, what checks came to, what was quarantined."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def state_folder(environ: Mapping[str, str], home: str) -> str:
    """Ours in the user's state folder. A relative one is invalid, and would lie in whatever project we stand in."""
    base = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(home, ".local/state")
    return f"{base}/tenterhook"

"""What was not there when a sandbox was made: once it is, a new one would close or hide it.

A session's sandboxes stay as they were when it began. Here each event is the first of its session.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tenterhook.sandbox import quarantine
from tenterhook.sandbox.quarantine import Known, Steps, changed, first_step, marks, nearest, stirred

if TYPE_CHECKING:
    from tenterhook.sandbox.profile import Profile


class Lasting(Known):
    """The places of one profile, those of secrets included. To look again takes one look at each folder around them."""

    def __init__(self, profile: Profile) -> None:
        self.missing: Steps = {}
        around: dict[str, str] = {}
        for path in (*profile.closed, *profile.hidden):
            parent = os.path.dirname(path)
            folder = around[parent] = around.get(parent) or nearest(path)
            step = first_step(folder, path)
            if not os.path.lexists(step):
                self.missing.setdefault(folder, set()).add(step)
        self.seen = marks(self.missing)
        super().__init__(profile)

    @property
    def same(self) -> bool:
        now = marks(self.missing)
        if stirred(self.missing, changed(self.seen, now, self.missing)):
            return False
        self.seen = now
        return True


def watch() -> None:
    """From now on, in this process."""
    quarantine.kind = Lasting


def renewed() -> bool:
    """Whether a sandbox was out of date, which is made anew for the next hook that needs it."""
    with quarantine.LOCK:
        old = [profile for profile, one in quarantine.KNOWN.items() if isinstance(one, Lasting) and not one.same]
        for profile in old:
            del quarantine.KNOWN[profile]
    return bool(old)

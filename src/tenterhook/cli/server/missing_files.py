"""What was not there when an engine or a sandbox was made: once it is, a new one would read, close or hide it.

A session's sandboxes stay as they were when it began. Here each event is the first of its session.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tenterhook.runtime.sandbox import quarantine
from tenterhook.runtime.sandbox.quarantine import ProfileState, Steps, changed_folders, first_step, marks, nearest

if TYPE_CHECKING:
    from tenterhook.runtime.sandbox.profile import Profile


class MissingFiles:
    """Those of some places that are not there. To look again takes one look at each folder around them.

    `others` are those of which that cannot be told: something stands there, or on the way, if only a link to nowhere.
    """

    __slots__ = ("others", "seen", "steps")

    def __init__(self, paths: Iterable[str]) -> None:
        self.steps: Steps = {}
        self.others: set[str] = set()
        around: dict[str, str] = {}
        for path in paths:
            parent = os.path.dirname(path)
            folder = around[parent] = around.get(parent) or nearest(path)
            step = first_step(folder, path)
            if os.path.isabs(path) and is_absent(step):
                self.steps.setdefault(folder, set()).add(step)
            else:
                self.others.add(path)
        self.seen = marks(self.steps)

    @property
    def same(self) -> bool:
        now = marks(self.steps)
        for folder in changed_folders(self.seen, now, self.steps):
            if not all(map(is_absent, self.steps[folder])):
                return False
        self.seen = now
        return True


def is_absent(path: str) -> bool:
    """Not there; what cannot be looked at may be."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


class WatchedProfile(ProfileState):
    """The places of one profile, those of secrets included."""

    def __init__(self, profile: Profile) -> None:
        self.missing = MissingFiles((*profile.closed, *profile.hidden))
        super().__init__(profile)


def watch() -> None:
    """From now on, in this process."""
    quarantine.kind = WatchedProfile


def discard_stale_sandboxes() -> bool:
    """Whether a sandbox was out of date, which is made anew for the next hook that needs it."""
    with quarantine.LOCK:
        old = [
            profile
            for profile, one in quarantine.KNOWN.items()
            if isinstance(one, WatchedProfile) and not one.missing.same
        ]
        for profile in old:
            del quarantine.KNOWN[profile]
    return bool(old)

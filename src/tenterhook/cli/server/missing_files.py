"""Watch for files that did not exist when an engine or a sandbox was made: once one exists, a new engine would read it
and a new sandbox would close or hide it.

Within a session a sandbox stays as it was at its start. In a server, each event counts as the first of its session.
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
    """The paths that do not exist. Checking again takes one stat of each surrounding folder.

    `others` are paths that cannot be watched: something is at the path or on the way to it, such as a dangling symlink.
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
    """True if nothing is there; False if that cannot be determined."""
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
    """Use WatchedProfile in this process from now on."""
    quarantine.kind = WatchedProfile


def discard_stale_sandboxes() -> bool:
    """Drop outdated sandboxes, so that the next hook makes a new one. Returns whether there were any."""
    with quarantine.LOCK:
        old = [
            profile
            for profile, one in quarantine.KNOWN.items()
            if isinstance(one, WatchedProfile) and not one.missing.same
        ]
        for profile in old:
            del quarantine.KNOWN[profile]
    return bool(old)

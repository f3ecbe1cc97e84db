"""Match a profile's paths with the files that exist: which can be closed, and which cannot because they do not exist
yet.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.support.paths import within

# A folder that may get no new files is closed as a whole if it holds more than this.
MANY = 64
# Dot folders that many programs write to.
GROWING = (".git", ".github", ".config", ".local")
# What every program may use of /dev; a disk must not be readable, which would bypass all rules.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts")


class PathLayout:
    """The paths of a profile that exist, each list sorted: a folder comes before its contents."""

    __slots__ = ("absent", "below_closed", "closed", "frozen", "hidden", "links", "network", "open", "shown", "write")

    def __init__(self, profile: Profile) -> None:
        self.network = profile.network
        self.write = sorted(path for path in {*profile.write} if os.path.exists(path))
        below = prefixes(self.write)
        named = [(path, kind_of(path)) for path in sorted({*profile.closed}) if path.startswith(below)]
        self.closed = [path for path, kind in named if kind not in (0, stat.S_IFLNK)]
        self.below_closed = prefixes(self.closed)
        # A symlink can be replaced by a process that may write to its folder, even if the link's target is protected.
        self.links = [path for path, kind in named if kind == stat.S_IFLNK]
        missing = [path for path, kind in named if kind == 0 and not self.closes(path)]
        # Folders that may get no new files, because a closed path could appear there; and their contents.
        self.frozen = sorted(folder for folder in {os.path.dirname(path) for path in missing} if self.freezes(folder))
        self.open = [child for folder in self.frozen for child in children(folder) if child not in self.closed]
        self.absent = [path for path in missing if os.path.dirname(path) not in self.frozen]
        self.shown = sorted({*profile.shown, *self.write})
        hidden = {*profile.hidden}.difference(self.shown)
        self.hidden = [path for path in sorted(hidden) if kind_of(path) not in (0, stat.S_IFLNK)]

    def freezes(self, folder: str) -> bool:
        """A dot folder of an agent is frozen; git and others could not work in theirs."""
        name = os.path.basename(folder)
        may = name.startswith(".") and name not in GROWING and folder not in self.write
        return may and kind_of(folder) == stat.S_IFDIR and not self.closes(folder)

    def closes(self, path: str) -> bool:
        return f"{path}/".startswith(self.below_closed)


def kind_of(path: str) -> int:
    """The type bits of what is there, such as `stat.S_IFDIR`; 0 if nothing is."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return 0


def prefixes(folders: Iterable[str]) -> tuple[str, ...]:
    """The prefixes of paths below these folders, for one `startswith` call."""
    return tuple(folder.rstrip("/") + "/" for folder in folders)


def between(folder: str, path: str) -> list[str]:
    """The folders between the two, both excluded."""
    found = []
    path = os.path.dirname(path)
    while within(path, folder) and path != folder:
        found.append(path)
        path = os.path.dirname(path)
    return found[::-1]


def children(folder: str) -> list[str]:
    """What is in a folder, symlinks excluded; nothing if there is too much."""
    try:
        with os.scandir(folder) as entries:
            found = [entry.path for entry in entries if not entry.is_symlink()]
    except OSError:
        return []
    return sorted(found) if len(found) <= MANY else []


def around(folder: str, barriers: list[str]) -> list[str]:
    """Paths that together cover a folder except the barriers. A new file beside them is in none of these."""
    if any(within(folder, one) for one in barriers):
        return []
    if not any(within(one, folder) for one in barriers):
        return [folder]
    try:
        with os.scandir(folder) as entries:
            inside = [entry.path for entry in entries if not entry.is_symlink()]
    except OSError:
        return []
    return [path for one in sorted(inside) for path in around(one, barriers)]


def only_sockets(path: str) -> bool:
    """A socket, or a folder with only sockets: nothing to read."""
    try:
        if not os.path.isdir(path):
            return stat.S_ISSOCK(os.lstat(path).st_mode)
        with os.scandir(path) as entries:
            return all(stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode) for entry in entries)
    except OSError:
        return False

"""A profile's paths laid over what is really there: what can be closed, and what cannot because it is not there yet."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from tenterhook.runtime.sandbox.profile import Profile

# A folder that is to take nothing new is closed as a whole where it holds more than this.
MANY = 64
# Folders with a dot that many put things into.
GROWING = (".git", ".github", ".config", ".local")
# What every program may use of /dev; a disk is no file to be read around all rules.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts")


class PathLayout:
    """The paths of a profile as they were found, each list sorted: a folder stands before what is in it."""

    __slots__ = ("absent", "below_closed", "closed", "frozen", "hidden", "links", "network", "open", "shown", "write")

    def __init__(self, profile: Profile) -> None:
        self.network = profile.network
        self.write = sorted(path for path in {*profile.write} if os.path.exists(path))
        below = prefixes(self.write)
        named = [path for path in sorted({*profile.closed}) if path.startswith(below)]
        self.closed = [path for path in named if os.path.exists(path) and not os.path.islink(path)]
        self.below_closed = prefixes(self.closed)
        # A link can be replaced by who may write its folder, whatever is done about the file that it leads to.
        self.links = [path for path in named if os.path.islink(path)]
        missing = [path for path in named if not os.path.lexists(path) and not self.closes(path)]
        # Folders that take nothing new, because something closed could come to be there; and what is in them.
        self.frozen = sorted({os.path.dirname(path) for path in missing if self.freezes(os.path.dirname(path))})
        self.open = [child for folder in self.frozen for child in children(folder) if child not in self.closed]
        self.absent = [path for path in missing if os.path.dirname(path) not in self.frozen]
        self.shown = sorted({*profile.shown, *self.write})
        self.hidden = [path for path in sorted({*profile.hidden}) if os.path.lexists(path) and self.hides(path)]

    def freezes(self, folder: str) -> bool:
        """A folder with a dot, as agents have them, stays as it is; git and others could not work in theirs."""
        name = os.path.basename(folder)
        may = name.startswith(".") and name not in GROWING and folder not in self.write
        return may and os.path.isdir(folder) and not os.path.islink(folder) and not self.closes(folder)

    def closes(self, path: str) -> bool:
        return f"{path}/".startswith(self.below_closed)

    def hides(self, path: str) -> bool:
        return path not in self.shown and not os.path.islink(path)


def within(path: str, folder: str) -> bool:
    """The folder itself, or something below it."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def prefixes(folders: Iterable[str]) -> tuple[str, ...]:
    """How paths below these folders begin: `startswith` asks for all of them at once."""
    return tuple(folder.rstrip("/") + "/" for folder in folders)


def between(folder: str, path: str) -> list[str]:
    """The folders on the way from one to the other, neither of them included."""
    found = []
    path = os.path.dirname(path)
    while within(path, folder) and path != folder:
        found.append(path)
        path = os.path.dirname(path)
    return found[::-1]


def children(folder: str) -> list[str]:
    """What is in a folder, links left out; nothing where that is too much."""
    try:
        with os.scandir(folder) as entries:
            found = [entry.path for entry in entries if not entry.is_symlink()]
    except OSError:
        return []
    return sorted(found) if len(found) <= MANY else []


def around(folder: str, barriers: list[str]) -> list[str]:
    """Paths that together hold all of a folder but the barriers. What comes to be beside them is in none of these."""
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
    """A socket, or a folder of nothing else: nothing to read."""
    try:
        if not os.path.isdir(path):
            return stat.S_ISSOCK(os.lstat(path).st_mode)
        with os.scandir(path) as entries:
            return all(stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode) for entry in entries)
    except OSError:
        return False

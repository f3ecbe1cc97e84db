"""Find files that a hook created where nothing was and nothing may be, move them away and report them.

No mechanism can forbid a name that does not exist yet in a writable folder. So those places are checked before and
after each hook, with one stat of each surrounding folder, and more only for folders that changed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Iterable

from tenterhook.runtime.sandbox.layout import PathLayout
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.supervisor import Outdated
from tenterhook.support.fingerprint import SETTLED
from tenterhook.support.paths import state_folder

LATEST = 64


class Quarantine:
    """Around one hook: `begin` right before it starts, `end` after it has ended. Both return one-line notes."""

    def __init__(self, profile: Profile, folder: str = "", seen: Profile | None = None) -> None:
        self.profile, self.seen = profile, seen
        self.known = cached_profile_state(profile)
        self.folder = folder

    def begin(self) -> None:
        """Raises Outdated if the sandbox was made from an older state of the files."""
        now = marks(self.known.folders)
        if self.seen is not None and self.known.as_seen(now) is not self.seen:
            raise Outdated
        self.appeared = self.known.look(now)
        self.absent, self.links, self.around = self.known.absent, self.known.links, self.known.around
        self.steps, self.marks = self.known.steps, self.known.last

    def end(self) -> tuple[str, ...]:
        """Notes: what was quarantined, and what appeared earlier, between two hooks."""
        notes = [APPEARED.format(path) for path in self.appeared]
        if not has_existing_step(self.steps, changed_folders(self.marks, marks(self.steps), self.steps)):
            return tuple(notes)
        notes += [self.move_away(path) for path in self.absent if os.path.lexists(path)]
        notes += [self.move_away(path, target) for path, target in self.links.items() if link(path) != target]
        return tuple(notes)

    def move_away(self, path: str, target: str = "") -> str:
        """Move it away; if a symlink was replaced, restore it."""
        what = topmost_link(path, self.around[path])
        try:
            where = put_away(what, self.folder or quarantine(os.environ))
            if target:
                os.symlink(target, path)
        except OSError as exc:
            return f"{what} was created by a hook in a place that agents obey; remove it ({exc.strerror or exc})"
        return f"{what} was created by a hook in a place that agents obey: moved to {where}"


APPEARED = "{} appeared while no hook ran, so hooks can still write to it; from the next session on they cannot"
# By folder: the entries to check to know that nothing was created at any place below it.
Steps = dict[str, set[str]]
# By folder: its identity and last change; None if that was too recent to notice the next change.
Marks = dict[str, tuple[int, int, int] | None]


class ProfileState:
    """The absent places of one profile, the protected ones, and the folders whose change would show a change of
    them.
    """

    def __init__(self, profile: Profile) -> None:
        layout = PathLayout(profile)
        self.profile = profile
        self.places = self.absent = tuple(layout.absent)
        self.linked = tuple(layout.links)
        self.covered = (*layout.closed, *layout.hidden, *layout.frozen)
        self.links = {path: link(path) for path in self.linked}
        self.last: Marks = {}
        # The last profile with file identities, and the state of the folders then: it hardly ever changes.
        self.shown = profile
        self.parents = {os.path.dirname(path) for path in self.covered}
        self.then: Marks = {}
        self.surround()

    def surround(self) -> None:
        holders = {path: os.path.dirname(path) for path in (*self.absent, *self.links)}
        existing = {folder: nearest(folder) for folder in {*holders.values()}}
        self.around = {path: existing[folder] for path, folder in holders.items()}
        steps: Steps = {}
        for path, folder in self.around.items():
            steps.setdefault(folder, set()).add(first_step(folder, path))
        self.steps = steps  # a new object: a running hook's watch holds the one of its start
        self.folders = tuple({*steps, *self.parents})

    def as_seen(self, now: Marks) -> Profile:
        """The profile with what is closed and hidden now: a mount goes with its file when that is replaced.

        In a folder that has not changed nothing was replaced.
        """
        if not self.then or changed_folders(self.then, now, self.parents):
            seen = identities(self.covered)
            if self.shown.seen != seen:
                self.shown = Profile(*self.profile.pack()[:-1], seen)
            self.then = now
        return self.shown

    def look(self, now: Marks) -> tuple[str, ...]:
        """Update what is absent; return what appeared since the last check."""
        folders = changed_folders(self.last, now, self.steps)
        if not folders or (self.last and self.absent == self.places and not has_existing_step(self.steps, folders)):
            self.last = now
            return ()
        before, self.absent = self.absent, tuple(path for path in self.places if not os.path.lexists(path))
        self.links = {path: target for path in self.linked if (target := link(path))}
        self.surround()
        self.last = marks(self.folders)
        return tuple(path for path in before if path not in self.absent)


def marks(folders: Iterable[str]) -> Marks:
    found: Marks = {}
    sure = time.time_ns() - SETTLED
    for folder in folders:
        try:
            status = os.stat(folder)
        except OSError:
            found[folder] = None
            continue
        changed = status.st_ctime_ns
        found[folder] = (status.st_dev, status.st_ino, changed) if changed <= sure else None
    return found


def changed_folders(before: Marks, now: Marks, folders: Iterable[str]) -> list[str]:
    """The folders that may have changed."""
    return [folder for folder in folders if now[folder] is None or now[folder] != before.get(folder)]


def has_existing_step(steps: Steps, folders: list[str]) -> bool:
    """Whether a path component on the way to one of the places exists."""
    return any(os.path.lexists(step) for folder in folders for step in steps[folder])


def first_step(folder: str, path: str) -> str:
    """The outermost part of a path below a folder: if it is absent, so is everything in it."""
    start = len(folder.rstrip("/")) + 1
    end = path.find("/", start)
    return path if end < 0 else path[:end]


def last_seen(profile: Profile) -> Profile:
    """The profile as last seen: it hardly ever changes, and checking takes longer than everything else before a
    start.
    """
    shown = cached_profile_state(profile).shown
    return shown if shown is not profile else as_seen(profile)


def as_seen(profile: Profile) -> Profile:
    """The profile as it is now."""
    about = cached_profile_state(profile)
    return about.as_seen(marks(about.parents))


def identities(paths: Iterable[str]) -> tuple[int, ...]:
    """The identity of each file. An inode number alone may be reused; a folder's times change, so only its number
    counts.
    """
    found: list[int] = []
    for path in paths:
        try:
            status = os.lstat(path)
        except OSError:
            found.append(0)
            continue
        found.append(status.st_ino)
        if not stat.S_ISDIR(status.st_mode):
            found.append(status.st_ctime_ns)
    return tuple(found)


KNOWN: dict[Profile, ProfileState] = {}
LOCK = threading.Lock()
# A server, which outlives a session, uses another class.
kind: type[ProfileState] = ProfileState


def cached_profile_state(profile: Profile) -> ProfileState:
    """The state of a profile's places; cached for the latest few."""
    with LOCK:
        found = KNOWN.get(profile)
        if found is None:
            found = KNOWN[profile] = kind(profile)
            if len(KNOWN) > LATEST:
                del KNOWN[next(iter(KNOWN))]
        return found


def quarantine(environ: os._Environ[str] | dict[str, str]) -> str:
    """The quarantine folder, in the user's state folder."""
    return os.path.join(state_folder(environ, environ.get("HOME") or os.path.expanduser("~")), "quarantine")


def nearest(folder: str) -> str:
    """The folder if it exists, else the innermost existing one around it."""
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return folder


def link(path: str) -> str:
    """The target of a symlink; empty if it is not one."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def topmost_link(path: str, folder: str) -> str:
    """If a symlink is on the way, the hook made that link: its target may be the user's own."""
    parts = path[len(folder) :].strip("/").split("/")
    for count in range(1, len(parts)):
        way = os.path.join(folder, *parts[:count])
        if os.path.islink(way):
            return way
    return path


def put_away(path: str, folder: str) -> str:
    """Move without following symlinks, into a folder that only the user can enter."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    made = os.path.join(folder, f"{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(4).hex()}")
    os.mkdir(made, 0o700)
    parent, name = os.path.split(path)
    place = os.open(parent, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return moved_from(place, name, made, parent)
    finally:
        os.close(place)


def moved_from(place: int, name: str, made: str, parent: str) -> str:
    """Rename; for another file system rename in place first, so that agents no longer obey it."""
    where = os.path.join(made, name)
    try:
        os.rename(name, where, src_dir_fd=place)
        return where
    except OSError as exc:
        if exc.errno != errno.EXDEV:
            raise
    aside = f".quarantined-{os.urandom(8).hex()}"
    os.rename(name, aside, src_dir_fd=place, dst_dir_fd=place)
    import shutil

    with contextlib.suppress(OSError, shutil.Error):
        shutil.move(os.path.join(parent, aside), where)
        return where
    return os.path.join(parent, aside)

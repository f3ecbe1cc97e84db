"""What a hook made where nothing was and nothing may be: found after the hook, moved away, reported.

No mechanism can forbid a name that does not exist yet in a folder that may be written. So the places are looked at
before and after each hook; that takes one look at each folder around them, and more only at those that changed.
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
from tenterhook.support.paths import state_folder

# How old a folder's last change must be to tell it from the next: the clock of a file system is coarse.
SETTLED = 100_000_000
LATEST = 64


class Quarantine:
    """Around one hook: `begin` right before it starts, `end` after it ended. What they tell is one line each."""

    def __init__(self, profile: Profile, folder: str = "", seen: Profile | None = None) -> None:
        self.profile, self.seen = profile, seen
        self.known = cached_profile_state(profile)
        self.folder = folder

    def begin(self) -> None:
        """Outdated where the hook would be confined by what was seen before and is otherwise by now."""
        now = marks(self.known.folders)
        if self.seen is not None and self.known.as_seen(now) is not self.seen:
            raise Outdated
        self.appeared = self.known.look(now)
        self.absent, self.links, self.around = self.known.absent, self.known.links, self.known.around
        self.steps, self.marks = self.known.steps, self.known.last

    def end(self) -> tuple[str, ...]:
        """What to tell: what was quarantined, and what came to be before, between two hooks."""
        notes = [APPEARED.format(path) for path in self.appeared]
        if not has_existing_step(self.steps, changed_folders(self.marks, marks(self.steps), self.steps)):
            return tuple(notes)
        notes += [self.moved(path) for path in self.absent if os.path.lexists(path)]
        notes += [self.moved(path, target) for path, target in self.links.items() if link(path) != target]
        return tuple(notes)

    def moved(self, path: str, target: str = "") -> str:
        """Away with it; where a link was replaced, the link is put back."""
        what = topmost_link(path, self.around[path])
        try:
            where = put_away(what, self.folder or quarantine(os.environ))
            if target:
                os.symlink(target, path)
        except OSError as exc:
            return f"{what} was created by a hook in a place that agents obey; remove it ({exc.strerror or exc})"
        return f"{what} was created by a hook in a place that agents obey: moved to {where}"


APPEARED = "{} appeared while no hook ran, so hooks can still write to it; from the next session on they cannot"
# By folder: what to look for in it to know that nothing has come to be at any place below it.
Steps = dict[str, set[str]]
# By folder: which one it was, and when it last changed; None where that was too short ago to notice the next change.
Marks = dict[str, tuple[int, int, int] | None]


class ProfileState:
    """The absent places of one profile, the covered ones, and the folders that would show it if one of them changed."""

    def __init__(self, profile: Profile) -> None:
        layout = PathLayout(profile)
        self.profile = profile
        self.places = self.absent = tuple(layout.absent)
        self.linked = tuple(layout.links)
        self.covered = (*layout.closed, *layout.hidden, *layout.frozen)
        self.links = {path: link(path) for path in self.linked}
        self.last: Marks = {}
        # The last profile with what was seen, and how the folders were then: it hardly ever changes.
        self.shown = profile
        self.parents = {os.path.dirname(path) for path in self.covered}
        self.then: Marks = {}
        self.surround()

    def surround(self) -> None:
        self.around = {path: nearest(path) for path in (*self.absent, *self.links)}
        steps: Steps = {}
        for path, folder in self.around.items():
            steps.setdefault(folder, set()).add(first_step(folder, path))
        self.steps = steps  # another one, never changed: who watches a hook holds the one of its start
        self.folders = tuple({*steps, *self.parents})

    def as_seen(self, now: Marks) -> Profile:
        """With what is closed and hidden now: a mount goes with the file it lies on when that is replaced.

        Nothing is replaced in a folder that has not changed.
        """
        if not self.then or changed_folders(self.then, now, self.parents):
            seen = identities(self.covered)
            if self.shown.seen != seen:
                self.shown = Profile(*self.profile.pack()[:-1], seen)
            self.then = now
        return self.shown

    def look(self, now: Marks) -> tuple[str, ...]:
        """See what is absent now; what appeared since the last look."""
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
    """Those of the folders that may have changed."""
    return [folder for folder in folders if now[folder] is None or now[folder] != before.get(folder)]


def has_existing_step(steps: Steps, folders: list[str]) -> bool:
    """Whether something stands on the way to one of the places, in one of the folders."""
    return any(os.path.lexists(step) for folder in folders for step in steps[folder])


def first_step(folder: str, path: str) -> str:
    """The outermost part of a path below a folder: where it is absent, so is all that would be in it."""
    start = len(folder.rstrip("/")) + 1
    end = path.find("/", start)
    return path if end < 0 else path[:end]


def last_seen(profile: Profile) -> Profile:
    """As it was the last time: it hardly ever changes, and to look takes longer than all else before a start."""
    shown = cached_profile_state(profile).shown
    return shown if shown is not profile else as_seen(profile)


def as_seen(profile: Profile) -> Profile:
    """As it is now."""
    about = cached_profile_state(profile)
    return about.as_seen(marks(about.parents))


def identities(paths: Iterable[str]) -> tuple[int, ...]:
    """A file's number alone may come again with the next file. A folder changes all the time, and stays the same."""
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
# Another one for those who outlive a session.
kind: type[ProfileState] = ProfileState


def cached_profile_state(profile: Profile) -> ProfileState:
    """What is known of a profile's places; of the latest few."""
    with LOCK:
        found = KNOWN.get(profile)
        if found is None:
            found = KNOWN[profile] = kind(profile)
            if len(KNOWN) > LATEST:
                del KNOWN[next(iter(KNOWN))]
        return found


def quarantine(environ: os._Environ[str] | dict[str, str]) -> str:
    """In the user's state folder."""
    return os.path.join(state_folder(environ, environ.get("HOME") or os.path.expanduser("~")), "quarantine")


def nearest(path: str) -> str:
    """The innermost folder around it that is there."""
    folder = os.path.dirname(path)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return folder


def link(path: str) -> str:
    """Where a link leads; empty where it is none."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def topmost_link(path: str, folder: str) -> str:
    """A link on the way is what the hook made: what it leads to may be the user's own."""
    parts = path[len(folder) :].strip("/").split("/")
    for count in range(1, len(parts)):
        way = os.path.join(folder, *parts[:count])
        if os.path.islink(way):
            return way
    return path


def put_away(path: str, folder: str) -> str:
    """Move without following links, into a folder that only the user can enter."""
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
    """By renaming; into another file system it is renamed where it is first, so that nobody obeys it any more."""
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

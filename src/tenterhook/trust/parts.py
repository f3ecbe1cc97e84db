"""The files of a hook: what of each an approval is bound to, and whether it is unchanged."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Collection, Iterable

from msgspec import Struct

from tenterhook.support.fingerprint import Stamp, stamp_of
from tenterhook.support.paths import within
from tenterhook.trust.loads.records import STANDARD

try:  # hashlib would load OpenSSL, 3 ms of every `tenter fire`; this is the same function
    from _blake2 import blake2b
except ImportError:  # pragma: no cover
    from hashlib import blake2b

# A larger program outside of the project is identified by its size and times, not by its bytes.
LARGE = 1 << 20
# A larger file of the project cannot be bound.
LARGEST = 64 << 20
# How much of a script is stored, to show what changed in it.
KEPT = 64 << 10
SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/nix/store/", "/gnu/store/", "/snap/", "/System/", "/Library/")
CHUNK = 1 << 18
# Nanoseconds within which a file may change twice and keep the same times. A file that was read so soon after a change
# gets a fingerprint that matches no other, so that it is read once more.
TICK, UNSURE = 20_000_000, 0
# What may follow a module's name in that of its file.
MODULES = (".py", ".pyc", ".pyw")
LIBRARIES = (".so", ".pyd")
# How many numbers of a fingerprint are of the file itself.
SURE = 5


class BoundFile(Struct, frozen=True, omit_defaults=True):
    """One file: where it was found, its real path, and what of it counts.

    `how` is content (its bytes), path (only where it is: a program of the system), stamp (its size and times), absent,
    or names: a folder, of which the entries named in `names` count.
    """

    path: str
    real: str
    how: str
    digest: str = ""
    size: int = 0
    text: str | None = None
    names: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.path, self.real, self.how, self.digest


class ProjectRoots(Struct, frozen=True):
    """Which files belong to the project and to the user; and whether texts are stored."""

    project: str
    home: str
    texts: bool = False

    def of_project(self, path: str) -> bool:
        return within(path, self.project)


def ground(project: str, home: str, *, texts: bool = False) -> ProjectRoots:
    return ProjectRoots(os.path.realpath(project), os.path.realpath(home), texts)


def part(path: str, where: ProjectRoots) -> tuple[BoundFile, Stamp]:
    """The file as it is now, with the fingerprint that tells cheaply whether it may have changed."""
    real = os.path.realpath(path)
    try:
        descriptor = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    except (OSError, ValueError):
        return unreadable(path, real, where)
    try:
        about = os.fstat(descriptor)
        how = binding(real, about, where)
        if how == "content":
            return read(path, real, descriptor, about, where)
        return BoundFile(path, real, how, stamp_text(about) if how == "stamp" else "", about.st_size), stamp_of(about)
    finally:
        os.close(descriptor)


def again(one: BoundFile, where: ProjectRoots) -> tuple[BoundFile, Stamp]:
    """The same part as it is now."""
    return names_in(one.path, one.names) if one.how == "names" else part(one.path, where)


def names_in(path: str, names: Iterable[str]) -> tuple[BoundFile, Stamp]:
    """What a folder has under some names: a new file there would be loaded, perhaps before the others."""
    wanted = tuple(sorted(names))
    digest = blake2b("\0".join(wanted).encode("utf-8", "surrogateescape"), digest_size=32)
    try:
        about = os.stat(path)
        entries = sorted(entry for entry in os.listdir(path) if is_named(entry, wanted))
    except (OSError, ValueError):
        return BoundFile(path, path, "names", digest.hexdigest(), names=wanted), ()
    for entry in entries:
        digest.update(b"\0\0" + os.fsencode(entry))
    now = stamp_of(about)
    if time.time_ns() - about.st_ctime_ns < TICK:
        now = (*now, UNSURE)
    return BoundFile(path, os.path.realpath(path), "names", digest.hexdigest(), names=wanted), now


def is_named(entry: str, names: Collection[str]) -> bool:
    """Whether an entry of a folder is what one of these names stands for.

    A name is that of a module (with any module suffix), a file's own, or a pattern.
    """
    stem, suffix = os.path.splitext(entry)
    if suffix in LIBRARIES:
        stem = entry.partition(".")[0]
    elif suffix not in MODULES:
        stem = entry
    if entry in names or stem in names or (STANDARD in names and is_standard(stem)):
        return True
    patterns = [name for name in names if "*" in name or "?" in name or "[" in name]
    if not patterns:
        return False
    from fnmatch import fnmatchcase

    return any(fnmatchcase(entry, name) for name in patterns)


def is_standard(name: str) -> bool:
    """Whether a module of this name would shadow one of Python's own; the standard library's tests are never
    imported.
    """
    return name in sys.stdlib_module_names and name not in ("test", "idlelib", "turtledemo", "turtle", "this")


def unreadable(path: str, real: str, where: ProjectRoots) -> tuple[BoundFile, Stamp]:
    """A program that may be run but not read is identified by its times; anything else counts as missing."""
    try:
        about = os.stat(real)
    except (OSError, ValueError):
        return BoundFile(path, real, "absent"), ()
    how = "path" if binding(real, about, where) == "path" else "stamp"
    return BoundFile(path, real, how, stamp_text(about) if how == "stamp" else "", about.st_size), stamp_of(about)


def binding(real: str, about: os.stat_result, where: ProjectRoots) -> str:
    if not stat.S_ISREG(about.st_mode):
        return "path"
    if where.of_project(real):
        return "content" if about.st_size <= LARGEST else "stamp"
    if about.st_uid == 0 and not about.st_mode & 0o022 and not within(real, where.home) and not ours_to_write(real):
        return "path"
    return "content" if about.st_size <= LARGE else "stamp"


def ours_to_write(real: str) -> bool:
    """Whether we could write this file. Root can write all: then only files where systems keep programs count as the
    system's.
    """
    return hasattr(os, "geteuid") and os.geteuid() == 0 and not real.startswith(SYSTEM)


def read(path: str, real: str, descriptor: int, about: os.stat_result, where: ProjectRoots) -> tuple[BoundFile, Stamp]:
    digest, head, size = blake2b(digest_size=32), b"", 0
    while chunk := os.read(descriptor, CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if where.texts and size <= KEPT:
            head += chunk
    now = stamp_of(about)
    if time.time_ns() - about.st_ctime_ns < TICK:
        now = (*now, UNSURE)
    return BoundFile(path, real, "content", digest.hexdigest(), size, kept_text(head, size, where)), now


def kept_text(head: bytes, size: int, where: ProjectRoots) -> str | None:
    if not where.texts or size > KEPT:
        return None
    try:
        return head.decode()
    except UnicodeDecodeError:
        return None


def stamp_text(about: os.stat_result) -> str:
    return ":".join(map(str, stamp_of(about)[2:]))

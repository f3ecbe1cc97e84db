"""Walk a path below a root that it cannot leave.

Each folder is opened relative to the one before, and the system follows no symlink: its target is read and walked as
well. `..` goes back to a folder that was opened on the way, so moving or swapping folders meanwhile leads nowhere else.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence

# As many symlinks as the system itself follows.
MOST_LINKS = 40
# On Linux a folder without read permission may be passed through.
LISTING = os.O_RDONLY
for flag in ("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC"):
    LISTING |= getattr(os, flag, 0)  # Windows has none, and opens no folders: there `tenter agent` has no file tools
PASSING = LISTING | getattr(os, "O_PATH", 0)


class PathOutside(Exception):
    """The path leads out of the root."""


@contextlib.contextmanager
def walk_below(root: str, parts: Sequence[str], make: bool = False) -> Iterator[tuple[int, str]]:
    """The folder that holds the path's target, and its name there, which is not a symlink; "" for the folder itself.

    With `make` folders on the way are created.
    """
    walk = Walk(root, make)
    try:
        yield walk.to(parts)
    finally:
        walk.close()


class Walk:
    """The open folders from the root to the current one."""

    def __init__(self, root: str, make: bool) -> None:
        self.root, self.make, self.links = root, make, 0
        self.folders = [os.open(root, PASSING)]

    def to(self, parts: Sequence[str]) -> tuple[int, str]:
        left = list(reversed(parts))
        while left:
            name = left.pop()
            if name in ("", "."):
                continue
            if name == "..":
                self.back()
            elif (target := self.link(name)) is not None:
                self.follow(target, left)
            elif left:  # a trailing slash is enough: then it must be a folder
                self.enter(name)
            else:
                return self.folders[-1], name
        return self.folders[-1], ""

    def link(self, name: str) -> str | None:
        """Its target, if it is a symlink."""
        try:
            return os.readlink(name, dir_fd=self.folders[-1])
        except FileNotFoundError:
            return None
        except OSError as exc:
            if exc.errno == errno.EINVAL:
                return None
            raise

    def follow(self, target: str, left: list[str]) -> None:
        self.links += 1
        if self.links > MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if target.startswith(os.sep):
            top = self.root.rstrip(os.sep)
            if not (target + os.sep).startswith(top + os.sep):
                raise PathOutside
            target = target[len(top) :]
            while len(self.folders) > 1:
                self.back()
        left += reversed(target.split(os.sep))

    def enter(self, name: str) -> None:
        here = self.folders[-1]
        try:
            self.folders.append(os.open(name, PASSING, dir_fd=here))
        except FileNotFoundError:
            if not self.make:
                raise
            with contextlib.suppress(FileExistsError):  # another process was faster
                os.mkdir(name, dir_fd=here)
            self.folders.append(os.open(name, PASSING, dir_fd=here))

    def back(self) -> None:
        if len(self.folders) > 1:
            os.close(self.folders.pop())
        elif self.root != os.sep:
            raise PathOutside

    def close(self) -> None:
        while self.folders:
            os.close(self.folders.pop())


def folder_at(folder: int, name: str) -> int:
    """A descriptor to list the folder with."""
    return os.open(name or ".", LISTING, dir_fd=folder)

"""The files of a project as tools see them: where a path leads, whether that is inside, reading and writing there.

Every path is walked folder by folder below a root, each opened relative to the one before, symlinks read by hand. The
root is `/`, or the project itself if the workspace is confined: then nothing leads out of it, neither `..` nor a
symlink, nor a symlink that is created while we look.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator, Mapping

from msgspec import Struct

from tenterhook.clients.workspace.openat import PathOutside, folder_at, walk_below
from tenterhook.support.paths import within

# Folders that are not searched: what tools generated, and the history.
SKIPPED = frozenset(
    ".git .hg .svn .jj node_modules __pycache__ .venv .tox .nox .mypy_cache .pytest_cache .ruff_cache".split()
)
WORDS = {
    errno.ENOENT: "no such file or folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EISDIR: "this is a folder, not a file",
    errno.ENOTDIR: "a part of this path is a file, not a folder",
    errno.ELOOP: "its links lead in a circle",
    errno.ENAMETOOLONG: "this path is too long for the system",
    errno.ENOSPC: "no space is left on the disk",
    errno.EROFS: "this file system is read-only",
}


class WorkspaceError(ValueError):
    """Why a tool cannot do what it was asked to, in words for the model."""


class WalkedFile(Struct, frozen=True):
    """A file found by a walk. Its path is the one to show, and to open it by."""

    path: str
    size: int
    modified: float
    # Not a symlink, a pipe or the like.
    regular: bool


class Workspace:
    """A project's folder. `read_only` refuses writing; `confined` refuses everything outside of it."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        read_only: bool = False,
        confined: bool = False,
        *,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.given = os.path.abspath(os.fspath(root))
        self.root = os.path.realpath(self.given)
        self.read_only, self.confined = read_only, confined
        self.environ: Mapping[str, str] = os.environ if environ is None else environ
        self.walk_root = self.root if confined else os.sep

    # Where a path leads

    def path(self, path: str) -> str:
        """The absolute path: relative ones count from the project, `~` is the user's home. Symlinks are not
        resolved.
        """
        if not isinstance(path, str) or not path:
            raise WorkspaceError("a path is needed")
        if "\0" in path:
            raise WorkspaceError(f"{path!r} is not a path: it holds a NUL character")
        if path == "~" or path.startswith("~/"):
            path = self.environ.get("HOME", "~") + path[1:]
        return os.path.join(self.root, path)

    def inside(self, path: str) -> bool:
        """Whether it is in the project, after all symlinks are resolved."""
        try:
            return within(os.path.realpath(self.path(path)), self.root)
        except (OSError, ValueError):
            return False

    def asks(self, path: str) -> bool:
        """Whether the user is to be asked before it is read. A confined workspace refuses it without asking."""
        return not self.confined and not self.inside(path)

    def display_path(self, path: str) -> str:
        """The path as people and models write it: relative to the project, if it is in there by name."""
        whole = os.path.normpath(self.path(path))
        top = next((top for top in (self.root, self.given) if within(whole, top)), "")
        return os.path.relpath(whole, top) if top else whole

    def parts(self, path: str) -> list[str]:
        """Path components below the root. An absolute path may reach the project through a symlink."""
        whole = self.path(path)
        for top in (self.root, self.given) if self.confined else (os.sep,):
            if within(whole, top):
                return whole[len(top) :].split(os.sep)
        raise PathOutside

    # Reading

    @contextlib.contextmanager
    def open_file(self, path: str) -> Iterator[int]:
        """A descriptor of a regular file, for reading."""
        with self.in_words(path), walk_below(self.walk_root, self.parts(path)) as (folder, name):
            # A pipe without a writer must not block us.
            fd = os.open(name or ".", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            try:
                must_be_regular(os.fstat(fd))
                yield fd
            finally:
                os.close(fd)

    def read(self, path: str, most: int) -> bytes:
        """The content of a file that is not larger than `most` bytes."""
        with self.open_file(path) as fd, open(fd, "rb", closefd=False) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise WorkspaceError(
                f"{self.display_path(path)} is larger than {most:,} bytes, which is too large for this tool"
            )
        return data

    def is_folder(self, path: str) -> bool:
        with self.in_words(path), walk_below(self.walk_root, self.parts(path)) as (folder, name):
            return stat.S_ISDIR(os.stat(name or ".", dir_fd=folder, follow_symlinks=False).st_mode)

    def walk(self, path: str, skipped: frozenset[str] = SKIPPED) -> Iterator[WalkedFile]:
        """All files below a folder, folder by folder and by name. Symlinks are listed and not followed."""
        waiting = [path]
        while waiting:
            at = waiting.pop()
            try:
                found = self.list_folder(at)
            except WorkspaceError:
                if at == path:
                    raise
                continue  # gone meanwhile, or not readable
            folders = []
            for name, info in found:
                below = os.path.join(at, name)
                if not stat.S_ISDIR(info.st_mode):
                    yield WalkedFile(below, info.st_size, info.st_mtime, stat.S_ISREG(info.st_mode))
                elif name not in skipped:
                    folders.append(below)
            waiting += reversed(folders)

    def list_folder(self, path: str) -> list[tuple[str, os.stat_result]]:
        with self.in_words(path), walk_below(self.walk_root, self.parts(path)) as (folder, name):
            fd = folder_at(folder, name)
            try:
                with os.scandir(fd) as entries:
                    return sorted(stat_entries(entries), key=lambda one: one[0])
            finally:
                os.close(fd)

    # Writing

    def write(self, path: str, data: bytes) -> bool:
        """Write the whole file atomically, with its old mode; folders are created. True if it is new."""
        if self.read_only:
            raise WorkspaceError("nothing can be written here: this workspace is read-only")
        with self.in_words(path), walk_below(self.walk_root, self.parts(path), make=True) as (folder, name):
            before = status(name or ".", folder)
            if before is not None:
                must_be_regular(before)
                if not os.access(name, os.W_OK, dir_fd=folder, effective_ids=os.access in os.supports_effective_ids):
                    raise PermissionError(errno.EACCES, "")
            replace(folder, name, data, before)
            return before is None

    @contextlib.contextmanager
    def in_words(self, path: str) -> Iterator[None]:
        try:
            yield
        except PathOutside:
            raise WorkspaceError(
                f"{path} is outside of the project, and only files of the project can be used here"
            ) from None
        except OSError as exc:
            raise WorkspaceError(f"{self.display_path(path)}: {WORDS.get(exc.errno or 0) or exc.strerror}") from None
        except UnicodeEncodeError:
            raise WorkspaceError(f"{path!r} is not a path: it holds half a character") from None


def must_be_regular(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "this is a device, a pipe or a socket, not a file")


def status(name: str, folder: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def stat_entries(entries: Iterator[os.DirEntry[str]]) -> Iterator[tuple[str, os.stat_result]]:
    for entry in entries:
        with contextlib.suppress(OSError):  # gone since it was listed
            yield entry.name, entry.stat(follow_symlinks=False)


def replace(folder: int, name: str, data: bytes, before: os.stat_result | None) -> None:
    """Write beside it first, then rename: a reader sees the old file or the new one."""
    beside = f".{secrets.token_hex(8)}.tmp"  # without the file's name, which may be as long as the system allows
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=folder)
    try:
        with open(fd, "wb") as file:
            file.write(data)
            if before is not None:
                with contextlib.suppress(PermissionError):  # only root may give a file away
                    os.fchown(fd, before.st_uid, before.st_gid)
                os.fchmod(fd, stat.S_IMODE(before.st_mode))
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=folder)
        raise

"""Change several files, all of them or none: each is written beside its path and renamed; a failure restores all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from msgspec import Struct

from tenterhook.errors import UsageError

RUNNABLE = 0o777
PLAIN = 0o666
PRIVATE = 0o600


class Change(Struct, frozen=True):
    """A file's content before and after; None means no file. `mode` is for a file that is created."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None


def content(path: str) -> bytes | None:
    """The content of a regular file, None if there is none; a symlink, a folder or a pipe must not be replaced."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise UsageError(f"{path} is not a regular file; move it away first")
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}") from exc


def mode_of(path: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return None


def commit(changes: list[Change], folders: list[str] | None = None, unwanted: list[str] | None = None) -> None:
    """Create folders, then files; then remove the unwanted empty folders, which no failure undoes."""
    undo: list[Callable[[], object]] = []
    try:
        for folder in folders or []:
            os.mkdir(folder)
            undo.append(partial(os.rmdir, folder))
        for change in changes:
            mode = mode_of(change.path)
            if content(change.path) != change.before:
                raise UsageError(f"{change.path} was changed by another program just now; nothing was written")
            undo.append(partial(write, change.path, change.before, mode))
            write(change.path, change.after, mode if change.mode is None else change.mode)
    except BaseException as exc:
        left = put_back(undo)
        if isinstance(exc, OSError):
            where = f"{exc.filename}: " if exc.filename else ""
            raise UsageError(f"{where}{exc.strerror}; {left or 'nothing was changed'}") from exc
        raise
    for folder in unwanted or []:
        with suppress(OSError):
            os.rmdir(folder)


def put_back(undo: list[Callable[[], object]]) -> str:
    """Undo the steps, the last one first; what cannot be undone is reported, and does not stop the others."""
    left = []
    for step in reversed(undo):
        try:
            step()
        except OSError as exc:
            left.append(f"{exc.filename} could not be put back: {exc.strerror}")
    return "; ".join(left)


def write(path: str, data: bytes | None, mode: int | None) -> None:
    """Write or remove a file; other programs see the old content or the new one, never a part."""
    if data is None:
        with suppress(FileNotFoundError):
            os.unlink(path)
        return
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        made = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PLAIN if mode is None else PRIVATE)
        with open(made, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(made)
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException as exc:
        with suppress(OSError):
            os.unlink(beside)
        if isinstance(exc, OSError):
            exc.filename = path
        raise


def runnable() -> int:
    """The mode of a new script, as the user's umask has it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return RUNNABLE & ~mask


def folders_for(paths: list[str]) -> list[str]:
    """The folders that must be created before the files, outer ones first."""
    found: list[str] = []
    for path in paths:
        folder = os.path.dirname(path)
        above: list[str] = []
        while folder and not os.path.isdir(folder) and folder not in found:
            above.append(folder)
            folder = os.path.dirname(folder)
        found += reversed(above)
    return found

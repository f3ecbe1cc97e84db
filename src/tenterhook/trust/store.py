"""Where approvals are stored: one file for each project, in the user's state folder.

Only the user's own environment says where that is. A store that another user could have written is not read, because
write access would mean power to approve. It uses little of the standard library: `tenter hook` reads it.
"""

from __future__ import annotations

import os
import stat

from tenterhook.errors import TenterhookError
from tenterhook.support.paths import state_folder, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 32 << 20
# A file's name may have 255 bytes; for a longer path, its end and a checksum of the whole.
LONGEST_NAME = 200
MACHINE = "/etc/machine-id"
OTHERS = 0o022


class StoreError(TenterhookError):
    """Why approvals cannot be stored."""


def place(project: str, home: str, environ: Mapping[str, str]) -> str:
    """The file of one project, by its real path: no symlink or git pointer borrows another folder's approvals."""
    return os.path.join(state_folder(environ, home), "trust", file_name(os.path.realpath(project)))


def file_name(path: str) -> str:
    for character in "%/" if os.sep == "/" else "%/\\:":
        path = path.replace(character, f"%{ord(character):02X}")
    name = os.fsencode(path)
    if len(name) > LONGEST_NAME:
        from zlib import crc32

        name = b"%08x" % crc32(name) + name[-LONGEST_NAME:]
    return os.fsdecode(name + b".json")


def bond(file: str, project: str) -> dict[str, object]:
    """What a store must say of itself to count: one that was copied, or whose project was moved, does not."""
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    return {"project": os.path.realpath(project), "user": user, "machine": machine(), "place": os.path.realpath(file)}


def machine() -> str:
    try:
        with open(MACHINE, "rb") as file:
            found = file.read(64).strip()
    except OSError:
        found = b""
    if found:
        return found.decode("utf-8", "replace")
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


def read(project: str, home: str, environ: Mapping[str, str]) -> tuple[bytes, str]:
    """What is stored for a project; and why it cannot be used, if so."""
    file = place(project, home, environ)
    if not os.path.lexists(file):
        return b"", ""
    why = fault(file, project)
    if why:
        return b"", f"{why}, so nothing is approved"
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as exc:
        return b"", f"{file}: cannot be read ({exc.strerror}), so nothing is approved"
    try:
        about = os.fstat(descriptor)
        why = "is not a regular file" if not stat.S_ISREG(about.st_mode) else foreign(about)
        if why or about.st_size > LARGEST:
            return b"", f"{file}: {why or 'is too large'}, so nothing is approved"
        with open(descriptor, "rb", closefd=False) as opened:
            return opened.read(LARGEST), ""
    finally:
        os.close(descriptor)


def fault(file: str, project: str) -> str:
    """Why a store cannot be used; empty if it can."""
    folder = os.path.dirname(file)
    if within(os.path.realpath(folder), os.path.realpath(project)):
        return f"{folder}: lies inside the project, which could approve its own hooks"
    for one in (os.path.dirname(folder), folder):
        try:
            about = os.lstat(one)
        except FileNotFoundError:
            return ""
        except OSError as exc:
            return f"{one}: cannot be looked at ({exc.strerror})"
        why = "is not a folder" if not stat.S_ISDIR(about.st_mode) else foreign(about)
        if why:
            return f"{one}: {why}"
    return ""


def foreign(about: os.stat_result) -> str:
    if not hasattr(os, "geteuid"):
        return ""
    if about.st_uid != os.geteuid():
        return "belongs to another user"
    return "other users can write to it" if about.st_mode & OTHERS else ""


def write(file: str, project: str, data: bytes) -> None:
    """Write atomically: a concurrent reader sees the old file or the new one."""
    from contextlib import suppress  # here: `tenter hook` only reads, and this import takes a millisecond

    prepare(file, project)
    new = f"{file}.{os.getpid()}.new"
    with suppress(FileNotFoundError):
        os.unlink(new)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with open(descriptor, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(descriptor)
        os.replace(new, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise


def prepare(file: str, project: str) -> None:
    """Create the folders, accessible only to the user."""
    from contextlib import suppress

    folder = os.path.dirname(file)
    if within(os.path.realpath(folder), os.path.realpath(project)):
        raise StoreError(f"{folder} lies inside the project: approvals cannot be kept there; see XDG_STATE_HOME")
    os.makedirs(os.path.dirname(os.path.dirname(folder)), exist_ok=True)
    for one in (os.path.dirname(folder), folder):
        with suppress(FileExistsError):
            os.mkdir(one, 0o700)
        about = os.lstat(one)
        if stat.S_ISDIR(about.st_mode) and hasattr(os, "geteuid") and about.st_uid == os.geteuid():
            os.chmod(one, 0o700)  # another part of tenterhook may have created it under a permissive umask
    if why := fault(file, project):
        raise StoreError(f"{why}; approvals cannot be kept there: see XDG_STATE_HOME")

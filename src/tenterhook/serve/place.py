"""The server's folder, for those who make it and for those who keep hooks away from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tenterhook.errors import TenterhookError
from tenterhook.serve.client import fault, own_places, places

if TYPE_CHECKING:
    from collections.abc import Mapping

# How the last of the places ends, which is in a folder of ours and can always be made.
LAST = "/serve"


class Refused(TenterhookError):
    """Why no server can be started here."""


def made(path: str) -> bool:
    """Whether the folder is there now. A runtime folder is the system's to make, a state folder is ours."""
    try:
        if path.endswith(LAST):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.mkdir(path, 0o700)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


def out_of_reach(environ: Mapping[str, str], home: str) -> list[str]:
    """Where no confined hook may look: who knows a server's key has it do what he likes, unconfined.

    Made, if they are not there: what is to be hidden from a process must be there when it is confined.
    """
    found = [*dict.fromkeys([*places(environ, home), *own_places()])]
    for path in found:
        made(path)
    return found


def prepared() -> tuple[str, int, int]:
    """The folder's path, its descriptor and that of its lock; Refused where another server has it, or it is unsound."""
    import fcntl  # which not every system has, where confined hooks may be

    path = next(path for path in own_places() if made(path) or path.endswith(LAST))
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as exc:
        raise Refused(f"{path}: {exc.strerror}; it must be a folder of yours alone") from None
    if why := fault(os.fstat(folder)):
        raise Refused(f"{path}: {why}; it must be a folder of yours alone")
    lock = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pid = os.pread(lock, 64, 0).split()[:1]
        raise Refused(f"a server runs already in {path} ({b' '.join(pid).decode() or 'it is just starting'})") from None
    return path, folder, lock

"""Create and lock the server's folder."""

from __future__ import annotations

import os

from tenterhook.cli.server.client import fault
from tenterhook.errors import TenterhookError
from tenterhook.support.paths import SERVE, make_server_folder, own_server_folders


class CannotServe(TenterhookError):
    """Why no server can be started here."""


def is_held() -> bool:
    """Whether a server runs or is just starting."""
    import fcntl

    for path in own_server_folders():
        try:
            lock = os.open(f"{path}/lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(lock)
    return False


def lock_socket_dir() -> tuple[str, int, int]:
    """The folder's path, its descriptor and its lock's. Raises CannotServe if another server has it, or it is
    unsafe.
    """
    import fcntl  # not every system has it, where confined hooks may run

    path = next(path for path in own_server_folders() if make_server_folder(path) or path.endswith(SERVE))
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as exc:
        raise CannotServe(f"{path}: {exc.strerror}; it must be a folder that only you can access") from None
    if why := fault(os.fstat(folder)):
        raise CannotServe(f"{path}: {why}; it must be a folder that only you can access")
    lock = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pid = os.pread(lock, 64, 0).split()[:1]
        raise CannotServe(
            f"a server is already running in {path} ({b' '.join(pid).decode() or 'it is just starting'})"
        ) from None
    return path, folder, lock

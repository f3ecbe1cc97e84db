"""Which project a session is about.

An http hook is told the working directory alone, and an agent may change that. If the hooks of a project ended where
the agent leaves its folder, `cd` would be a way around them. So the first call of a session decides, and that is kept.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256

from tenterhook.hosts.gate.call import nearest_project

FOLDER = "sessions"
# The most sessions that are remembered; then the oldest half is forgotten.
MOST = 2000


class SessionProjects:
    """The projects of sessions, in files, so that a server that starts anew knows them."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, FOLDER)
        with suppress(FileExistsError):
            os.mkdir(self.folder, 0o700)

    def project_of(self, session: str, cwd: str) -> str:
        """The session's project; the nearest one above the working directory for a session's first call."""
        if not session:
            return nearest_project(cwd)
        path = os.path.join(self.folder, sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32])
        found = read(path)
        if not found:
            self.keep(path, nearest_project(cwd))
            found = read(path) or nearest_project(cwd)
        return found if os.path.isdir(found) else nearest_project(cwd)

    def keep(self, path: str, project: str) -> None:
        """The first call that comes decides. A full disk leaves each call with its own folder."""
        beside = f"{path}.{os.getpid()}.{id(path)}"
        with suppress(OSError):
            self.make_room()
            try:
                with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
                    file.write(os.fsencode(project))
                os.link(beside, path)
            finally:
                os.unlink(beside)

    def make_room(self) -> None:
        names = os.listdir(self.folder)
        if len(names) < MOST:
            return
        paths = [os.path.join(self.folder, name) for name in names]
        for path in sorted(paths, key=time_of_change)[: MOST // 2]:
            with suppress(OSError):
                os.unlink(path)


def read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read())
    except OSError:
        return ""


def time_of_change(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0

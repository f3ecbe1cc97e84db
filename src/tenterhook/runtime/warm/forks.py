"""Forks of a warm interpreter, as it sees them: made before they are needed, reaped when they have ended."""

from __future__ import annotations

import mmap
import os

from tenterhook.runtime.process_tree import ProcessFamily
from tenterhook.runtime.supervisor.hook_processes import HookProcess, ticks
from tenterhook.runtime.supervisor.wire import pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.runtime.supervisor.wire import Wire
    from tenterhook.runtime.warm.server import PreparedScript

# Room for the names of the modules that a script has loaded; at its end, the exit code and whether it is set.
ROOM = 1 << 16
CODE, SAID = ROOM - 2, ROOM - 1


class BecomeChild(BaseException):
    """We are a fork that is to run a script: leave everything of the server."""

    def __init__(self, connection: Wire, shared: mmap.mmap, file: PreparedScript | None) -> None:
        self.connection, self.shared, self.file = connection, shared, file


class ForkedWorker:
    """A fork that waits for its script, so that no script waits for the forking (1 ms).

    With a file it runs that while it waits, and is for this file alone.
    """

    def __init__(self, file: PreparedScript | None = None) -> None:
        self.file = file
        self.connection, theirs = pair()
        # Shared memory, so that the script finds no open file.
        self.shared = mmap.mmap(-1, ROOM)
        self.born = ticks()
        self.pid = os.fork()
        if self.pid == 0:
            raise BecomeChild(theirs, self.shared, file)
        theirs.close()

    def read_loaded(self) -> list[str]:
        """The modules that its script has loaded, after its end. The content is not trusted."""
        if not self.shared[0]:
            return []
        text = self.shared[:].partition(b"\0")[0].decode("ascii", "replace")
        return [name for name in text.split("\n") if all(part.isidentifier() for part in name.split("."))]

    def exit_code(self) -> int | None:
        """The exit code that it will have, once its script is done: the exit itself takes a while longer."""
        return self.shared[CODE] if self.shared[SAID] else None

    def dismiss(self) -> None:
        """Close the connection; the fork notices and ends."""
        self.connection.close()
        self.shared.close()


class ForkedRun(HookProcess):
    """A script that runs in a fork."""

    __slots__ = ("fork", "script")

    def __init__(
        self, channel: Wire, number: int, token: str, fork: ForkedWorker, script: str, *, keep: bool, began: int
    ) -> None:
        super().__init__(channel, number, ProcessFamily(fork.pid, token, fork.born), keep=keep, began=began)
        self.fork, self.script = fork, script

"""The folder and the environment that a call is run in. An http hook brings none, so they are the server's own.

Variables that say something about one agent, one session or one call are taken out: the server was started by some
agent, and serves all of them.
"""

from __future__ import annotations

import os

from tenterhook import dialects
from tenterhook.author import callers
from tenterhook.author.calls import CANARY
from tenterhook.cli.server.client import NAMESPACES, SWITCH, context
from tenterhook.errors import TenterhookError
from tenterhook.trust.variables import OURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# What a shell says of itself.
OF_A_SHELL = ("PWD", "OLDPWD", "SHLVL", "_")
# Where a context has the folder and its identity, and where its environment begins.
FOLDER, IDENTITY, ENVIRON = 1, 2, 6 + len(NAMESPACES) + 3


def leave_callers_behind() -> None:
    """Take out of this process's environment what its starter was told about itself."""
    known = [dialects.get(name) for name in dialects.names()]
    told = {name for one in known for rule in one.events for name in (*one.payload.env, *rule.overrides.env)}
    lasting = {name for one in known for name in one.config.homes}
    for name in list(os.environ):
        if name.startswith(OURS) or name in OF_A_SHELL or (name in told and name not in lasting):
            del os.environ[name]


class CallContext:
    """Makes the contexts of calls from that of this process."""

    def __init__(self) -> None:
        leave_callers_behind()
        self.parts = context("run").split(b"\0")

    def at(self, folder: str, more: dict[str, str]) -> bytes:
        """The context that `tenter run` would have in this folder, with further variables."""
        parts = self.parts.copy()
        about = os.stat(folder)
        parts[FOLDER], parts[IDENTITY] = os.fsencode(folder), f"{about.st_dev} {about.st_ino}".encode()
        own = [os.fsencode(f"{name}={value}") for name, value in more.items()]
        return b"\0".join([*parts[:ENVIRON], *sorted([*parts[ENVIRON:], *own])])

    @staticmethod
    def environ(more: dict[str, str], *, canary: str = "") -> dict[str, str]:
        """The same for a command that is executed without the server."""
        return {**os.environ, **more, SWITCH: "off", **({CANARY: canary} if canary else {})}


def variables_for(agent: str, project: str) -> dict[str, str]:
    """The variables by which a process of this agent is told where the project is."""
    try:
        names: Iterable[str] = callers.load(agent)["project"]
    except TenterhookError:  # the gate says so
        return {}
    return dict.fromkeys(names, project)

"""The server starts by itself: the first `tenter run` that finds none starts it, after its answer is out.

`[serve] auto = false` in the user's or the system's tenterhook.toml switches that off; so does TENTERHOOK_SERVE=off.
"""

from __future__ import annotations

import os
import sys

from tenterhook.cli.server.client import OFF, SWITCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def start_server_if_wanted(environ: Mapping[str, str]) -> None:
    """Start the server in the background. A second one finds the first one's lock, and ends."""
    if sys.platform != "linux" or environ.get(SWITCH, "").lower() in OFF or not is_allowed(environ):
        return
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    try:
        os.posix_spawn(
            sys.executable,
            [sys.executable, *own_words(), "serve"],
            dict(environ),
            file_actions=nothing,
            setsid=True,
        )
    except OSError:  # no more processes: the next call tries again
        return


def own_words() -> list[str]:
    """How this process was started: the server must find the same modules, or no client of ours uses it."""
    return ["-m", "tenterhook"] if os.path.basename(sys.argv[0]) == "__main__.py" else [sys.argv[0]]


def is_allowed(environ: Mapping[str, str]) -> bool:
    """Whether nothing forbids it, and we are not inside a hook, whose processes end with it."""
    from tenterhook.config.settings import SYSTEM, settings
    from tenterhook.errors import ConfigError
    from tenterhook.pipeline.environment import depth

    if depth(environ):
        return False
    try:
        return settings(environ.get("HOME") or os.path.expanduser("~"), environ, SYSTEM).serve_auto
    except ConfigError:  # the hooks' own answer says so
        return False

"""Where we keep things for a user between calls: approvals, the journal, what checks came to, what was quarantined."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# How the last of the server's folders ends, which is in a folder of ours and can always be made.
SERVE = "/serve"


def state_folder(environ: Mapping[str, str], home: str) -> str:
    """Ours in the user's state folder. A relative one is invalid, and would lie in whatever project we stand in."""
    base = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(home, ".local/state")
    return f"{base}/tenterhook"


def server_folders(environ: Mapping[str, str], home: str) -> list[str]:
    """Where the server's folder may be, the best first."""
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    return [*([f"{runtime}/tenterhook"] if os.path.isabs(runtime) else []), f"{state_folder(environ, home)}{SERVE}"]


def own_server_folders() -> list[str]:
    return server_folders(os.environ, os.environ.get("HOME") or os.path.expanduser("~"))


def make_server_folder(path: str) -> bool:
    """Whether the folder is there now. A runtime folder is the system's to make, a state folder is ours."""
    try:
        if path.endswith(SERVE):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.mkdir(path, 0o700)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


def hide_server_folders(environ: Mapping[str, str], home: str) -> list[str]:
    """Where no confined hook may look: who knows a server's key has it do what he likes, unconfined.

    Made, if they are not there: what is to be hidden from a process must be there when it is confined.
    """
    found = [*dict.fromkeys([*server_folders(environ, home), *own_server_folders()])]
    for path in found:
        make_server_folder(path)
    return found

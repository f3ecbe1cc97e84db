"""Whether a path is below a folder; and the folders where we store a user's data between calls: approvals, the
journal, results of checks, quarantined files.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The end of the last server folder, which is in a folder of ours and can always be created.
SERVE = "/serve"
# The native client of the server, which a wheel has where a C compiler built it.
CLIENT = "tenter-client"


# The folder that this package lies in, for a Python that is started to run a part of it.
SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def within(path: str, folder: str) -> bool:
    """Whether a path is the folder itself, or below it. Neither is looked up."""
    return f"{path}{os.sep}".startswith(folder.rstrip(os.sep) + os.sep)


def state_folder(environ: Mapping[str, str], home: str) -> str:
    """Our folder in the user's state folder. A relative one is invalid: it would be inside the current project."""
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
    """Create the folder; returns whether it exists. The system creates a runtime folder, we create a state folder."""
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
    """Folders hidden from confined hooks: a process that knows a server's key can have it run anything, unconfined.

    They are created if missing: what is to be hidden from a process must exist when it is confined.
    """
    found = [*dict.fromkeys([*server_folders(environ, home), *own_server_folders()])]
    for path in found:
        make_server_folder(path)
    return found


def native_client() -> str | None:
    """The installed native client, beside the command `tenter` of this interpreter; None if the wheel had none."""
    import sys
    import sysconfig

    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    for folder in (os.path.dirname(sys.executable), *(sysconfig.get_path("scripts", scheme) for scheme in schemes)):
        path = os.path.join(folder, CLIENT)
        if os.access(path, os.X_OK) and os.access(os.path.join(folder, "tenter"), os.X_OK):
            return path
    return None

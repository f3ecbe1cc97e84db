"""The HTTP door of the resident server, as its callers see it: where it is, and the token that opens it.

The server side is `cli/server/door`. `tenter install --http` writes entries that call it.
"""

from __future__ import annotations

import os
import stat
from urllib.parse import parse_qsl, urlencode, urlsplit

from tenterhook.errors import TenterhookError
from tenterhook.support.paths import SERVE, make_server_folder, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST, PORT, PATH = "127.0.0.1", 8368, "/run"
# The variable from which an agent takes the token, and the header of a canary.
VARIABLE, CANARY_HEADER = "TENTERHOOK_TOKEN", "X-Tenterhook-Canary"
# What the query of the URL may say; the same words follow `tenter run`.
AGENT, QUERY = "agent", ("agent", "event", "hooks-of")
FILE = "http-token"
# Locked by a command that opens the door, so that two that come at once do not take it from each other.
LOCK = "http-opening"
# Bytes of randomness, and the longest file that is read.
SIZE, LONGEST = 32, 1000


class TokenUnsafe(TenterhookError):
    """Why the token's file cannot be used."""


def door_url(agent: str, port: int, *, event: str = "", hooks_of: str = "") -> str:
    """The URL that an http hook of this agent posts its events to."""
    words = {AGENT: agent, "event": event, "hooks-of": hooks_of}
    query = urlencode({name: value for name, value in words.items() if value}, safe=",@")
    return f"http://{HOST}:{port}{PATH}?{query}"


def parse_port(text: str) -> int:
    """The port that a user names; 0 if it is none."""
    port = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
    return port if port < 1 << 16 else 0


def agent_in_url(url: str) -> str:
    """The agent that a URL of the door names; empty if it is another URL."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    query = parse_qsl(parts.query)
    ours = parts.scheme == "http" and parts.hostname == HOST and port and parts.path == PATH
    if not ours or any(name not in QUERY for name, _ in query):
        return ""
    return dict(query).get(AGENT, "")


def port_in_url(url: str) -> int:
    return urlsplit(url).port or 0


# ---- the token


def token_path(environ: Mapping[str, str], home: str) -> str:
    """In a folder that is hidden from confined hooks."""
    return f"{state_folder(environ, home)}{SERVE}/{FILE}"


def read_token(path: str) -> str:
    """The token; empty if there is none yet. Raises TokenUnsafe for a file that others may have read or written."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    except OSError as exc:
        raise TokenUnsafe(f"{path}: {exc.strerror}; remove it, and a new token is made") from None
    with open(file, encoding="ascii", errors="replace") as text:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
            raise TokenUnsafe(
                f"{path}: other users can access it, so the token is not secret; remove it and install again"
            )
        found = text.read(LONGEST).strip()
    if len(found) != 2 * SIZE or not all(one in "0123456789abcdef" for one in found):
        raise TokenUnsafe(f"{path}: it holds no token; remove it and install again")
    return found


def make_token(path: str) -> str:
    """The token of this user, made once: agents keep it over restarts of the server."""
    if found := read_token(path):
        return found
    folder, beside = os.path.dirname(path), f"{path}.{os.getpid()}"
    if not make_server_folder(folder):
        raise TokenUnsafe(f"{folder} cannot be created, so there is no place for the token")
    try:
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        raise TokenUnsafe(f"{beside}: {exc.strerror}") from None
    try:
        with open(file, "wb") as made:
            made.write(f"{os.urandom(SIZE).hex()}\n".encode())
        os.link(beside, path)
    except FileExistsError:  # another process was faster
        pass
    except OSError as exc:
        raise TokenUnsafe(f"{path}: {exc.strerror}") from None
    finally:
        os.unlink(beside)
    return read_token(path)

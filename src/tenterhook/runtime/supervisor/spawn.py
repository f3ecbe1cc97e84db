"""Start a program in its own session, through the function that subprocess itself uses.

posix_spawn, which every Python has, takes 20 µs longer, of the 570 that the smallest program takes. It is used only on
a Python whose internal function has changed.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Env = Mapping[bytes, bytes]

# Python ignores these signals for itself, and handles the last one for us.
RESTORED = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)


class PreparedStart:
    """A program about to be started: everything that can be prepared earlier is."""

    __slots__ = ("argv", "env", "places", "variables")

    def __init__(self, argv: list[bytes], env: Env, cwd: bytes = b"") -> None:
        self.argv, self.env = argv, env
        self.places = places(argv[0], env, cwd)
        self.variables = [name + b"=" + value for name, value in env.items()]

    def run(self, files: Sequence[int]) -> int:
        """Start the first file on the hook's own PATH that can be run, like a shell; or raise the most telling
        error.
        """
        if not self.places:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        try:
            return ways[-1](self, files)
        except TypeError:  # before anything was started: it takes other arguments in this Python
            if len(ways) == 1:
                raise
            ways.pop()
            return ways[-1](self, files)


def by_posix_spawn(start: PreparedStart, files: Sequence[int]) -> int:
    inherited = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(files[:3])]
    refused: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for place in start.places:
        try:
            return os.posix_spawn(
                place, start.argv, start.env,
                file_actions=inherited, setsid=True, setsigmask=(), setsigdef=RESTORED,
            )  # fmt: skip
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as exc:
            refused = exc if isinstance(refused, FileNotFoundError) else refused
    raise refused


def by_fork_exec(start: PreparedStart, files: Sequence[int]) -> int:
    """Our files are closed on exec and our signals are not blocked, so it need not handle either."""
    stdin, stdout, stderr = files[:3]
    ear, mouth = os.pipe()
    try:
        pid = fork_exec(
            start.argv, tuple(start.places), False, (), None, start.variables, stdin, -1, -1, stdout, -1, stderr,
            ear, mouth, True, True, -1, None, None, None, -1, None, True,
        )  # fmt: skip
        os.close(mouth)
        mouth = -1
        failure = os.read(ear, 1000)
    finally:
        for fd in (ear, mouth):
            if fd >= 0:
                os.close(fd)
    if failure:
        os.waitpid(pid, 0)
        number = int(failure.split(b":")[1], 16)
        raise OSError(number, os.strerror(number))
    return pid


ways: list[Callable[[PreparedStart, Sequence[int]], int]] = [by_posix_spawn]
try:
    from _posixsubprocess import fork_exec as _fork_exec
except ImportError:
    pass
else:
    fork_exec: Callable[..., int] = _fork_exec
    ways.append(by_fork_exec)


def places(name: bytes, env: Env, cwd: bytes = b"") -> list[bytes]:
    """Folders of PATH may be relative to the program's working directory."""
    if b"/" in name:
        return [name]
    found = (os.path.join(cwd, folder, name) for folder in env.get(b"PATH", os.defpath.encode()).split(b":"))
    return [place for place in found if os.path.lexists(place)]

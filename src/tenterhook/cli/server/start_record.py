"""What the native client has to know of the Python command that it stands for, in a file beside the server's socket.

Which server serves a command depends on what Python makes of its variables and files, and only Python can tell. So the
native client names what it was started with by a hash, and looks for a record of that name. If there is none, or a file
that it names has changed, it executes the Python command, which writes the record. A new server removes all records.
"""

from __future__ import annotations

import contextlib
import os
import sys

from tenterhook.cli.server.client import NATIVE

PREFIX = "native."
# The first part of a record, which also stands in the native client: it changes with the protocol.
FORMAT = "tenterhook native 1"
# The largest record that the native client reads, and the most records that are kept.
LARGEST, MOST = 1 << 15, 64
NAME_LENGTH = 16


def write_start_record(folder: int, name: str, server: str) -> None:
    """Write the record that the native client looked for. It is only a matter of speed: a failure changes nothing."""
    if len(name) != NAME_LENGTH or not name.isalnum() or not name.isascii() or not keeps_environment():
        return
    from tenterhook.cli.main import SERVED

    locale = os.environb.get(b"LC_CTYPE")
    parts = [
        FORMAT.encode(),
        server.encode(),
        f" {' '.join(SERVED)} ".encode(),
        *(str(getattr(stream, "encoding", "")).encode() for stream in (sys.stdout, sys.stderr)),
        b"" if locale is None else b"LC_CTYPE=" + locale,
        *(part for path in decisive_paths() for part in path_state(path)),
    ]
    data = b"\0".join(parts) + b"\0"
    if len(data) <= LARGEST:
        with contextlib.suppress(OSError):
            make_room(folder)
            replace_file(folder, PREFIX + name, data)


def keeps_environment() -> bool:
    """Whether Python changed at most LC_CTYPE of the environment that it was started with.

    In the C locale it sets that variable, and the record tells the native client to do the same.
    """
    with open("/proc/self/environ", "rb") as file:
        started = {entry for entry in file.read().split(b"\0") if b"=" in entry}
    own = (b"LC_CTYPE=", NATIVE.encode() + b"=")
    now = {name + b"=" + value for name, value in os.environb.items()}
    return not any(not entry.startswith(own) for entry in started ^ now)


def decisive_paths() -> list[str]:
    """What decides which code runs: our version, the interpreter, the script, and where modules and .pth files are."""
    import tenterhook.version

    paths = [tenterhook.version.__file__, sys.executable, os.path.abspath(sys.argv[0])]
    paths.append(os.path.join(sys.prefix, "pyvenv.cfg"))
    for place in sys.path:
        paths.append(place)
        with contextlib.suppress(OSError):
            paths += [os.path.join(place, one) for one in sorted(os.listdir(place)) if one.endswith(".pth")]
    return [path for path in dict.fromkeys(paths) if os.path.isabs(path) and os.path.exists(path)]


def path_state(path: str) -> tuple[bytes, bytes]:
    about = os.stat(path)
    return os.fsencode(path), f"{about.st_mtime_ns} {about.st_ino}".encode()


def make_room(folder: int) -> None:
    records = [name for name in os.listdir(folder) if name.startswith(PREFIX)]
    for name in records if len(records) >= MOST else ():
        os.unlink(name, dir_fd=folder)


def replace_file(folder: int, name: str, data: bytes) -> None:
    """Write a file in one step, so that no client sees a part of it."""
    new = f"{name}.{os.getpid()}"
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        os.fchmod(file, 0o600)
        os.write(file, data)
    finally:
        os.close(file)
    os.rename(new, name, src_dir_fd=folder, dst_dir_fd=folder)

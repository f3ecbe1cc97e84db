"""The client: `tenter fire` and `tenter hook` first ask the server, if one is running. Without a server this costs one
stat.

It imports as little as possible. If anything fails before the server has the whole request, the command runs here. If
the connection breaks later, the event may have run, so it is not run again.
"""

from __future__ import annotations

import os
import sys
from _imp import source_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

SWITCH = "TENTERHOOK_SERVE"
OFF = ("off", "0", "no", "false")
# The native client executes us where it cannot do the work, with one of these in that variable, or with the name of the
# record that it looked for: do not ask the server; the server accepted the call and died.
NATIVE = "TENTERHOOK_NATIVE"
ALONE, DIED = "alone", "died"
# The server's greeting, and the kinds of frames that follow: run it yourself; ask again; text for stderr; the end.
HELLO, NOT_HERE, AGAIN, STDERR, END = b"+", b"N", b"A", b"E", b"X"
KEY, DIGEST, LENGTH = 32, 8, 8
HEAD = KEY + DIGEST + 3 * LENGTH
FRAME = 1 + LENGTH
# Seconds to wait for the greeting, which comes at once unless all threads are busy; and for hooks to end.
PATIENCE, ENDING = 2.0, 10.0
TRIES, ONCE_MORE = 5, -1
# Larger input is not sent through a socket.
LARGEST = 64 << 20
CHUNK = 1 << 18
# Options of `tenter fire` that take no value.
FLAGS = ("--trust", "--require-trusted", "--unattended", "--json")
# Commands that refuse if their result is unknown.
GUARDS = ("hook", "run")
NAMESPACES = ("mnt", "net", "user", "pid", "ipc", "uts")
LOST = "the server that accepted this event died; the result is unknown, so the event is not fired again"


class ConnectionLost(Exception):
    """The connection broke after the server had received the request."""


def run_on_server(words: list[str], native: str = "") -> int | None:
    """Run a command on the server. Returns its exit code; None if the command has to run here.

    `native`: what the native client said, if it executed us.
    """
    if native == DIED:
        return report_lost(words)
    if native == ALONE or os.environ.get(SWITCH, "").lower() in OFF:
        return None
    folder = -1
    try:
        name = code()
        folder = open_server_folder(name)
        if folder < 0 or reads(words) is None:
            return None
        if native:
            from tenterhook.cli.server.start_record import write_start_record

            write_start_record(folder, native, name)
        return ServerCall(folder, name, words).run()
    except OSError:
        return None
    except KeyboardInterrupt:  # such as while stdin was read
        return 130
    finally:
        if folder >= 0:
            os.close(folder)


def reads(words: list[str]) -> bool | None:
    """Whether the command reads stdin; None if only the command itself can tell."""
    if "-h" in words or "--help" in words:
        return None
    for n, word in enumerate(words):
        if word == "--input" or word.startswith("--input="):
            before = words[n - 1]
            return None if before.startswith("--") and "=" not in before and before not in FLAGS else False
    return True


def open_server_folder(name: str) -> int:
    """The descriptor of the server's folder; -1 if there is none that only we can access. Symlinks are not followed."""
    from tenterhook.support.paths import own_server_folders

    for path in own_server_folders():
        try:
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        if not fault(os.fstat(folder)) and os.path.exists(f"/proc/self/fd/{folder}/{name}"):
            return folder
        os.close(folder)
    return -1


def fault(about: os.stat_result) -> str:
    """Why the server's folder or file cannot be trusted; empty if it can."""
    if about.st_uid != os.geteuid():
        return f"belongs to another user ({about.st_uid})"
    return "other users can access it: chmod go-rwx" if about.st_mode & 0o077 else ""


def code() -> str:
    """Identifies the code that both sides run: another version, interpreter or module path needs another server."""
    file = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "version.py")
    about = os.stat(file)
    # Python switches UTF-8 mode on where there is no locale, and tells its children of a locale: they have it off, and
    # their encodings are the same.
    flags = str(sys.flags).replace(f"utf8_mode={sys.flags.utf8_mode}", "")
    python = (sys.executable, sys.hexversion, flags, sys.warnoptions, sys.path, sys.getfilesystemencoding())
    return digest(
        repr((file, about.st_mtime_ns, about.st_ino, os.geteuid(), *python)).encode(errors="surrogatepass")
    ).hex()


def digest(data: bytes) -> bytes:
    """Names a socket. It proves nothing: the server compares the whole context."""
    return source_hash(0, data)


def context(command: str) -> bytes:
    """The process context that the command is called in: its folder, environment, limits and the like."""
    umask = os.umask(0o077)
    os.umask(umask)
    with open("/proc/self/limits", "rb", buffering=0) as file:
        limits = file.read(1 << 14)
    with open("/proc/self/status", "rb", buffering=0) as file:
        ignored = file.read(1 << 14).partition(b"\nSigIgn:\t")[2][:16]
    processors = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    parts = [
        command.encode(),
        os.getcwdb(),
        *(f"{about.st_dev} {about.st_ino}".encode() for about in (os.stat("."), os.stat("/"))),
        ignored,
        f"{umask} {os.getpriority(os.PRIO_PROCESS, 0)} {processors}".encode(),
        *(os.readlink(f"/proc/self/ns/{name}".encode()) for name in NAMESPACES),
        *(getattr(stream, "encoding", "").encode() for stream in (sys.stdout, sys.stderr)),
        limits,
        *sorted([name + b"=" + value for name, value in os.environb.items()]),
    ]
    return b"\0".join(parts)


def pack_call(words: list[str], readable: bool) -> bytes:
    """The arguments, after whether stdout is a terminal."""
    return b"\0".join([b"1" if readable else b"0", *map(os.fsencode, words)])


def key(folder: int) -> bytes:
    file = os.open("key", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        return os.read(file, KEY) if not fault(os.fstat(file)) else b""
    finally:
        os.close(file)


def head(key: bytes, name: bytes, context: bytes, call: bytes, stdin: bytes) -> bytes:
    return key + name + b"".join(len(part).to_bytes(LENGTH, "little") for part in (context, call, stdin))


class ServerCall:
    """One command that the server is asked to run."""

    def __init__(self, folder: int, server: str, words: list[str]) -> None:
        self.folder, self.words = folder, words
        self.server = f"/proc/self/fd/{folder}/{server}"
        self.forked = words[0] == "hook"
        self.stdin: bytes | None = None

    def run(self) -> int | None:
        """The exit code; None if the command has to run here, with stdin as it was."""
        try:
            found = self.ask_server()
        except (OSError, ValueError):  # the folder is gone, or the limits cannot be read
            found = None
        if found is None:
            self.give_stdin_back()
        return found

    def give_stdin_back(self) -> None:
        """Make stdin what it was, for the command."""
        if self.stdin is not None:
            from io import BytesIO, TextIOWrapper

            sys.stdin = TextIOWrapper(BytesIO(self.stdin))

    def ask_server(self) -> int | None:
        """Ask a worker, if one serves our context; else the server, which forks one."""
        process_context = self.process_context()
        name = digest(process_context)
        for _ in range(TRIES):
            wire = connect_to_server(f"{self.server}.{name.hex()}") or connect_to_server(self.server)
            if wire is None:
                break
            try:
                done = self.read_answer(wire) if self.send_request(wire, name, process_context) else None
            finally:
                wire.close()
            if done is None:
                break
            if done != ONCE_MORE:
                return done
        return None

    def process_context(self) -> bytes:
        return context(self.words[0])

    def send_request(self, wire: socket, name: bytes, process_context: bytes) -> bool:
        """Send the request. Returns whether the server has all of it. A `tenter hook` also passes its streams."""
        secret = key(self.folder)
        if len(secret) != KEY or not self.may_send():
            return False
        stdin = self.stdin or b""
        call = pack_call(self.words[1:], os.isatty(1))
        left = memoryview(head(secret, name, process_context, call, stdin) + process_context + call + stdin)
        try:
            if self.forked:
                from _socket import SCM_RIGHTS, SOL_SOCKET

                files = b"".join(file.to_bytes(4, sys.byteorder) for file in (0, 1, 2))
                left = left[wire.sendmsg([left], [(SOL_SOCKET, SCM_RIGHTS, files)]) :]
            # Make no further call: a worker that has the whole request may have answered and hung up by now.
            while left:
                left = left[wire.send(left) :]
        except OSError:  # it hung up before it had the whole request
            return False
        return True

    def may_send(self) -> bool:
        """Read stdin, unless the stream itself is passed on. A terminal is not waited for."""
        if not self.forked and self.stdin is None and reads(self.words) and not os.isatty(0):
            parts = []
            while part := os.read(0, CHUNK):
                parts.append(part)
            self.stdin = b"".join(parts)
        return len(self.stdin or b"") <= LARGEST

    def read_answer(self, wire: socket) -> int | None:
        """The exit code, once all output is written; ONCE_MORE; or None: the command has to run here."""
        try:
            before = {} if self.forked else hear_signals()
            try:
                return self.read_frame(wire)
            except (KeyboardInterrupt, SystemExit):
                hang_up(wire)
                raise
            finally:
                forget_signals(before)
        except KeyboardInterrupt:
            return 130
        except ConnectionLost:
            self.give_stdin_back()
            return report_lost(self.words)

    def read_frame(self, wire: socket) -> int | None:
        while True:
            frame = receive_exactly(wire, FRAME)
            kind, text = frame[:1], receive_exactly(wire, int.from_bytes(frame[1:], "little"))
            if kind == STDERR:
                write_all_bytes(2, text)
            elif kind == END:
                if not text:
                    raise ConnectionLost
                return text[0] if not (why := write_all_bytes(1, text[1:])) else text[0] or report_print_failure(why)
            elif kind in (AGAIN, NOT_HERE):
                return ONCE_MORE if kind == AGAIN else None


def report_lost(words: list[str]) -> int:
    """Report a lost connection. The hooks may have run; if they were to check something, refuse it."""
    if words[0] in GUARDS:
        from tenterhook.cli.main import run

        return run(words[0], words[1:], lost=LOST)
    from tenterhook.cli.main import complain

    return complain(LOST)


def connect_to_server(path: str) -> socket | None:
    """Connect, and wait for a greeting from our own user's process; None if no server is listening. OSError if all are
    busy.
    """
    from _socket import AF_UNIX, SO_PEERCRED, SOCK_CLOEXEC, SOCK_STREAM, SOL_SOCKET, socket

    wire = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC)
    try:
        wire.settimeout(PATIENCE)
        wire.connect(path)
        uid = int.from_bytes(wire.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)[4:8], sys.byteorder)
        if uid == os.geteuid() and wire.recv(1) == HELLO:
            wire.settimeout(None)
            return wire
    except (TimeoutError, BlockingIOError):
        wire.close()
        raise
    except OSError:
        pass
    wire.close()
    return None


def receive_exactly(wire: socket, count: int) -> bytes:
    parts = []
    while count:
        try:
            part = wire.recv(min(count, CHUNK))
        except OSError:
            part = b""
        if not part:
            raise ConnectionLost
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def write_all_bytes(file: int, text: bytes) -> OSError | None:
    while text:
        try:
            text = text[os.write(file, text) :]
        except OSError as exc:
            return exc
    return None


def report_print_failure(exc: OSError) -> int:
    if not isinstance(exc, BrokenPipeError):
        write_all_bytes(2, f"tenter: the outcome could not be printed: {exc}\n".encode(errors="backslashreplace"))
    return 1


def hear_signals() -> dict[int, object]:
    """On SIGTERM, which a host sends when it gives up on us, make the server end the running hooks before we exit."""
    import _signal  # type: ignore[import-not-found]

    def leave(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    numbers = [number for number in (_signal.SIGTERM, _signal.SIGHUP) if _signal.getsignal(number) == _signal.SIG_DFL]
    return {number: _signal.signal(number, leave) for number in numbers}


def forget_signals(before: dict[int, object]) -> None:
    import _signal

    for number, handler in before.items():
        _signal.signal(number, handler)


def hang_up(wire: socket) -> None:
    """Close our sending side. The server then ends the hooks and closes the connection."""
    try:
        wire.shutdown(1)
        wire.settimeout(ENDING)
        while wire.recv(CHUNK):
            pass
    except OSError:
        return

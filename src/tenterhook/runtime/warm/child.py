"""Turn a fork of a warm interpreter into a running script, with everything that a new process would have of its own.

If a new interpreter would behave differently, or that is uncertain, this process execs one; everything is set up for
it.
"""

from __future__ import annotations

import _frozen_importlib_external
import _signal as signal  # type: ignore[import-not-found]
import builtins
import ctypes
import errno
import gc
import marshal
import os
import struct
import sys
import time
from _socket import CMSG_SPACE, MSG_CMSG_CLOEXEC

from tenterhook.runtime.process_tree import TAG
from tenterhook.runtime.supervisor.spawn import places
from tenterhook.runtime.supervisor.system import PR_SET_DUMPABLE, max_files
from tenterhook.runtime.supervisor.wire import FILES, PACKET
from tenterhook.runtime.warm.loading import first_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType
    from typing import Any, NoReturn

    from tenterhook.runtime.supervisor.wire import Wire
    from tenterhook.runtime.warm.server import PreparedScript

    # The command as given; as its interpreter gets it; how many of these words are options; the environment.
    Given = tuple[list[bytes], list[bytes], int, dict[bytes, bytes]]

# Signals that Python ignores for itself and a new process does not.
IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
# Written at the beginning of the memory file, for the host, if the script ran in a fork.
RAN = b"w"
# Tells a fork that nothing has changed, so that it may run the script itself.
FIT = b"y"
# Our module that runs a file before its event. It is the one that is installed for this interpreter, if any.
AHEAD = "tenterhook.author.ahead"


class StartState:
    """What a warm interpreter knows of its own start, and its forks need."""

    def __init__(self, names: tuple[str, ...]) -> None:
        # What `__main__` holds before a script's first line, in this version of Python.
        self.names = names
        with open("/proc/self/environ", "rb") as file:
            block = file.read()
        # As it was given: Python changes it if it cannot use the locale.
        self.env = {name: value for name, _, value in (one.partition(b"=") for one in block.split(b"\0")) if name}
        self.tag_at, self.room = tag_place(block)
        self.library = ctypes.CDLL(None)


def tag_place(block: bytes) -> tuple[int, int]:
    """Where the value of our tag is in the memory that /proc shows as the environment, and its length."""
    with open("/proc/self/stat", "rb") as file:
        text = file.read()
    begin = int(text[text.rfind(b")") + 2 :].split()[47])
    at = (b"\0" + block).find(b"\0" + TAG.encode() + b"=")
    if at < 0 or not begin:
        return 0, 0
    first = at + len(TAG) + 1
    return begin + first, block.index(b"\0", first) - first


def become_script(
    connection: Wire, start: StartState, scripts: Mapping[str, PreparedScript], file: PreparedScript | None
) -> list[Any]:
    """Wait for a script. Returns its code, and the names that it runs with."""
    be_apart(connection.fileno())
    rehearse(start)
    if file is not None:
        run_ahead(file)
    fit, path, cwd, files = receive_run_request(connection)
    os.chdir(cwd)
    argv, words, options, env = load_run_arguments(files[3])
    settle(files, env, start)
    start.library.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    code = (scripts[path].code or compile_script_file(words[1 + options])) if fit else None
    if code is None or start.room < len(env[TAG.encode()]):
        become_interpreter(argv, env)
    os.pwrite(files[3], RAN, 0)
    for fd in (connection.detach(), *files):
        os.close(fd)
    own_names(words, options)
    return [code, fresh_main(os.fsdecode(words[1 + options]), start.names)]


def be_apart(connection: int) -> None:
    """Do what is the same for all scripts, before one is waiting."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.closerange(3, connection)
    os.closerange(connection + 1, max_files())
    refresh_modules()


def rehearse(start: StartState) -> None:
    """Do a dry run of what each script needs: memory pages are copied now and not then (0.3 ms)."""
    tag = os.environb[TAG.encode()]
    settle((0, 1, 2), {**start.env, TAG.encode(): tag[:-1]}, start)
    start.library.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    marshal.loads(marshal.dumps(start.env))
    before = sys.argv[:], getattr(sys, "orig_argv", [])[:], sys.path[:], sys.modules["__main__"]
    own_names([b"", os.fsencode(before[0][0])], 0)
    exec(compile("import sys", "", "exec"), fresh_main("/", start.names))
    sys.argv[:], orig_argv, sys.path[:], sys.modules["__main__"] = before
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = orig_argv
    json = sys.modules.get("json")
    if json is not None and sys.stdout is not None:
        json.loads(json.dumps({"a": [1, "b"]}))
        sys.stdout.flush()
    gc.collect()
    gc.get_objects()


def run_ahead(file: PreparedScript) -> None:
    """Run a file of hooks, whose text says that this depends on nothing but the file itself."""
    ahead: Any = sys.modules.get(AHEAD)
    if ahead is not None and file.code is not None:
        ahead.run_file(file.script, file.code, file.imports)


def receive_run_request(connection: Wire) -> tuple[bool, str, bytes, list[int]]:
    """Whether it may run the script itself, the script's path, its working directory, and its files."""
    data, rights, _, _ = connection.recvmsg(PACKET, CMSG_SPACE(FILES * 4), MSG_CMSG_CLOEXEC)
    if not rights:
        os._exit(0)
    path, _, cwd = data[len(FIT) :].partition(b"\0")
    files = [fd for *_, content in rights for (fd,) in struct.iter_unpack("i", content)]
    return data[: len(FIT)] == FIT, os.fsdecode(path), cwd, files


def load_run_arguments(memory: int) -> Given:
    data = b"-"
    while len(data) < os.fstat(memory).st_size:  # a read returns at most 2 GB
        data += os.pread(memory, os.fstat(memory).st_size, len(data))
    found: Given = marshal.loads(memoryview(data)[len(RAN) :])
    return found


def settle(files: Sequence[int], env: dict[bytes, bytes], start: StartState) -> None:
    """Set up its own streams, environment and start time."""
    for number in range(3):
        os.dup2(files[number], number)
    for name in [name for name in start.env if name not in env]:
        del os.environb[name]
    for name, value in env.items():
        if start.env.get(name) != value:
            os.environb[name] = value
    tag = env[TAG.encode()]
    if len(tag) <= start.room:
        ctypes.memmove(start.tag_at, tag.ljust(start.room, b"\0"), start.room)
    time.tzset()
    logging: Any = sys.modules.get("logging")
    if logging is not None:
        logging._startTime = time.time_ns() if isinstance(logging._startTime, int) else time.time()


def compile_script_file(word: bytes) -> CodeType | None:
    """Its code; None if a new interpreter would print a warning or an error about it."""
    path = os.fsdecode(word)
    try:
        with open(path, "rb") as file:
            text = file.read()
        return compile(text, absolute(path), "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def become_interpreter(argv: list[bytes], env: dict[bytes, bytes]) -> NoReturn:
    """Exec a new interpreter in the same process."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_DFL)
    refused: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for place in places(argv[0], env):
        try:
            os.execve(place, argv, env)
        except OSError as exc:
            refused = exc
    os.write(2, os.fsencode(f"{os.fsdecode(argv[0])}: {refused.strerror}\n"))
    os._exit(126 if isinstance(refused, PermissionError) else 127)


def own_names(words: list[bytes], options: int) -> None:
    sys.argv[:] = [os.fsdecode(word) for word in words[1 + options :]]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [os.fsdecode(word) for word in words]
    sys.path[:0] = first_folder(sys.argv[0])


def fresh_main(path: str, names: tuple[str, ...]) -> dict[str, Any]:
    """A new `__main__`, with the names that this version of Python puts there."""
    module = type(sys)("__main__")
    file = absolute(path)
    known: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins, "__file__": file, "__annotations__": {}}
    known["__loader__"] = _frozen_importlib_external.SourceFileLoader("__main__", file)
    space = module.__dict__
    space.clear()
    space.update((name, known.get(name)) for name in names)
    sys.modules["__main__"] = module
    return space


def refresh_modules() -> None:
    """Refresh what modules hold of the process that they were loaded in, and do not update themselves after a fork."""
    threading = sys.modules.get("threading")
    if threading is not None and hasattr(threading.main_thread(), "_set_native_id"):
        threading.main_thread()._set_native_id()
    random = sys.modules.get("numpy.random")
    if random is not None:
        random.seed()
    process = sys.modules.get("multiprocessing.process")
    if process is not None:  # the authentication key of multiprocessing
        process.current_process().authkey = os.urandom(32)


def absolute(path: str) -> str:
    """Make a path absolute like the interpreter does: its parts stay as given."""
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)

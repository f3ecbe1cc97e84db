"""What to run, its result, and why it could not be started.

A failed start is a value, not an exception: a missing program is as ordinary as exit code 1. Each cause becomes one
line that says what is wrong and what to do.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from tenterhook.runtime.sandbox.profile import Profile

if TYPE_CHECKING:
    from tenterhook.trust.seal import Seal


class Modified(Exception):
    """The hook is not what was approved."""


class Program(msgspec.Struct, frozen=True):
    """What to run. No shell is involved: to use one, pass ("/bin/sh", "-c", text)."""

    argv: tuple[str, ...]
    stdin: bytes
    env: Mapping[str, str]
    cwd: str
    timeout: float | None
    grace: float = 5.0
    cap: int = 1 << 20
    # "keep" or "end" processes that the hook leaves running; "tidy" is "end" with a note. The stdout of kept ones is
    # closed: writing gives them SIGPIPE.
    leftovers: str = "keep"
    # How many of the last bytes of a stream are kept beyond its first `cap`.
    tail: int = 0
    # The sandbox; None leaves it unconfined. If it is not available: refused if required, else a note.
    profile: Profile | None = None
    require: bool = False
    # What to run if argv cannot be started: a shell, whose error message counts.
    instead: tuple[str, ...] = ()
    # The approval seal: checked right before it runs, and when it has ended.
    seal: Seal | None = None
    # Whether a Python script may run in a fork of a warm interpreter.
    warm: bool = False
    # A file of hooks that the script will run, by its whole path: a waiting copy may have done so.
    ahead: str = ""
    # The variables of `env` that differ from event to event.
    varying: frozenset[str] = frozenset()
    # How many bytes of a stream that begins like JSON are kept, where that is more than `cap`.
    whole: int = 0


def by_shell(program: Program) -> Program:
    """The same program, run by its fallback shell."""
    return msgspec.structs.replace(program, argv=program.instead or program.argv, instead=())


class Completed(msgspec.Struct, frozen=True):
    """The result. `error` is None, spawn, timeout, signal, cancelled, sandbox, or status (the exit status is unknown).

    `sandbox` is the mechanism that confined it, "none" if none was available, empty if none was wanted.
    """

    exit_code: int | None = None
    signal: str | None = None
    error: str | None = None
    detail: str = ""
    seconds: float = 0.0
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    sandbox: str = ""
    notes: tuple[str, ...] = ()
    warm: bool = False


SYSTEM = {
    errno.E2BIG: "the arguments and environment are too long for the system: pass the data on stdin instead",
    errno.EMFILE: "this process has too many open files: raise `ulimit -n` or run fewer hooks at once",
    errno.ENFILE: "the system has too many open files: close some programs",
    errno.ENOMEM: "out of memory: no process could be started",
    errno.EAGAIN: "too many processes: raise `ulimit -u` (or the container's pids limit) or run fewer hooks at once",
}


def explain(program: Program, exc: BaseException) -> str:
    """One line for people: why the program did not start, and what to do."""
    if not program.argv or not program.argv[0]:
        return "the command is empty: name a program to run"
    code = exc.errno if isinstance(exc, OSError) else None
    if code in SYSTEM:
        return f"{short(program.argv[0])}: {SYSTEM[code]}"
    if isinstance(exc, MemoryError):
        return f"{short(program.argv[0])}: {SYSTEM[errno.ENOMEM]}"
    if code is None:
        return bad_text(program, exc)
    if program.cwd and not os.access(program.cwd, os.X_OK):
        return f"the working directory {short(program.cwd)} does not exist or cannot be entered: create it"
    return bad_file(program, code)


def bad_text(program: Program, exc: BaseException) -> str:
    named = [(f"argument {at}", text) for at, text in enumerate(program.argv)]
    named += [(f"environment variable {short(str(key))}", f"{key}{value}") for key, value in program.env.items()]
    named.append(("the working directory", program.cwd))
    for name, text in named:
        if "\0" in text:
            return f"{name} holds a NUL byte, which no program can be given: remove it"
    return f"{short(program.argv[0])}: cannot be started ({exc}): check the command and its environment"


def bad_file(program: Program, code: int) -> str:
    name, path = short(program.argv[0]), find_program_file(program)
    if path is None:
        where = "no such file" if "/" in program.argv[0] else "not found in PATH"
        return f"{name}: {where}: install it or correct the command"
    if os.path.isdir(path):
        return f"{path}: is a directory, not a program: name a file in it"
    if code == errno.ENOENT:
        return bad_interpreter(path)
    if code == errno.ENOEXEC:
        return f"{path}: has no #! line and is not a binary for this system: begin it with a line such as #!/bin/sh"
    if code == errno.EACCES and not os.stat(path).st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
        return f"{path}: is not executable: run `chmod +x {path}`"
    return f"{path}: {os.strerror(code)}: check the file, its #! line and its file system (noexec?)"


def bad_interpreter(path: str) -> str:
    """The file exists and the kernel says ENOENT: the interpreter in its first line is missing."""
    try:
        with open(path, "rb") as file:
            first = file.read(256).split(b"\n")[0]
    except OSError:
        first = b""
    if not first.startswith(b"#!"):
        return f"{path}: the loader or library it needs is absent: it was built for another system"
    if first.endswith(b"\r"):
        return f"{path}: its #! line ends in CRLF: save it with LF line ends (`sed -i 's/\\r$//' {path}`)"
    interpreter = (first[2:].split() or [b""])[0].decode("utf-8", "backslashreplace")
    return f"{path}: the interpreter {interpreter} in its #! line does not exist: install it or correct the line"


def find_program_file(program: Program) -> str | None:
    """The file that the command names, executable or not."""
    name = program.argv[0] if program.argv else ""
    if "/" in name:
        places = [os.path.join(program.cwd, name)]
    else:
        places = [os.path.join(program.cwd, folder, name) for folder in os.get_exec_path(program.env)]
    return next((place for place in places if name and os.path.exists(place)), None)


def look_for(program: Program) -> None:
    """Find plain errors in advance where another program is started first and would hide them."""
    if program.cwd:
        os.stat(os.path.join(program.cwd, "."))
    path = find_program_file(program)
    if path is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program.argv[0])
    if os.path.isdir(path) or not os.access(path, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def short(text: str) -> str:
    """One short line: a command can be a megabyte long and hold line ends."""
    text = text.encode("utf-8", "backslashreplace").decode()
    line = "".join(c if c.isprintable() else "?" for c in text[:120])
    return line + ("..." if len(text) > 120 else "")

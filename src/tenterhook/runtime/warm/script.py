"""Which commands are Python scripts, and by which interpreter: what the kernel would do, without running it.

Anything unusual is left to a new interpreter.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from tenterhook.support.command_line import PLAIN_FLAGS
from tenterhook.support.fingerprint import is_file, is_stamp_reliable, stamp

if TYPE_CHECKING:
    from tenterhook.support.fingerprint import Stamp

PYTHON = re.compile(r"python(\d+(\.\d+)?)?")
# How much the kernel reads of a #! line.
LINE = 255
# With these options a new interpreter does or prints more than the script.
TALKATIVE = ("PYTHONINSPECT", "PYTHONVERBOSE", "PYTHONDEBUG", "PYTHONPROFILEIMPORTTIME", "PYTHONTRACEMALLOC")
# Paths that are relative to the working directory if they are not absolute.
PLACES = ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX")
KNOWN = 512

NO_SCRIPT = "it is not a Python script"
OPTIONS = "its interpreter has options beside " + " ".join(PLAIN_FLAGS)
RELATIVE = "its interpreter is named by a path that counts from the working directory"
WRAPPED = "{} is a script itself, which decides what to run"
ABSENT = "{} is not a file"
VARIABLES = "{} is set"

# The beginnings of files, by path; a long-lived host sees few.
beginnings: dict[str, tuple[Stamp, bytes]] = {}


class PythonScript(Struct, frozen=True):
    """A script as its interpreter gets it: `words` are the interpreter's own, `path` is absolute."""

    interpreter: str
    flags: tuple[str, ...]
    path: str
    words: tuple[str, ...]


def recognise_script(argv: tuple[str, ...], env: Mapping[str, str], cwd: str) -> PythonScript | str:
    """The script that a command runs; or why it cannot run in a warm interpreter."""
    place = resolve_executable(argv[0], env, cwd) if argv else ""
    if not place:
        return NO_SCRIPT
    words = argv
    if not is_python(place):
        words = by_first_line(place, argv)
        if not words:
            return NO_SCRIPT
        place = resolve_executable(words[0], env, cwd)
    if not place or not is_python(place):
        return NO_SCRIPT
    flags = tuple(itertools.takewhile(PLAIN_FLAGS.__contains__, words[1:]))
    path = next(iter(words[1 + len(flags) :]), "-")
    if path.startswith("-") or not path:
        return OPTIONS if path not in ("-", "-c", "-m") else NO_SCRIPT
    script = PythonScript(place, flags, os.path.join(cwd, path), words)
    return unusual(script, env) or script


def unusual(script: PythonScript, env: Mapping[str, str]) -> str:
    """Why this one needs a new interpreter."""
    if not os.path.isabs(script.interpreter) or "/./" in script.interpreter or "//" in script.interpreter:
        return RELATIVE
    if beginning(script.interpreter)[:4] != b"\x7fELF":
        return WRAPPED.format(script.interpreter)
    if script.path.endswith(".pyc") or not is_file(script.path):
        return ABSENT.format(script.path)
    for name in TALKATIVE:
        if env.get(name):
            return VARIABLES.format(name)
    for name in PLACES:
        if any(not os.path.isabs(part) for part in env.get(name, "").split(os.pathsep) if env.get(name)):
            return f"{VARIABLES.format(name)} to a path that counts from the working directory"
    return ""


def is_python(path: str) -> bool:
    return PYTHON.fullmatch(os.path.basename(path)) is not None


def resolve_executable(name: str, env: Mapping[str, str], cwd: str) -> str:
    """The program that a name stands for, by the hook's own PATH; empty if there is none."""
    if "/" in name:
        return name if os.path.isabs(name) else f"{cwd}/./{name}"
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        place = os.path.join(folder, name) if os.path.isabs(folder) else f"{cwd}/./{folder}/{name}"
        if name and os.access(place, os.X_OK) and is_file(place):
            return place
    return ""


def by_first_line(path: str, argv: tuple[str, ...]) -> tuple[str, ...]:
    """The words that the kernel makes of a file with a #! line, `env` resolved; none if it has no such line."""
    line = beginning(path).partition(b"\n")[0]
    if not line.startswith(b"#!") or b"\0" in line or len(line) >= LINE:
        return ()
    interpreter, _, rest = os.fsdecode(line[2:].strip(b" \t")).partition(" ")
    option = rest.strip(" \t")
    given = argv[0] if "/" in argv[0] else path
    if os.path.basename(interpreter) != "env":
        return (interpreter, *([option] if option else []), given, *argv[1:])
    words = option[2:].split() if option.startswith("-S") else [option]
    if not words or any(set(word) & set("=$\\'\"# \t") for word in words) or words[0].startswith("-"):
        return ()
    return (*words, given, *argv[1:])


def beginning(path: str) -> bytes:
    """The first bytes of a file, read again when it has changed."""
    now = stamp(path)
    if path in beginnings and beginnings[path][0] == now:
        return beginnings[path][1]
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return b""
    try:
        data = os.read(fd, LINE + 1)
    except OSError:
        return b""
    finally:
        os.close(fd)
    if is_stamp_reliable(now):
        if len(beginnings) >= KNOWN:
            beginnings.clear()
        beginnings[path] = now, data
    return data

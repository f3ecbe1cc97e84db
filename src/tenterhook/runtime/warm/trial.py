"""Whether a script's imports may be kept loaded: tried in a throwaway process.

A module that starts a thread, opens a connection or changes what others rely on would do so for every later script, and
once instead of each time. Then the script gets a new interpreter each time.
"""

from __future__ import annotations
import __future__

import ast
import fcntl
import marshal
import os
import sys
import warnings

from tenterhook.runtime.warm.ahead import may_run_ahead
from tenterhook.runtime.warm.footprint import LARGEST, ImportWatch, memory
from tenterhook.runtime.warm.imports import ImportReader, Roots, UnfitForWarm
from tenterhook.runtime.warm.loading import first_folder, load
from tenterhook.support.fingerprint import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.support.fingerprint import Stamp

FIONREAD = 0x541B
# A file of hooks is compiled by a module of ours that begins with this, and takes it over.
FILE_FLAGS = __future__.annotations.compiler_flag


def trial(script: str, base: int, seen: list[str], approved: Stamp | None = None) -> dict[str, Any]:
    """What to load for a script, and its code; or `why` not.

    `base` is the memory that a bare interpreter takes, `seen` what the script loaded when it ran. A file of hooks has
    `approved`, its fingerprint then: its `imports` are given if it may run before there is an event.
    """
    try:
        roots = Roots()
        before = [*first_folder(script), *roots.before]
        reading = ImportReader(script, before)
        for name in seen:
            reading.want(name, ())
        wanted = [one for one in reading.wanted if roots.find(one[0].partition(".")[0])]
        if why := find_import_side_effects(roots, wanted):
            raise UnfitForWarm(f"what it imports would {why}")
        if memory() - base > LARGEST:
            raise UnfitForWarm(f"what it imports takes more than {LARGEST >> 20} MiB")
    except UnfitForWarm as exc:
        return {"why": str(exc)}
    except SyntaxError as exc:
        return {"why": f"{exc.filename} line {exc.lineno}: {exc.msg}"}
    except OSError as exc:
        return {"why": f"{exc.filename}: {exc.strerror}"}
    except ValueError as exc:  # a byte that no source can hold
        return {"why": f"{script}: {exc}"}
    text = reading.text
    made = reading.own, before, text, compile_to_bytes(script, text, FILE_FLAGS if approved else 0)
    found = {"wanted": wanted, "path": roots.path, "script": made, "prepares": reading.prepares}
    if approved:
        as_approved = reading.own == {script: approved} and stamp(script) == approved
        found["imports"] = list(reading.wanted) if as_approved and may_run_ahead(ast.parse(text)) else None
    return found


def find_import_side_effects(roots: Roots, wanted: list[tuple[str, tuple[str, ...]]]) -> str:
    """What the imports do besides importing. Imports that fail are left to the script and removed from the list."""
    streams = [quiet(number) for number in (1, 2)]
    watch = ImportWatch(roots)
    for one in list(wanted):
        try:
            if not load(one, roots.path):
                return "change sys.path"
        except Exception:
            wanted.remove(one)
        except SystemExit:
            return "end the program"
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    if any(waiting(ear) for ear in streams):
        return "print something"
    return watch.find_changes()


def quiet(number: int) -> int:
    """Capture that stream's output from now on."""
    ear, mouth = os.pipe()
    os.dup2(mouth, number)
    os.close(mouth)
    return ear


def waiting(ear: int) -> bool:
    return any(fcntl.ioctl(ear, FIONREAD, bytes(4)))


def compile_to_bytes(script: str, text: bytes, flags: int = 0) -> bytes:
    """Its code, to be stored; empty if compiling it prints a warning, which each run has to print."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return marshal.dumps(compile(text, script, "exec", flags, dont_inherit=True))
    except (Warning, SyntaxError, ValueError, RecursionError):
        return b""

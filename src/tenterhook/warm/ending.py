"""The run of a script and its end, as in an interpreter of its own: threads, atexit, streams, open files, exit code.

Only the last of it is left out, because to take the interpreter apart would touch every page that it shares with the
one it was copied from: 3 ms and more, as much as all the rest.
"""

from __future__ import annotations

import _io
import _signal as signal  # type: ignore[import-not-found]
import atexit
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap
    from types import CodeType
    from typing import Any

INTERRUPTED = 0.5  # no exit code
WRITERS = (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom)


def ran(code: CodeType, main: dict[str, Any]) -> float:
    """Run it; its exit code, or INTERRUPTED."""
    try:
        exec(code, main)
        return 0
    except SystemExit as exc:
        return exit_code(exc)
    except BaseException as exc:
        return uncaught(exc)


def exit_code(exc: SystemExit) -> int:
    value = exc.code
    if value is None or isinstance(value, int):
        return int(value or 0) & 0xFF
    flushed(sys.stdout)
    if sys.stderr is not None:
        sys.stderr.write(f"{value}\n")
    return 1


def uncaught(exc: BaseException) -> float:
    """Told as ever, without the frames that are ours."""
    trace = exc.__traceback__
    exc.__traceback__ = trace.tb_next if trace else None
    flushed(sys.stdout)
    sys.last_type, sys.last_value, sys.last_traceback = type(exc), exc, exc.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = exc
    try:
        sys.excepthook(type(exc), exc, exc.__traceback__)
    except SystemExit as other:
        return exit_code(other)
    except BaseException as other:
        other.__traceback__ = other.__traceback__ and other.__traceback__.tb_next
        other.__context__ = None
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(other), other, other.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(exc), exc, exc.__traceback__)
    return INTERRUPTED if isinstance(exc, KeyboardInterrupt) else 1


def finish(status: float, main: dict[str, Any], known: set[str], said: mmap) -> int:
    """Returns only where the interpreter has something to say about its own end, which it then comes to as ever."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    try:
        atexit._run_exitfuncs()
    except BaseException:  # told already
        status = status or 0
    if not (flushed(sys.stdout) and flushed(sys.stderr)):
        return int(status)
    tell_loaded(known, said)
    let_go(main, known)
    if not (flushed(sys.stdout) and flushed(sys.stderr)):
        return int(status)
    if status == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(int(status))


def tell_loaded(known: set[str], said: mmap) -> None:
    """The modules that were not there, so that they are the next time."""
    names = [name for name in sys.modules if name not in known and name.isascii()]
    text = "\n".join(names).encode()
    if len(text) < len(said):
        said[: len(text)] = text


def let_go(main: dict[str, Any], known: set[str]) -> None:
    """What the script and its own modules hold comes to its end; files that are still open are written out."""
    for name in [name for name in sys.modules if name not in known or name == "__main__"]:
        del sys.modules[name]
    for attribute in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, attribute):
            delattr(sys, attribute)
    for first in (True, False):
        for name in [name for name in main if name != "__builtins__"]:
            if not first or (name.startswith("_") and not name.startswith("__")):
                main[name] = None
    gc.collect()
    for one in gc.get_objects():
        if isinstance(one, WRITERS):
            flushed(one)


def flushed(stream: Any) -> bool:
    if stream is None:
        return True
    try:
        if not getattr(stream, "closed", False):
            stream.flush()
    except BaseException:
        return False
    return True

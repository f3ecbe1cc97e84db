"""Run a script and end it as a new interpreter would: threads, atexit, streams, open files, exit code.

Only the final teardown is left out: taking the interpreter apart would touch every page that it shares with its parent,
which takes 3 ms and more, as much as everything else.
"""

from __future__ import annotations

import _io
import _signal as signal  # type: ignore[import-not-found]
import builtins
import sys
from _weakref import ref
from atexit import _run_exitfuncs
from gc import collect, get_objects, get_referrers
from os import SCHED_IDLE, _exit, closerange, getpid, getppid, kill, sched_param, sched_setscheduler, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap
    from typing import Any

# Copies under our own names: a script may have replaced those that it shares with us.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

INTERRUPTED = 0.5  # no exit code
WRITERS = (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom)
# What an interpreter releases before the modules.
FIRST = ("path", "argv", "last_type", "last_value", "last_traceback", "last_exc", "path_hooks", "meta_path")
# Warnings from this name no file, as at the end of an interpreter.
UNNAMED = ("<sys>", 0) if sys.version_info >= (3, 13) else ("sys", 1)
ALL = compile("for do, what in ends: do(*what)", UNNAMED[0], "exec").replace(co_firstlineno=UNNAMED[1])


MARK = "__end__"
# Files with higher numbers stay open until the exit is complete: before Python 3.10 each number costs a call.
HIGHEST = 256


class Mark:
    """Placed among the names of `__main__`: while this object lives, they do."""


def ran(script: list[Any]) -> float:
    """Run its code with its names; returns its exit code, or INTERRUPTED. Only the list holds them, so that they can be
    freed.
    """
    try:
        exec(*script)
        return 0
    except SystemExit as exc:
        return exit_code(exc)
    except BaseException as exc:
        return uncaught(exc)


def exit_code(exc: SystemExit) -> int:
    value = exc.code
    if value is None or isinstance(value, int):
        number = int(value or 0)
        return (number if number.bit_length() < 64 else -1) & 0xFF
    flush_stream(getattr(sys, "stdout", None))
    for part in (value, "\n"):
        try:
            sys.stderr.write(str(part))
        except BaseException:
            if part == "\n" or getattr(sys, "stderr", None) is None:
                write(2, str(part).encode("utf-8", "backslashreplace"))
    return 1


def uncaught(exc: BaseException) -> float:
    """Print an uncaught exception as usual, without our own frames."""
    trace = exc.__traceback__
    exc.__traceback__ = trace.tb_next if trace else None
    flush_stream(getattr(sys, "stdout", None))
    sys.last_type, sys.last_value, sys.last_traceback = type(exc), exc, exc.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = exc
    if not hasattr(sys, "excepthook"):
        write_stderr("sys.excepthook is missing\n")
        sys.excepthook = sys.__excepthook__
    try:
        sys.excepthook(type(exc), exc, exc.__traceback__)
    except SystemExit as other:
        return exit_code(other)
    except BaseException as other:
        other.__traceback__ = other.__traceback__ and other.__traceback__.tb_next
        other.__context__ = None
        write_stderr("Error in sys.excepthook:\n")
        sys.__excepthook__(type(other), other, other.__traceback__)
        write_stderr("\nOriginal exception was:\n")
        sys.__excepthook__(type(exc), exc, exc.__traceback__)
    return INTERRUPTED if isinstance(exc, KeyboardInterrupt) else 1


def write_stderr(text: str) -> None:
    if getattr(sys, "stderr", None) is not None:
        sys.stderr.write(text)


def report_ignored(threading: Any, exc: BaseException) -> None:
    """Print an exception from waiting for threads, as an interpreter does: without marks below its lines."""
    from traceback import extract_tb

    whose = "on threading shutdown:" if sys.version_info >= (3, 13) else f"in: {threading!r}"
    frames = (
        f'  File "{one.filename}", line {one.lineno}, in {one.name}\n    {one.line}\n'
        for one in extract_tb(exc.__traceback__)[1:]
    )
    lines = "".join(("Traceback (most recent call last):\n", *frames))
    write_stderr(f"Exception ignored {whose}\n{lines}{type(exc).__name__}: {exc}\n")


def finish(status: float, script: list[Any], known: set[str], shared: mmap, own: int) -> int:
    """End the script. Returns only if the interpreter has something to report about its own end.

    Also called in a process that the script has forked, which is not the one (`own`) whose end is the script's.
    """
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as exc:
            report_ignored(threading, exc)
    try:
        _run_exitfuncs()
    except BaseException:  # printed already
        status = status or 0
    if not all_flushed():
        return left_to_interpreter(status)
    ours = getpid() == own
    for last in (report_loaded, let_go) if ours else (let_go,):
        try:
            last(script, known, shared)
        except BaseException:  # from an audit hook that has lost what it needs
            continue
    if not all_flushed():
        return left_to_interpreter(status)
    if status == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        kill(getpid(), signal.SIGINT)
    if ours:
        report_exit(int(status), shared)
    _exit(int(status))


def report_exit(status: int, shared: mmap) -> None:
    """Report the exit code: the script is done, unless one of its threads goes on; its files are closed."""
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        return
    closerange(0, HIGHEST)
    shared[-2], shared[-1] = status, 1
    step_back()
    kill(getppid(), signal.SIGCHLD)  # as our exit will, a little later


def step_back() -> None:
    """Leave the processor to the answer: giving back our memory takes as long as a small script."""
    try:
        sched_setscheduler(0, SCHED_IDLE, sched_param(0))
    except OSError:
        return


def left_to_interpreter(status: float) -> int:
    if status == INTERRUPTED:
        sys.excepthook = lambda *_: None  # reported already
        raise KeyboardInterrupt
    return int(status)


def report_loaded(_: list[Any], known: set[str], shared: mmap) -> None:
    """Report the modules that were not loaded before, so that they are the next time."""
    names = [name for name in sys.modules if name not in known and name.isascii()]
    text = "\n".join(names).encode()
    if len(text) < len(shared) - 2:
        shared[: len(text)] = text


def let_go(script: list[Any], known: set[str], _: mmap) -> None:
    """Free what the script and its own modules hold; files that are still open are flushed."""
    collect()  # as an interpreter does; it also orders holders before what they hold
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    for name in FIRST:
        setattr(sys, name, None)
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    own = [name for name in sys.modules if name not in known or name == "__main__"]
    script[1][MARK] = Mark()
    here = ref(script[1][MARK])
    exec(ALL, {"ends": [(script.clear, ()), *((sys.modules.pop, (name, None)) for name in own), (collect, ())]})
    if here() is not None:  # perhaps by a cached type, like Optional[Own]
        for forget in getattr(sys.modules.get("typing"), "_cleanups", ()):
            forget()
        collect()
    if (mark := here()) is not None:
        for names in get_referrers(mark):
            if isinstance(names, dict) and names.get(MARK) is mark:
                clear_module_globals(names)
        collect()
    for one in get_objects():
        if isinstance(one, WRITERS):
            flush_stream(one)


def clear_module_globals(names: dict[str, Any]) -> None:
    """If something that stays holds on to them: clear them in two steps, as an interpreter does."""
    for first in (True, False):
        for name in [name for name in names if name != "__builtins__"]:
            if not first or (name.startswith("_") and not name.startswith("__")):
                names[name] = None


def all_flushed() -> bool:
    return flush_stream(getattr(sys, "stdout", None)) and flush_stream(getattr(sys, "stderr", None))


def flush_stream(stream: Any) -> bool:
    if stream is None:
        return True
    try:
        if not getattr(stream, "closed", False):
            stream.flush()
    except BaseException:
        return False
    return True

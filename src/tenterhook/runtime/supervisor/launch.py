"""How a host starts its supervisor: as a separate program, or forked."""

from __future__ import annotations

import os
import sys
import threading

from tenterhook.support.paths import SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

# Of our environment, only what the interpreter may need to start, and the tag by which an outer hook finds us.
INHERITED = ("LD_LIBRARY_PATH", "LD_PRELOAD", "TENTERHOOK_RUN")
START = "import sys; sys.path[:0] = [{path!r}]; from tenterhook.runtime.supervisor.serve import program; program({fds})"


def is_single_threaded() -> bool:
    """A fork of a process with several threads keeps one of them, and the locks of all."""
    return threading.active_count() == 1 and len(os.listdir("/proc/self/task")) == 1


def fork(control: int, host: int) -> None:
    from tenterhook.runtime.supervisor.serve import run_forked_supervisor

    if os.fork() == 0:
        run_forked_supervisor(control, host)


def launch(control: int, host: int) -> subprocess.Popen[bytes]:
    import subprocess

    if not sys.executable:
        raise OSError("this program does not know which Python runs it")
    text = START.format(path=SOURCES, fds=f"{control}, {host}")
    env = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, cwd="/", env=env, pass_fds=[fd for fd in (control, host) if fd >= 0],
        start_new_session=True,
    )  # fmt: skip

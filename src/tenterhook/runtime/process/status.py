"""Get a child's exit status without SIGCHLD.

Hosts that ignore SIGCHLD, or wait for any child, take the exit status before we can; Popen then reports exit 0 for a
hook that refused. A pidfd opened in time still has it (Linux 6.15). If it cannot be known, that is reported.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the enums of the module signal take 0.6 ms
import errno
import os
import struct
import time

PIDFD_GET_INFO = 0xC040FF0B  # _IOWR(0xFF, 11, struct pidfd_info of 64 bytes)
PIDFD_INFO_EXIT = 1 << 3

contested = False  # other code in this process was seen to take the status of one of our children


def is_contested() -> bool:
    """Whether a child could disappear before its pidfd is open. It must wait for us then (0.4 ms)."""
    return contested or _signal.getsignal(_signal.SIGCHLD) == _signal.SIG_IGN


def exit_status(pid: int, pidfd: int) -> int | None:
    """The exit code, or minus the signal; None while it runs; ChildProcessError if it cannot be known."""
    if pidfd >= 0:
        try:
            info = os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOHANG)
        except ChildProcessError:
            note_contest()
            return exit_status_from_pidfd(pidfd)
        if info is None:
            return None
        return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status
    try:
        gone, raw = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        note_contest()
        raise
    return os.waitstatus_to_exitcode(raw) if gone else None


def exit_status_from_pidfd(pidfd: int) -> int:
    """The status of a child that other code has reaped, as the kernel remembers it."""
    from fcntl import ioctl

    # The pidfd reports the exit a moment before the kernel has stored it (at most 0.1 ms seen).
    for _ in range(50):
        info = bytearray(64)
        struct.pack_into("Q", info, 0, PIDFD_INFO_EXIT)
        try:
            ioctl(pidfd, PIDFD_GET_INFO, info, True)
        except OSError as exc:
            if exc.errno != errno.ESRCH:
                break
        else:
            if struct.unpack_from("Q", info)[0] & PIDFD_INFO_EXIT:
                return os.waitstatus_to_exitcode(struct.unpack_from("i", info, 60)[0])
        time.sleep(0.0004)
    raise ChildProcessError(errno.ECHILD, "the exit status was taken by other code of this program")


def note_contest() -> None:
    global contested
    contested = True


def name_of(number: int) -> str:
    """The name of a signal."""
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"

"""Drop root's privileges: a confined process keeps what ordinary tools need and loses the rest for good."""

from __future__ import annotations

import os

from tenterhook.runtime.sandbox import kernel

CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE = 0, 1, 3, 4, 5, 6, 7, 8, 10
KEPT = (CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, NET_BIND_SERVICE)
# Without Landlock's control, another user's process could be entered through /proc.
OTHER_USERS = (SETGID, SETUID)


def no_new() -> None:
    """From now on no program gains privileges by exec: set-uid and file capabilities have no effect."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def drop(*, other_users: bool) -> None:
    """Keep a few capabilities. An ordinary user has none, and in its own user namespace needs none any more.

    A process that may not change the bounding set gains nothing by that: no program gives new privileges.
    """
    allowed = (*KEPT, *(OTHER_USERS if other_users else ())) if os.geteuid() == 0 else ()
    had = permitted_capabilities()
    wanted = sum(1 << one for one in allowed) & had
    if had >> SETPCAP & 1:
        for one in range(last() + 1):
            if not wanted >> one & 1:
                kernel.prctl(kernel.PR_CAPBSET_DROP, one)
    kernel.prctl(kernel.PR_CAP_AMBIENT, kernel.PR_CAP_AMBIENT_CLEAR_ALL)
    kernel.set_capabilities(wanted)


def permitted_capabilities() -> int:
    with open("/proc/self/status", "rb") as file:
        return next(int(line.split()[1], 16) for line in file if line.startswith(b"CapPrm:"))


def last() -> int:
    """The highest capability that this kernel knows."""
    with open("/proc/sys/kernel/cap_last_cap", "rb") as file:
        return int(file.read())

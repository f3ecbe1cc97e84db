"""Confine the calling process and all its future children, for good.

A process that starts hooks does this once: each hook inherits it at no cost.
"""

from __future__ import annotations

import os

from tenterhook.runtime.sandbox import Unavailable, kernel, landlock, mounts, privileges, seccomp
from tenterhook.runtime.sandbox.layout import PathLayout
from tenterhook.runtime.sandbox.profile import Profile

MECHANISMS = ("namespace", "landlock")
TOO_OLD = "Landlock {} is too old: files could be emptied that cannot be written (Linux 6.2 has {})"


def restrict(profile: Profile, mechanisms: tuple[str, ...] = MECHANISMS) -> str:
    """Confine this process and return the mechanism's name. The process must have only one thread.

    If a namespace cannot be completed, what was made of it stays, and Landlock does all of it: that confines more than
    asked, never less.
    """
    if not kernel.MACHINE:
        system = os.uname()
        raise Unavailable(f"hooks can be confined on Linux (x86_64, aarch64), not on {system.sysname} {system.machine}")
    layout = PathLayout(profile)
    refusals = []
    for mechanism in mechanisms:
        try:
            CONFINE[mechanism](layout)
        except OSError as exc:
            refusals.append(f"{mechanism}: {exc.strerror or exc}")
        else:
            return mechanism
    raise Unavailable("; ".join(refusals), refused=layout.network == "loopback")


def in_namespace(layout: PathLayout) -> None:
    mounts.enter(layout)
    mounts.arrange(layout)
    privileges.no_new()
    known = landlock.version()
    if known:
        landlock.restrict(layout, alone=False)
    privileges.drop(other_users=known > 0)
    # Sockets with a path are masked by mounts, abstract ones by Landlock's scopes.
    seccomp.restrict(layout.network, unix=layout.network == "full" and known >= landlock.SCOPES)


def by_landlock(layout: PathLayout) -> None:
    if layout.network == "loopback":
        raise OSError("it cannot tell loopback from other addresses")
    known = landlock.version()
    if known < landlock.ALONE:
        raise OSError(TOO_OLD.format(known, landlock.ALONE) if known else landlock.ABSENT)
    privileges.no_new()
    landlock.restrict(layout, alone=True)
    privileges.drop(other_users=True)
    seccomp.restrict(layout.network, unix=False)


CONFINE = {"namespace": in_namespace, "landlock": by_landlock}

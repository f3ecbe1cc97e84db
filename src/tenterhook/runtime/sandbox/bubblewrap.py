"""bubblewrap, for systems where bwrap may make namespaces and this process may not: it wraps each hook, some 7 ms."""

from __future__ import annotations

import os
from functools import cache

from tenterhook.runtime.sandbox.layout import PathLayout, between
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.support.paths import within

# Not by PATH: a project could have put a program there.
PLACES = ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap")
KEPT = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL")


def build_bwrap_argv(argv: list[str] | tuple[str, ...], profile: Profile) -> list[str] | None:
    """The command to start instead; None if bwrap is missing or does not work here."""
    program = find_working_bwrap()
    return [program, *options(PathLayout(profile)), "--", *argv] if program else None


@cache
def find_working_bwrap() -> str:
    """The path of a bwrap that works: an installed one may still be forbidden to make namespaces."""
    import subprocess

    for place in PLACES:
        argv = [place, *options(PathLayout(Profile("none"))), "--", "/bin/sh", "-c", "exit 0"]
        try:
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0:
            return place
    return ""


def options(layout: PathLayout) -> list[str]:
    words = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--ro-bind", "/", "/"]
    words += ["--dev", "/dev", "--proc", "/proc"]
    if layout.network != "full":
        words.append("--unshare-net")
    for path, option in sorted(bind_mount_options(layout).items()):
        words += [option, path, path]
    for path in layout.hidden:
        words += hiding(path, layout)
    words += ["--cap-drop", "ALL"]
    if os.geteuid() == 0:
        words += [word for name in KEPT for word in ("--cap-add", name)]
    return words


def bind_mount_options(layout: PathLayout) -> dict[str, str]:
    """As in our own namespace: what may be written, what may not, and the folders on the way to that."""
    found = dict.fromkeys(layout.write, "--bind")
    for path in (*layout.closed, *layout.frozen):
        outermost = next(one for one in layout.write if within(path, one))
        found |= dict.fromkeys(between(outermost, path), "--bind")
    found |= dict.fromkeys(layout.frozen, "--ro-bind") | dict.fromkeys(layout.open, "--bind")
    return found | dict.fromkeys(layout.closed, "--ro-bind")


def hiding(path: str, layout: PathLayout) -> list[str]:
    if not os.path.isdir(path):
        return ["--ro-bind", "/dev/null", path]
    shown = [one for one in layout.shown if within(one, path) and os.path.exists(one)]
    binds = [word for one in shown for word in ("--bind" if one in layout.write else "--ro-bind", one, one)]
    return ["--tmpfs", path, *binds, "--remount-ro", path]

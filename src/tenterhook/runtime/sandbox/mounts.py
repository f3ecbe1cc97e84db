"""A mount namespace: the process sees the same files at the same paths, most of them read-only, some not at all.

Everything is made read-only first, then writable paths are opened. A closed path below those is mounted on itself
read-only, and so is every folder on the way to it: a mount point cannot be renamed or removed, but the folder around it
could be.
"""

from __future__ import annotations

import os
import stat

from tenterhook.runtime.sandbox import kernel
from tenterhook.runtime.sandbox.kernel import ATTR_NODEV, ATTR_RDONLY, MS_BIND, MS_REC
from tenterhook.runtime.sandbox.layout import DEVICES, PathLayout, between
from tenterhook.support.paths import within

# A path that no profile uses, so that a file system of ours can be mounted there for a moment.
SCRATCH = ("/sys", "/mnt", "/srv", "/boot")
EMPTY = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC


def enter(layout: PathLayout) -> None:
    """Enter a new namespace; an ordinary user needs a user namespace for that, mapped to itself."""
    flags = kernel.CLONE_NEWNS | (kernel.CLONE_NEWNET if layout.network == "loopback" else 0)
    user, group = os.geteuid(), os.getegid()
    try:
        kernel.unshare(flags)
    except PermissionError:
        kernel.unshare(flags | kernel.CLONE_NEWUSER)
        be_oneself(user, group)
    kernel.mount("none", "/", "none", MS_REC | kernel.MS_PRIVATE)
    if layout.network == "loopback":
        raise_loopback()


def be_oneself(user: int, group: int) -> None:
    """Map ourselves in a new user namespace. The map files belong to root if the process is not dumpable."""
    dumpable = kernel.prctl(kernel.PR_GET_DUMPABLE)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    try:
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"{user} {user} 1")
        write("/proc/self/gid_map", f"{group} {group} 1")
    finally:
        if dumpable != 1:
            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)


def write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def arrange(layout: PathLayout) -> None:
    """Make all mounts, from the outermost inwards."""
    before = read_mount_points()
    writable = dict.fromkeys(layout.write, True)
    steps = dict.fromkeys(on_the_way(layout), True)
    steps |= writable | dict.fromkeys(layout.frozen, False) | dict.fromkeys(layout.open, True)
    steps |= dict.fromkeys(layout.closed, False)
    devices = [path for path in DEVICES if stat.S_ISCHR(mode(path))]
    for path in (*sorted(steps), *devices):
        kernel.mount(path, path, "none", MS_BIND | MS_REC)
    kernel.set_mount("/", add=ATTR_RDONLY | ATTR_NODEV, below=True)
    for path in sorted({*steps, *before}):
        if is_writable_at(path, steps) and is_writable_at(path, before):
            kernel.set_mount(path, clear=ATTR_RDONLY)
    for path in devices:
        kernel.set_mount(path, clear=ATTR_NODEV)
    own_terminals()
    hide(layout)
    os.chdir("/")


def on_the_way(layout: PathLayout) -> set[str]:
    """The folders around closed paths, from the outermost writable one."""
    found: set[str] = set()
    for path in (*layout.closed, *layout.frozen):
        outermost = next(one for one in layout.write if within(path, one))
        found.update(between(outermost, path))
    return found


def is_writable_at(path: str, writable: dict[str, bool]) -> bool:
    """What the profile says of the innermost place around a path; not writable if it says nothing."""
    while path not in writable:
        if path == "/":
            return False
        path = os.path.dirname(path)
    return writable[path]


def read_mount_points() -> dict[str, bool]:
    """The mount points, each with whether it is writable; for stacked mounts, the topmost."""
    found = {}
    with open("/proc/self/mountinfo", "rb") as file:
        for line in file:
            fields = line.split(b" ")
            place = os.fsdecode(fields[4].decode("unicode_escape").encode("latin-1"))
            found[place] = b"rw" in fields[5].split(b",")
    return found


def mode(path: str) -> int:
    """The type of file at a path; 0 if there is none."""
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


def own_terminals() -> None:
    """Mount a devpts of its own, so that it sees no other terminals; skipped if the kernel refuses."""
    if not os.path.isdir("/dev/pts"):
        return
    try:
        kernel.mount("devpts", "/dev/pts", "devpts", kernel.MS_NOSUID | kernel.MS_NOEXEC, "newinstance,ptmxmode=0666")
        if stat.S_ISCHR(mode("/dev/ptmx")):
            kernel.mount("/dev/pts/ptmx", "/dev/ptmx", "none", MS_BIND)
    except OSError:
        return


def hide(layout: PathLayout) -> None:
    """Mount an empty folder over each hidden one, with the shown parts of it; an empty file over each hidden file."""
    scratch = next((place for place in SCRATCH if os.path.isdir(place)), "/proc")
    kernel.mount("tmpfs", scratch, "tmpfs", EMPTY, "mode=0755,size=64k")
    empty = os.open(f"{scratch}/empty", os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, 0o444)
    kernel.set_mount(scratch, add=ATTR_RDONLY)
    try:
        for path in layout.hidden:
            if os.path.isdir(path):
                cover(path, [one for one in layout.shown if within(one, path)])
            elif os.path.exists(path):
                kernel.mount(f"/proc/self/fd/{empty}", path, "none", MS_BIND)
    finally:
        os.close(empty)
        kernel.call("umount2", scratch, kernel.MNT_DETACH)


def cover(folder: str, shown: list[str]) -> None:
    opened = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in shown if os.path.exists(path)}
    try:
        kernel.mount("tmpfs", folder, "tmpfs", EMPTY, "mode=0755,size=64k")
        for path, file in opened.items():
            place(path, is_folder=os.path.isdir(f"/proc/self/fd/{file}"))
            kernel.mount(f"/proc/self/fd/{file}", path, "none", MS_BIND | MS_REC)
        kernel.set_mount(folder, add=ATTR_RDONLY)
    finally:
        for file in opened.values():
            os.close(file)


def place(path: str, *, is_folder: bool) -> None:
    """Create a mount point; it exists already if it is inside another shown path."""
    os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)
    if not is_folder and not os.path.exists(path):
        os.close(os.open(path, os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, 0o444))


def raise_loopback() -> None:
    """Bring up the loopback device of a new network namespace."""
    import fcntl
    import socket
    import struct

    read_flags, write_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(opened, read_flags, request))[1]
        fcntl.ioctl(opened, write_flags, struct.pack("16sH14x", b"lo", flags | up))

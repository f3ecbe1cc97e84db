"""The system calls that a process confines itself with. Python has none of them, so they are called through ctypes.

Linux on x86_64 and aarch64. Every error is an OSError. A text with a NUL is refused: the kernel would see only the part
before it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from typing import Any

# name: (x86_64, aarch64); None where the architecture has no such call.
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "capset": (126, 91),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "lookup_dcookie": (212, 18),
    "migrate_pages": (256, 238),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
MACHINES = ("x86_64", "aarch64")

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
MNT_DETACH = 2
ATTR_RDONLY, ATTR_NODEV = 1, 4
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 24, 38, 22
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
CAPABILITIES = 0x20080522

# Elsewhere there is no such function, or no such library.
LIBC: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
if LIBC:
    LIBC.syscall.restype = ctypes.c_long


def machine() -> str:
    """The architecture by the name of its table; empty if it is not supported."""
    if sys.platform != "linux" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return ""
    found = os.uname().machine
    return found if found in MACHINES else ""


MACHINE = machine()


def number(name: str) -> int | None:
    """The number of a call on this machine; None if there is none."""
    return NUMBERS[name][MACHINES.index(MACHINE)] if MACHINE else None


def call(name: str, *arguments: int | bytes | str | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make one system call; an error is raised with the call's name, which says what the machine lacks."""
    known = number(name)
    if known is None:
        raise OSError(errno.ENOSYS, f"{name}: {os.strerror(errno.ENOSYS)}")
    result: int = LIBC.syscall(ctypes.c_long(known), *map(to_c_argument, arguments))
    return raise_on_errno(name, result)


def raise_on_errno(name: str, result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def to_c_argument(value: int | bytes | str | ctypes.Array[ctypes.c_char] | None) -> object:
    """Convert an argument for C. A number must fill the register: ctypes would pass only the lower half."""
    if isinstance(value, int):
        return ctypes.c_long(value)
    if isinstance(value, str):
        return ctypes.c_char_p(text(value))
    return value


def text(value: str) -> bytes:
    if "\0" in value:
        raise OSError(errno.EINVAL, f"a NUL byte in {value!r}")
    return os.fsencode(value)


def prctl(option: int, *arguments: int) -> int:
    filled = [*arguments, 0, 0, 0, 0][:4]
    return raise_on_errno("prctl", LIBC.prctl(ctypes.c_int(option), *map(ctypes.c_ulong, filled)))


def unshare(flags: int) -> None:
    call("unshare", flags)


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    call("mount", source, target, kind, flags, data)


def set_mount(target: str, *, add: int = 0, clear: int = 0, below: bool = False) -> None:
    """Set and clear attributes of the mount at a path, or of all mounts below it too."""
    attributes = ctypes.create_string_buffer(struct.pack("=QQQQ", add, clear, 0, 0), 32)
    call("mount_setattr", AT_FDCWD, target, AT_RECURSIVE if below else 0, attributes, 32)


def set_capabilities(wanted: int) -> None:
    """Effective and permitted; nothing is inherited."""
    header = ctypes.create_string_buffer(struct.pack("=Ii", CAPABILITIES, 0), 8)
    low, high = wanted & 0xFFFFFFFF, wanted >> 32
    call("capset", header, ctypes.create_string_buffer(struct.pack("=6I", low, low, 0, high, high, 0), 24))

"""The system calls that a confined process may not make, as a filter that the kernel runs before each call.

A filter sees numbers, not strings: it can limit kinds of sockets, but not files.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from tenterhook.runtime.sandbox import kernel

# What hooks do not need and escapes use: other processes' memory, mounts, namespaces, the kernel itself.
REFUSED = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "userfaultfd"),
    *("mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount", "fsopen", "fsconfig"),
    *("fsmount", "fspick", "mount_setattr", "setns", "open_by_handle_at", "quotactl", "quotactl_fd"),
    *("bpf", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register", "fanotify_init"),
    *("add_key", "request_key", "keyctl", "lookup_dcookie", "move_pages", "migrate_pages"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "iopl", "ioperm"),
    *("acct", "reboot", "swapon", "swapoff", "syslog", "vhangup", "sethostname", "setdomainname"),
    *("settimeofday", "clock_settime", "clock_adjtime"),
)
NAMESPACES = 0x7E020000
TIME_NAMESPACE = 0x80
ALL_PROCESSES = 0xFFFFFFFF  # minus one
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
STREAM, SEQPACKET, TYPES = 1, 5, 0xF
# Writing to a terminal as if the user had typed it.
TYPING = (0x5412, 0x541C)

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000

LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
MODE_FILTER = 2

Line = tuple[int, int, int, int]


def allowed_sockets(network: str, *, unix: bool) -> tuple[int, ...]:
    """The kinds of sockets that may be made, by network."""
    return (*((UNIX,) if unix else ()), *(() if network == "none" else (INET, INET6, NETLINK)))


def restrict(network: str, *, unix: bool) -> None:
    """Install the filter, for this process and all its descendants, for good. Needs `no new privileges`."""
    lines = program(allowed_sockets(network, unix=unix), unix=unix)
    code = b"".join(struct.pack("=HBBI", *line) for line in lines)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(lines), ctypes.addressof(buffer)))
    kernel.prctl(kernel.PR_SET_SECCOMP, MODE_FILTER, ctypes.addressof(header))


def program(sockets: tuple[int, ...], *, unix: bool) -> list[Line]:
    lines = [
        load(ARCHITECTURE),
        *unless(EQUAL, ARCHITECTURES[kernel.MACHINE], refuse()),
        load(NUMBER),
        *(when(AT_LEAST, X32, refuse()) if kernel.MACHINE == "x86_64" else ()),
    ]
    for name in REFUSED:
        lines += on(name, refuse())
    # Its flags are behind a pointer; a program that gets ENOSYS makes the older call, whose flags we see.
    lines += on("clone3", refuse(errno.ENOSYS))
    lines += on("clone", load_argument(0), *when(ANY_BIT, NAMESPACES, refuse()), allow())
    lines += on("unshare", load_argument(0), *when(ANY_BIT, NAMESPACES | TIME_NAMESPACE, refuse()), allow())
    # Its own limits, called 0, and no others': a limit on processor time ends a process like a signal does.
    lines += on("prlimit64", load_argument(0), *unless(EQUAL, 0, refuse()), allow())
    # If Landlock does not control signals, one call would end everything that the user runs; and always, the other
    # hooks.
    lines += on("kill", load_argument(0), *when(EQUAL, ALL_PROCESSES, refuse()), allow())
    lines += on("ioctl", load_argument(1), *any_of(TYPING, refuse()), allow())
    lines += on("socket", load_argument(0), *any_of(sockets, allow()), refuse())
    lines += on("socketpair", *pairs(unix=unix))
    return [*lines, allow()]


def pairs(*, unix: bool) -> list[Line]:
    """Two connected ends. Not datagrams: such a socket can send to any other."""
    known = [load_argument(0), *unless(EQUAL, UNIX, refuse())]
    if unix:
        return [*known, allow()]
    return [*known, load_argument(1), (AND, 0, 0, TYPES), *any_of((STREAM, SEQPACKET), allow()), refuse()]


def on(name: str, *block: Line) -> list[Line]:
    """The action for one call; a block has its own end."""
    number = kernel.number(name)
    return [] if number is None else [(EQUAL, 0, len(block), number), *block]


def any_of(values: tuple[int, ...], line: Line) -> list[Line]:
    return [one for value in values for one in when(EQUAL, value, line)]


def when(test: int, value: int, line: Line) -> tuple[Line, Line]:
    return (test, 0, 1, value), line


def unless(test: int, value: int, line: Line) -> tuple[Line, Line]:
    return (test, 1, 0, value), line


def load(offset: int) -> Line:
    return LOAD, 0, 0, offset


def load_argument(place: int) -> Line:
    """Load its lower half, which is all of it for these calls."""
    return load(ARGUMENTS + 8 * place)


def allow() -> Line:
    return RETURN, 0, 0, ALLOW


def refuse(code: int = errno.EPERM) -> Line:
    return RETURN, 0, 0, ERROR | code

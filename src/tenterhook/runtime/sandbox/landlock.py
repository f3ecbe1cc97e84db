"""Landlock: a process gives up rights over files, for itself and all its descendants. No privilege is needed.

It only grants: a right for a folder applies to everything in it. To exclude something, the folder's other children are
granted one by one, and then nothing new can be made directly in that folder.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from tenterhook.runtime.sandbox import kernel
from tenterhook.runtime.sandbox.layout import DEVICES, PathLayout, around, only_sockets
from tenterhook.support.paths import within

WRITE_FILE, READ_FILE, REMOVE_DIR, REMOVE_FILE = 1 << 1, 1 << 2, 1 << 4, 1 << 5
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = (1 << bit for bit in range(6, 13))
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
WRITE = REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_SYM | WRITE_FILE
ON_FILES = WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
BIND_TCP, CONNECT_TCP = 1, 2
ABSTRACT_SOCKETS, SIGNALS = 1, 2
# The version from which the kernel knows a right.
SINCE = {REFER: 2, TRUNCATE: 3, IOCTL_DEV: 5}
NETWORK, SCOPES = 4, 6
# Without namespaces it must know of truncating: before that, a read-only file could be emptied.
ALONE = 3
VERSION = 1
PATH_BENEATH = 1
ABSENT = "this kernel has none, or has it switched off"


def version() -> int:
    """The Landlock version of this kernel; 0 if it has none, or has it switched off."""
    try:
        return kernel.call("landlock_create_ruleset", None, 0, VERSION)
    except OSError:
        return 0


def restrict(layout: PathLayout, *, alone: bool) -> None:
    """Give up all rights that the layout does not grant; inside a mount namespace, only rights about writing."""
    known = version()
    added = sum(right for right, since in SINCE.items() if known >= since)
    write = WRITE | added
    handled = write | MAKE_CHAR | MAKE_BLOCK | (READ_FILE if alone else 0)
    rules: list[tuple[str, int]] = [(path, ON_FILES | WRITE | added) for path in DEVICES]
    if alone:
        rules += file_access_rules(layout, write)
    else:
        rules += [(path, write) for path in layout.write]
    enforce(handled, rules, layout.network, known)


def file_access_rules(layout: PathLayout, write: int) -> list[tuple[str, int]]:
    """Reading: everything but the hidden. Writing: everything writable but what is closed, one by one."""
    hidden = [path for path in layout.hidden if not only_sockets(path)]
    barriers = [*layout.closed, *layout.links, *hidden]
    rules = [(path, READ_FILE) for path in around("/", [*hidden, "/dev"])]
    rules += [(path, READ_FILE) for one in layout.shown for path in around(one, inside(one, hidden))]
    for folder in layout.write:
        rules += [(path, write | READ_FILE) for path in around(folder, inside(folder, [*barriers, *layout.frozen]))]
    rules += [(path, write | READ_FILE) for one in layout.open for path in around(one, barriers)]
    return rules


def inside(folder: str, paths: list[str]) -> list[str]:
    """Those below a folder: what was opened inside something closed is open, except what is closed inside it again."""
    return [path for path in paths if within(path, folder) and path != folder]


def enforce(handled: int, rules: list[tuple[str, int]], network: str, known: int) -> None:
    ports = BIND_TCP | CONNECT_TCP if network == "none" and known >= NETWORK else 0
    scopes = ABSTRACT_SOCKETS | SIGNALS if known >= SCOPES else 0
    size = 24 if known >= SCOPES else 16 if known >= NETWORK else 8
    attributes = ctypes.create_string_buffer(struct.pack("=QQQ", handled, ports, scopes), 24)
    ruleset = kernel.call("landlock_create_ruleset", attributes, size, 0)
    try:
        for path, rights in rules:
            grant(ruleset, path, rights & handled)
        kernel.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def grant(ruleset: int, path: str, rights: int) -> None:
    """Add one rule; a path that is gone meanwhile needs none."""
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= ON_FILES
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, opened), 12)
        kernel.call("landlock_add_rule", ruleset, PATH_BENEATH, rule, 0)
    finally:
        os.close(opened)

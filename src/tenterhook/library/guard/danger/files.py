"""Deleting much, writing to disks, and giving all users access to files."""

from __future__ import annotations

import os

from tenterhook.library.guard.paths import DEVICES, TEMPORARY, Territory, below
from tenterhook.support.shell.calls import ProgramCall
from tenterhook.support.shell.programs import whole
from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.wrappers import found_by, has_option, operands

# The last part of a path that means everything in the folder before it.
EVERYTHING = ("*", ".*", "**", "", ".", "./*", "?*", "*.*", ".[!.]*", ".[^.]*", ".??*", "..?*")
# Deeper folders of the system, and of a home, that cannot be replaced.
SYSTEM = ("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/share", "/usr/local", "/var/lib", "/System/Library")
KEYS = (".ssh", ".gnupg", ".aws", ".kube")
WORLD = ("777", "666", "0777", "0666", "a+w", "o+w", "a+rw", "a+rwx", "o+rwx", "+w", "ugo+rwx", "a=rwx", "1777")


def is_nearly_all(name: str) -> bool:
    """Whether it matches all files except those that start with some letter."""
    return name[:2] in ("[!", "[^") and name.endswith("]*")


def is_root(call: ProgramCall, word: str, place: Territory) -> bool:
    """Whether a word means the root, a folder directly below it, a home, or the project or a folder around it."""
    if call.remote and word in ("~", "."):
        return True
    path = whole(call, word)
    head, _, last = path.rpartition("/")
    while path and (last in EVERYTHING or is_nearly_all(last)) and head:
        path, (head, _, last) = head, head.rpartition("/")
    if not path:
        return False
    path = "/" if path.rstrip("/*.") == "" else os.path.normpath(path)
    if path in (os.path.join(home, one) for home in (place.home, place.real_home) for one in KEYS):
        return True
    # A home or a project is protected even in a temporary folder; other things there may be deleted.
    if any(one == path or below(one, path) for one in (place.root, place.project, place.home, place.real_home)):
        return True
    temporary = any(below(path, one) for one in TEMPORARY)
    return not temporary and (path.count("/") == 1 or path in SYSTEM)


def deletes_root(call: ProgramCall, place: Territory) -> bool:
    if call.program == "find":
        starts, everything, _ = found_by(call.words)
        return "-delete" in call.words and everything and any(is_root(call, one, place) for one in starts)
    if call.program == "rsync":
        deletes = any(word.startswith(("--delete", "--del")) for word in call.words)
        return deletes and any(is_root(call, one, place) for one in operands(call.words)[-1:])
    if call.program != "mv" and not has_option(call.words, "rR", "--recursive") and "*" not in "".join(call.words):
        return False
    targets = operands(call.words)
    return any(is_root(call, one, place) for one in (targets[:-1] if call.program == "mv" else targets))


def deletes_unknown(call: ProgramCall, place: Territory) -> bool:
    """Whether the target is unknown: a substitution, the root if a variable is empty, or all of an unknown folder."""
    if not has_option(call.words, "rR", "--recursive"):
        return False
    targets = operands(call.words)
    listed = "xargs" in call.by and not call.fed and not call.texts  # a list in a file that was not read
    made = any(one.strip(UNKNOWN) == "" for one in targets) and (bool(call.inner) or listed)
    emptied = any(UNKNOWN in one and one.replace(UNKNOWN, "").rstrip("*.") == "/" for one in targets)
    return (
        made or emptied or (not call.folder and not call.remote and any(one in (*EVERYTHING, "..") for one in targets))
    )


def is_device(word: str) -> bool:
    safe = any(word == one or below(word, one) for one in (*DEVICES, "/dev/shm"))
    return word.startswith("/dev/") and not safe


def writes_disk(call: ProgramCall, place: Territory) -> bool:
    program, words = call.program, call.words
    if program == "dd":
        return any(word.startswith("of=") and is_device(word[3:]) for word in words)
    looks = has_option(words, "ldV", "--list", "--dump", "--version") or "print" in words
    return any(map(is_device, words)) and (program == "shred" or not looks)


def deletes_history(call: ProgramCall, place: Territory) -> bool:
    """Whether it deletes the repository itself, which to the other rules is only a folder."""
    targets = operands(call.words)
    named = {os.path.normpath(whole(call, one)) for one in (targets if call.program == "rm" else targets[:-1])}
    return not named.isdisjoint(os.path.join(one, ".git") for one in (place.root, place.project))


def opens(call: ProgramCall, place: Territory) -> bool:
    if not any(word in WORLD for word in call.words):
        return False
    return has_option(call.words, "R", "--recursive") or any(
        is_root(call, one, place) for one in operands(call.words)[1:]
    )


def takes_roots(call: ProgramCall, place: Territory) -> bool:
    targets = [one for one in operands(call.words)[1:] if os.path.normpath(whole(call, one)) != place.project]
    return has_option(call.words, "R", "--recursive") and any(is_root(call, one, place) for one in targets)

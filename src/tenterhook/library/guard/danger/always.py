"""What the rules about every call look for."""

from __future__ import annotations

import re

from tenterhook.library.guard.paths import Territory
from tenterhook.support.shell.calls import ProgramCall
from tenterhook.support.shell.piped_input import stdin_of
from tenterhook.support.shell.programs import code_from, written_words
from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.startup_files import DECLARES, MAKES, odd_shell, preloads, shell_startup_files
from tenterhook.support.shell.wrappers import PRIVILEGED, SHELLS

# Programs that pass a file to a shell unchanged, or pass nothing.
SEEN = ("cat", "echo", "printf", ":", "true", "sleep")
COPIES = ("cp", "mv", "tee", "install", "sponge", "truncate")
DISK = r"/dev/(?:[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|dm-\d|mapper/|md\d|loop\d|k?mem$|port$)"
PACKAGE = __name__.partition(".")[0]
# Variables that switch hooks off.
SWITCHES = ("TENTERHOOK_OFF", "HUSKY", "HUSKY_SKIP_HOOKS", "LEFTHOOK", "SKIP", "PRE_COMMIT_ALLOW_NO_CONFIG")


def unknown(call: ProgramCall, place: Territory) -> bool:
    """Whether the shell makes up the program's name, or a shell runs the output of another program."""
    pattern = any(char in call.program for char in "*?") or ("[" in call.program and call.program.strip("["))
    return UNKNOWN in call.program or bool(pattern) or runs_unseen(call)


def runs_unseen(call: ProgramCall) -> bool:
    if call.program not in (*SHELLS, *MAKES) or not call.fed or code_from(call)[0] != "stdin":
        return False
    if call.program in SHELLS and any(stdin_of(call)):
        return False
    return any(one.program not in SEEN for one in call.fed)


def loads_first(call: ProgramCall, place: Territory) -> bool:
    return bool(shell_startup_files(call)) or preloads(call) or odd_shell(call)


def runs_loaded(call: ProgramCall, place: Territory) -> bool:
    return call.loaded


def is_privileged_call(call: ProgramCall, place: Territory) -> bool:
    return call.program in PRIVILEGED or any(one in PRIVILEGED for one in call.by)


def writes_into_disk(call: ProgramCall, place: Territory) -> bool:
    """Whether a redirection, a copy or tee writes it."""
    named = [*call.writes, *(written_words(call) if call.program in COPIES else ())]
    return any(one.startswith("/dev/") and re.match(DISK, one) for one in named)


def forks(call: ProgramCall, place: Territory) -> bool:
    """A function that calls itself in a pipe or in the background."""
    name = call.function
    return bool(name) and call.program == name and (call.background or any(one.program == name for one in call.fed))


def switches_off(call: ProgramCall, place: Territory) -> bool:
    exported = [word.partition("=")[0] for word in call.words] if call.program in DECLARES else []
    return any(name in SWITCHES for name in (*call.assigned, *exported)) or takes_us_away(call)


def takes_us_away(call: ProgramCall) -> bool:
    """Whether it disables us: approves hooks, or removes our program, without which a wrapper does nothing."""
    words = call.words
    if call.program == "tenter" and words[:1] == ["trust"] and words[1:] != ["--json"]:
        return True
    if call.program in ("rm", "mv", "chmod"):
        return any(one.words[-1:] == ["tenter"] for one in call.inner if one.program in ("which", "command", "type"))
    return "uninstall" in words and PACKAGE in words

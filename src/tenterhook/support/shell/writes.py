"""The files that a call writes, moves or deletes, as far as its words tell."""

from __future__ import annotations

import os

from tenterhook.support.shell.programs import all_below, is_soft, whole, written_words
from tenterhook.support.shell.wrappers import operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.support.shell.calls import ProgramCall

# Programs that may take a folder with all that is in it.
WHOLE = ("rm", "rsync", "tar", "bsdtar", "unzip", "chmod", "chown", "chgrp")
# Those whose targets say so themselves.
COPIES = ("cp", "mv", "ln", "install", "scp")
# So many of the files that a pattern stands for are looked at.
MOST = 200
# No system accepts a longer path.
LONGEST = 8192


def written_paths(call: ProgramCall) -> list[str]:
    """Absolute paths, with a / at the end if everything below is meant.

    A * stands for what only the shell knows; paths that start with such a part are left out.
    """
    if call.remote:
        return []
    named = written_words(call)
    if call.program in WHOLE:
        named = list(map(all_below, named))
    elif call.program not in COPIES:
        named = [one.rstrip("/") or one for one in named]
    paths = [path for path in (whole(call, one) for one in (*call.writes, *named)) if 0 < len(path) <= LONGEST]
    return [*paths, *(found for path in paths for found in fitting(path))]


def fitting(pattern: str) -> list[str]:
    """The files that match a pattern; none for a plain name."""
    if not any(char in pattern for char in "*?["):
        return []
    from glob import iglob
    from itertools import islice

    bare = pattern.rstrip("/")
    return [found + pattern[len(bare) :] for found in islice(iglob(bare), MOST)]


def symlink_targets(call: ProgramCall) -> dict[str, str]:
    """A symlink that the call makes, with its target; both as absolute paths."""
    if call.program != "ln" or call.remote or not is_soft(call.words):
        return {}
    *before, last = operands(call.words) or [""]
    link = whole(call, last)
    if len(before) != 1 or not link:
        return {}
    name = os.path.join(link, os.path.basename(before[0])) if os.path.isdir(link) else link
    return {os.path.normpath(name): os.path.join(os.path.dirname(name), before[0])}


def through(path: str, links: dict[str, str]) -> list[str]:
    """A path, and where it leads by symlinks that are about to be made."""
    under = [(link, target) for link, target in links.items() if f"{path}/".startswith(f"{link}/")]
    return [path, *(target + path[len(link) :] for link, target in under)]

"""Decides how a program is started and how it is confined; no other module does.

By a spawner of the helper that has confined itself; else by bubblewrap; else unconfined with a note, or refused if the
sandbox is required. What a mechanism cannot express is always refused, never run with more or fewer rights.
"""

from __future__ import annotations

import select
import sys
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenterhook.runtime.process.program import Completed, Program, by_shell
from tenterhook.runtime.process.running import Running
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.sandbox.quarantine import Quarantine, as_seen, last_seen
from tenterhook.runtime.supervisor import NoHelper, NotConfined

if TYPE_CHECKING:
    from tenterhook.runtime.process.channels import Channels

ADVICE = "`tenter doctor` says what this machine can do"
given_notes: set[str] = set()


def spawn_program(program: Program, channels: Channels | None, *, fresh: bool = False) -> Running | Completed:
    """A program that is not started yet, or why it must not be. `fresh`: look again at what is to be closed and
    hidden.
    """
    profile = program.profile
    if profile is None:
        return spawn_unconfined(program, channels)
    try:
        if channels is None:
            raise NotConfined("hooks are started without a supervisor, which would confine them")
        seen = as_seen(profile) if fresh else last_seen(profile)
        return attach_quarantine_watch(channels.acquire_remote(program, seen), profile, None if fresh else seen)
    except NoHelper as exc:
        why, refused = f"no supervisor could be started ({exc})", False
    except NotConfined as exc:
        why, refused = str(exc), exc.refused
    elsewhere = sys.platform != "linux"
    if not elsewhere:
        from tenterhook.runtime.sandbox.bubblewrap import build_bwrap_argv

        program = by_shell(program)  # bubblewrap has its own messages for a program that cannot be started
        argv = build_bwrap_argv(program.argv, profile)
        if argv is not None:
            confined = spawn_unconfined(replace(program, argv=tuple(argv)), channels, "bubblewrap")
            return attach_quarantine_watch(confined, profile)
    else:
        why = f"there is no sandbox for {sys.platform} yet"
    if program.require or (refused and not elsewhere):
        return Completed(error="sandbox", detail=f"not run, because it cannot be confined: {why}; {ADVICE}")
    note = f"not confined: {why}; {ADVICE}"
    if program.leftovers == "tidy":  # unconfined, it could have created those files itself
        program = replace(program, leftovers="keep")
    return spawn_unconfined(program, channels, "none", once(note) if elsewhere else (note,))


def spawn_unconfined(
    program: Program, channels: Channels | None, sandbox: str = "", notes: tuple[str, ...] = ()
) -> Running:
    if channels is not None:
        try:
            return channels.acquire_remote(program, None, sandbox, notes)
        except NoHelper as exc:
            notes += channels.helper.complaint(exc)
    if not hasattr(select, "poll"):
        from tenterhook.runtime.process.threads import ThreadChild

        return ThreadChild(program, sandbox, notes)
    from tenterhook.runtime.process.child import Child

    return Child(program, sandbox, notes)


def attach_quarantine_watch(running: Running, profile: Profile, seen: Profile | None = None) -> Running:
    """Attach a watch for files that the sandbox cannot prevent from being created; they are found when the hook has
    ended.

    With the profile `seen` last time, the files are checked once more before the hook is let go.
    """
    running.watch = Quarantine(profile, seen=seen)
    return running


def once(note: str) -> tuple[str, ...]:
    new = note not in given_notes
    given_notes.add(note)
    return (note,) if new else ()

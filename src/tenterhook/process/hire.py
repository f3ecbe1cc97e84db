"""Who runs a program, and how it is confined: the one place where that is decided.

A spawner of the helper's that has confined itself; else bubblewrap; else nothing, which is said, or refused where the
sandbox is required. What a mechanism cannot express is always refused, never run with more or less.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenterhook.process.program import Completed, Program, by_shell
from tenterhook.process.running import Running
from tenterhook.sandbox.profile import Profile
from tenterhook.sandbox.quarantine import Watch, as_seen, last_seen
from tenterhook.supervisor import NoHelper, NotConfined

if TYPE_CHECKING:
    from tenterhook.process.lines import Lines

__all__ = ["hire"]

ADVICE = "`tenter doctor` says what this machine can do"
said: set[str] = set()


def hire(program: Program, lines: Lines | None, *, anew: bool = False) -> Running | Completed:
    """Not started yet; or why it must not be. `anew`: what is to be closed and hidden is looked at before all else."""
    profile = program.profile
    if profile is None:
        return unconfined(program, lines)
    try:
        if lines is None:
            raise NotConfined("hooks are started without a supervisor, which would confine them")
        seen = as_seen(profile) if anew else last_seen(profile)
        return watched(lines.hired(program, seen), profile, None if anew else seen)
    except NoHelper as exc:
        why, refused = f"no supervisor could be started ({exc})", False
    except NotConfined as exc:
        why, refused = str(exc), exc.refused
    from tenterhook.sandbox.bubblewrap import wrapped

    program = by_shell(program)  # bubblewrap would have words of its own for what cannot be started
    argv = wrapped(program.argv, profile)
    if argv is not None:
        return watched(unconfined(replace(program, argv=tuple(argv)), lines, "bubblewrap"), profile)
    elsewhere = sys.platform != "linux"
    if elsewhere:
        why = f"there is no sandbox for {sys.platform} yet"
    if program.require or (refused and not elsewhere):
        return Completed(error="sandbox", detail=f"not run, because it cannot be confined: {why}; {ADVICE}")
    note = f"not confined: {why}; {ADVICE}"
    if program.leftovers == "tidy":  # it could have made whatever it leaves somebody behind for
        program = replace(program, leftovers="keep")
    return unconfined(program, lines, "none", once(note) if elsewhere else (note,))


def unconfined(program: Program, lines: Lines | None, sandbox: str = "", notes: tuple[str, ...] = ()) -> Running:
    if lines is not None:
        try:
            return lines.hired(program, None, sandbox, notes)
        except NoHelper as exc:
            notes += lines.helper.complaint(exc)
    from tenterhook.process.child import Child

    return Child(program, sandbox, notes)


def watched(running: Running, profile: Profile, seen: Profile | None = None) -> Running:
    """Looked after: what the sandbox cannot keep from being created is found when the hook has ended.

    With what was `seen` last time, it is looked at once more before the hook is let go.
    """
    running.watch = Watch(profile, seen=seen)
    return running


def once(note: str) -> tuple[str, ...]:
    new = note not in said
    said.add(note)
    return (note,) if new else ()

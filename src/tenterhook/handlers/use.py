"""A hook of an author's file, or a ready one (`library:NAME`), in a process of its own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tenterhook.errors import UsageError
from tenterhook.handlers import Traits
from tenterhook.handlers.command import FAILURES, attempt, build_program
from tenterhook.types import Attempt, Hook, Job

if TYPE_CHECKING:
    from tenterhook.runtime.process import Program

__all__ = ["TRAITS", "attempt", "command_line", "entries", "program"]

TRAITS = Traits(
    about="functions with @hook of a Python file, or a ready hook, in a process of its own",
    options=("options", "only"),
    failures=FAILURES,
)
# The time-out of hooks that do not name one, and the time left to report one that took longer.
USUAL, SPARE = 60.0, 10.0


def program(job: Job) -> Program | Attempt:
    from tenterhook.author.loading import LIBRARY
    from tenterhook.author.start import RUN_HOOK

    spec, event = job.hook.spec, job.given.event
    words = [spec["main"], "--agent", job.given.shape.dialect, "--event", event.name]
    words += ["--only", spec["only"]] if spec.get("only") else []
    if spec.get("options"):
        import msgspec

        words += ["--given", msgspec.json.encode(spec["options"]).decode()]
    words += spec.get("args", ())
    made = build_program(job, (sys.executable, RUN_HOOK, *words))
    if spec["main"].startswith(LIBRARY):
        return made
    return replace(made, ahead=os.path.normpath(os.path.join(job.cwd, spec["main"])))


def command_line(hook: Hook) -> list[str]:
    return ["tenter", "run", str(hook.spec["main"])]


def entries(entry: dict[str, Any], folder: str, *, whole: bool) -> list[dict[str, Any]]:
    """An entry for each function and kind of event that the file declares; UsageError if that cannot be read.

    What the entry itself says comes first. `whole`: the file gets its whole path, because the folder is not the
    project's.
    """
    from tenterhook.author.declarations import check_options, path_of, read_hooks
    from tenterhook.author.kinds import EVENTS
    from tenterhook.author.loading import LIBRARY

    word, options = entry["use"], entry.get("options", {})
    if not isinstance(options, dict):
        raise UsageError(f"options must be a table of the hooks' options, not {options!r}")
    found = [one for one in read_hooks(word, folder) if entry.get("only") in (None, one.name)]
    if not found:
        raise UsageError(f"there is no hook {entry['only']!r} in {word}")
    check_options(found, options)
    place = path_of(word, folder) if whole and not word.startswith(LIBRARY) else word
    rest = {key: value for key, value in entry.items() if key not in ("on", "use", "options")}
    made: list[dict[str, Any]] = []
    for one in found:
        own = {name: value for name, value in options.items() if name.replace("-", "_") in one.options}
        usual = {
            "name": one.name,
            "match": one.match,
            "match_kind": "tool-names",
            "timeout": max(USUAL, (one.timeout or 0.0) + SPARE),
        }
        own_part = {"use": place, "only": one.name, "options": own}
        made += [
            {"on": kind, "on_failure": one.on_failure(kind), **usual, **rest, **own_part}
            for kind in dict.fromkeys(EVENTS.get(kind, kind) for kind in one.kinds)
        ]
    return made

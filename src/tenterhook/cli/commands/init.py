"""`tenter init`: write wrapper scripts and config for an agent, and remove both with --undo."""

from __future__ import annotations

import os
import sys

from tenterhook.cli.options import JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import print_json
from tenterhook.dialects import DEFAULT
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import UsageError
from tenterhook.library.actions.wrapper_script import program
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import visible
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.writing import commit
from tenterhook.tools.install.init import detect
from tenterhook.tools.install.init.install import install
from tenterhook.tools.install.init.undo import undo

USAGE = CommandUsage(
    "init",
    "Let an agent call tenter hook: write wrapper scripts into the project, and config that calls them.\n"
    "The rest of the config stays as it is, with comments; a second init changes nothing.",
    (),
    (
        Option("dialect", "whose agent (default: the one whose files are in the project)", "NAME"),
        PROJECT,
        Option("undo", "undo: restore the files as they were before"),
        Option("dry-run", "only show what would change"),
        Option("replace", "replace scripts that are not from tenter init; --undo gives them back"),
        JSON,
    ),
    "tenter init --dialect moai --dry-run",
    "exit codes: 0 done or nothing to do, 1 could not, or something is left to do by hand",
)

NOTHING = "nothing to undo: no init is on record here"
KEPT = "kept files were changed after tenter init wrote them"


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if "undo" in options and "replace" in options:
        raise USAGE.error("--replace cannot be used with --undo")
    hooks = hooks_for(options)
    job = undo(hooks) if "undo" in options else install(hooks, place=program(), replace="replace" in options)
    if job is None:
        job = FileChanges(dialect=hooks.dialect.name, project=hooks.project, notes=[NOTHING])
    dry = "dry-run" in options
    if job.changes and not dry:
        commit(job.changes, job.folders, job.unwanted)
    if "json" in options:
        print_json(as_data(job, dry))
    else:
        print(as_text(job, dry, "undo" in options))
    return 1 if job.by_hand else 0


def hooks_for(options: dict[str, str]) -> HookSet:
    """The project's hooks, in the named dialect or the one detected from the project's files."""

    def hooks(dialect: str) -> HookSet:
        return HookSet(EngineOptions(options.get("project", "."), dialect=dialect, trust="all", on_config_error="warn"))

    found = hooks(options.get("dialect") or announce_detected_dialect(hooks(DEFAULT), "undo" in options))
    if os.path.realpath(found.project) == os.path.realpath(found.home):
        raise UsageError(f"{found.project} is your home, not a project; go to a project or name it with --project")
    return found


def announce_detected_dialect(hooks: HookSet, undoing: bool) -> str:
    """Detect the dialect from the project's files, and print it."""
    done = detect.find_initialised_dialects(hooks) if undoing else []
    if len(done) > 1:
        raise UsageError(f"inits of several agents are on record; say which one with --dialect: {', '.join(done)}")
    if undoing and not done:
        return DEFAULT  # any will do: nothing is on record
    name, sign = (done[0], "its init is on record") if done else detect.detect(hooks)
    print(f"tenter: --dialect {name} ({sign})", file=sys.stderr)
    return name


def as_text(job: FileChanges, dry: bool, undoing: bool) -> str:
    """Render what happened to each file, the config's diff, and notes."""
    parts = []
    if job.files:
        parts.append(table([[one.what, one.path] for one in job.files]))
    if job.diff:
        parts.append(job.diff.replace("\r\n", "\n").rstrip("\n"))
    if not job.changes and not job.by_hand and not undoing:
        parts.append("nothing to do: the wrappers and the config are there")
    parts += [*job.notes, *job.by_hand]
    if any(one.what == "kept" for one in job.files):
        parts.append(KEPT if undoing else f"{KEPT}; --replace overwrites them")
    if job.changes and dry:
        parts.append("nothing was written (--dry-run)")
    elif job.changes and not undoing:
        parts.append(f"tenter init --dialect {job.dialect} --undo takes it back")
    return visible("\n".join(part for part in parts if part))


def as_data(job: FileChanges, dry: bool) -> dict[str, object]:
    return {
        "dialect": job.dialect,
        "project": job.project,
        "done": bool(job.changes) and not dry,
        "files": job.files,
        "diff": job.diff,
        "notes": job.notes,
        "by_hand": job.by_hand,
    }

"""The changes of an init in a project: wrappers, config entries, and the record of both."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec.structs import replace as changed

from tenterhook.dialects.schema.dialect import Dialect, File, Setup
from tenterhook.engine.hookset import HookSet
from tenterhook.errors import UsageError
from tenterhook.library.actions.wrapper_script import is_ours, text
from tenterhook.support import readers
from tenterhook.tools.install.editing import record as records
from tenterhook.tools.install.editing.edit import EMPTY, Addition, apply_additions
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.record import ConfigRecord, Record, WrapperRecord, digest
from tenterhook.tools.install.editing.writing import PRIVATE, Change, content, folders_for, mode_of, runnable
from tenterhook.tools.install.init.additions import additions


def install(hooks: HookSet, *, place: str, replace: bool = False) -> FileChanges:
    """Nothing is written here. `place` is the program's path; `replace` replaces files that are not from init."""
    dialect, setup = hooks.dialect, setup_of(hooks.dialect)
    job = FileChanges(dialect=dialect.name, project=hooks.project)
    record = records.read(hooks.project, setup) or Record(records.VERSION, dialect.name, {}, {}, [])
    scripts(job, setup, record, place, replace)
    wanted = config(job, dialect, setup, record)
    if job.changes:
        job.notes += elsewhere(job, {setup.folder, *map(os.path.dirname, setup.files)})
        finish(job, setup, record)
        job.notes += overridden(hooks, dialect, wanted)
        if not place:
            job.notes.append("tenter was not found on PATH; the wrappers look there and at ~/.local/bin/tenter")
    return job


def setup_of(dialect: Dialect) -> Setup:
    if dialect.setup is None:
        raise UsageError(f"the dialect {dialect.name} does not say where an init writes to")
    return dialect.setup


def scripts(job: FileChanges, setup: Setup, record: Record, place: str, replace: bool) -> None:
    """Each wrapper that is not as it should be; a changed one stays, a foreign file is refused."""
    foreign = []
    for wrapper in setup.wrappers:
        path = f"{setup.folder}/{wrapper.script}"
        new = text(wrapper, job.dialect, place).encode("utf-8", "surrogateescape")
        now, known = content(job.where(path)), record.scripts.get(wrapper.script)
        as_left = known is not None and now is not None and digest(now) == known.digest
        if now == new and os.access(job.where(path), os.X_OK):
            continue
        if now is None or as_left or now == new:
            made = changed(known, digest=digest(new)) if known else WrapperRecord(digest(new))
            what = "created" if now is None else "changed"
        elif replace:
            made, what = WrapperRecord(digest(new), now, mode_of(job.where(path))), "replaced"
        elif known or is_ours(now):
            job.touch("kept", path)
            continue
        else:
            foreign.append(path)
            continue
        record.scripts[wrapper.script] = made
        job.touch(what, path)
        job.changes.append(Change(job.where(path), now, new, runnable()))
    if foreign:
        listed = "\n".join(f"  {path}" for path in foreign)
        raise UsageError(
            f"these files are not from tenter init:\n{listed}\n--replace replaces them; --undo gives them back"
        )


def config(job: FileChanges, dialect: Dialect, setup: Setup, record: Record) -> list[Addition]:
    """The entries that the config lacks."""
    file = target(job, dialect, setup)
    path = job.target(file.path)
    document = readers.read(job.where(file.path), file.format)
    source = content(path)
    data = document.data if document else {}
    wanted = additions(dialect, setup, file, data)
    job.notes += about_switch(dialect, file, data)
    if not wanted:
        return []
    new, edits = apply_additions(EMPTY[file.format] if source is None else source, file.path, file.format, wanted)
    known = record.configs.get(file.path)
    if known and source is not None:
        left = digest(new) if digest(source) == known.digest else ""
        made = ConfigRecord(known.original, left, [*known.edits, *edits])
    else:
        made = ConfigRecord(source, digest(new), edits)
    record.configs[file.path] = made
    if path != job.where(file.path):
        job.notes.append(f"{file.path} is a link; what changes is {path}")
    job.change("created" if source is None else "changed", file.path, source, new)
    return wanted


def target(job: FileChanges, dialect: Dialect, setup: Setup) -> File:
    """The first existing file, else the first."""
    there = [path for path in setup.files if os.path.lexists(job.where(path))]
    path = (there or list(setup.files))[0]
    return next(file for file in dialect.config.files if file.path == path)


def about_switch(dialect: Dialect, file: File, data: Mapping[str, object]) -> list[str]:
    switch = dialect.config.switches.on
    if not switch or data.get(switch) is True:
        return []
    if switch in data:
        return [f"{switch} is {data[switch]!r} in {file.path}, so {dialect.title} runs no hook; it stays as it is"]
    return [f"{switch} is set to true in {file.path}: without it {dialect.title} runs no hook"]


def overridden(hooks: HookSet, dialect: Dialect, wanted: list[Addition]) -> list[str]:
    """If a project's entries for an event replace the user's own, and there are any."""
    if dialect.config.layers == "add":
        return []
    events = {key for addition in wanted for key in addition.path}
    lost = [hook for hook in hooks.hooks() if hook.event in events and hook.source.scope == "user"]
    return [
        f"{hook.source}: {hook.name!r} no longer runs for {hook.event} here: a project's hooks replace the user's"
        for hook in lost
        if not hook.overridden
    ]


def elsewhere(job: FileChanges, folders: set[str]) -> list[str]:
    """Folders of the project through which we would write somewhere else: a repository can contain such a symlink."""
    around = {"/".join(one.split("/")[: count + 1]) for one in folders if one for count in range(one.count("/") + 1)}
    return [
        f"{folder} is a link; what is written below it is written to {os.path.realpath(job.where(folder))}"
        for folder in sorted(around)
        if os.path.islink(job.where(folder))
    ]


def finish(job: FileChanges, setup: Setup, record: Record) -> None:
    """The record, and all folders needed. The config is written last: with it the hooks begin to run."""
    path = records.path_of(job.project, setup)
    job.folders = folders_for([*(change.path for change in job.changes), path])
    record.folders += [os.path.relpath(folder, job.project) for folder in job.folders]
    before, at = content(path), len(job.changes) - bool(job.diff)
    # It holds the whole config, which other users may not be allowed to read.
    job.changes.insert(at, Change(path, before, records.encode_record(record), PRIVATE))
    job.touch("created" if before is None else "changed", os.path.relpath(path, job.project))

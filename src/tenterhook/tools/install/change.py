"""The changes of an install to an agent's config, and of an uninstall. Nothing is written here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tenterhook.author.registered import GUARDED
from tenterhook.config.entry_keys import TIMEOUT, key_of
from tenterhook.config.timeouts import EITHER, seconds_to_unit
from tenterhook.dialects.schema.dialect import Dialect, Type
from tenterhook.support import readers
from tenterhook.support.http_door import VARIABLE
from tenterhook.tools.install import own_entries
from tenterhook.tools.install.command_line import PROGRAM, EntryCall, Line
from tenterhook.tools.install.editing import record as records
from tenterhook.tools.install.editing.edit import (
    EMPTY,
    Addition,
    Edit,
    apply_additions,
    canonical,
    mentions,
    missing,
    says,
    without,
)
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.record import ConfigRecord, Record, WrapperRecord, digest
from tenterhook.tools.install.editing.writing import PRIVATE, Change, content, folders_for
from tenterhook.tools.install.hookfiles import EventHooks
from tenterhook.tools.install.init.additions import entry_of, place_of, required_additions
from tenterhook.tools.install.init.install import about_switch, elsewhere, overridden
from tenterhook.tools.install.init.undo import format_command, restore_config, taken_out
from tenterhook.tools.install.target import SYSTEM_STATE, Target

# The time-out of an entry, whose hooks may be others tomorrow; and the time left to tell the agent about one that took
# longer than its own.
USUAL, SPARE = 600.0, 10.0
FORGOTTEN = (
    "no record of the install was found, so what this file was before is not known: "
    "an uninstall takes out the entries that are certainly ours, and nothing else"
)


class PriorState(Struct, frozen=True):
    """The file as it is, and as it would be without an earlier install; and what people changed in that install's
    entries.

    `removed` are that install's entries that are as it wrote them. If it is not `recorded`, the original file is not
    `known`.
    """

    source: bytes | None
    base: bytes | None
    left: list[Edit]
    folders: list[str]
    removed: list[Edit] = []
    recorded: bool = True
    known: bool = True


def install(
    target: Target,
    events: list[EventHooks],
    line: Line,
    timeout: float | None,
    files: Mapping[str, bytes | None] | None = None,
) -> FileChanges:
    """One entry for each event. They replace those of an earlier install, of any form.

    `files` are files as they will be when earlier jobs are done.
    """
    job = FileChanges(dialect=target.dialect.name, project=target.root)
    before = read_state_before(job, target, files or {})
    start = EMPTY[target.file.format] if before.base is None else before.base
    data = parse_target(target, start)
    wanted = additions(target, events, line, timeout, data)
    new, edits = apply_additions(start, target.path, target.file.format, wanted)
    now = {one.text() for event in events for one in line.entries_at(target.dialect, event.rule)}
    stale = [edit for edit in before.left if edit.addition.says not in now]
    job.by_hand += [f"take out of {target.path}: the entry with {format_command(edit.addition.says)}" for edit in stale]
    job.notes += [] if before.known else [FORGOTTEN]
    if before.source is not None and canonical(parse_target(target, new)) == canonical(
        parse_target(target, before.source)
    ):
        job.notes += about_switch(target.dialect, target.file, parse_target(target, new))
        if before.removed and not before.recorded:
            whole = ConfigRecord(before.base, "", [*before.left, *before.removed], known=False)
            keep(job, target, before.folders, whole)
        return job
    job.change("created" if before.source is None else "changed", target.path, before.source, new)
    job.notes += about_switch(target.dialect, target.file, data)
    job.notes += elsewhere(job, {os.path.dirname(target.path)})
    job.notes += overridden(target.hooks, target.dialect, wanted)
    left = "" if before.left or not before.known else digest(new)
    keep(job, target, before.folders, ConfigRecord(before.base, left, [*before.left, *edits], known=before.known))
    return job


def read_record(target: Target) -> Record | None:
    """The record of an earlier install into this file."""
    return records.load_record(target.record)


def read_state_before(job: FileChanges, target: Target, files: Mapping[str, bytes | None]) -> PriorState:
    record = read_record(target)
    config = record.configs.get(target.path) if record else None
    where = job.target(target.path)
    source = files[where] if where in files else content(where)
    folders = list(record.folders) if record else []
    if source is None:
        return PriorState(source, source, [], folders)
    if config is None:
        return detect_earlier_install(target, source, folders)
    base, left = taken_out(source, target.path, target.file.format, config)
    data = parse_target(target, source)
    there = [edit for edit in config.edits if edit.addition.says and says(data, edit.addition)]
    removed = [edit for edit in there if edit not in left]
    return PriorState(source, base, left, folders, removed, known=config.known)


def detect_earlier_install(target: Target, source: bytes, folders: list[str]) -> PriorState:
    """Entries that are certainly ours are an earlier install, even without a record."""
    edits = own_entries.entries(target, source, parse_target(target, source))
    base, left = without(source, target.path, target.file.format, edits)
    removed = [edit for edit in edits if edit not in left]
    return PriorState(source, base if removed else source, left, folders, removed, recorded=False, known=not edits)


def parse_target(target: Target, source: bytes) -> Any:
    return readers.parse(source, target.path, target.file.format).data


def keep(
    job: FileChanges,
    target: Target,
    folders: list[str],
    config: ConfigRecord,
    copies: Mapping[str, WrapperRecord] | None = None,
) -> None:
    """The record is written first: a config without one could not be restored. `folders` were made by earlier
    installs, `copies` are hook files beside an administrator's config.
    """
    record = Record(records.VERSION, target.dialect.name, dict(copies or {}), {target.path: config}, folders)
    job.folders = folders_for([target.record, *(change.path for change in job.changes)])
    own = [folder for folder in job.folders if folder.startswith(job.where(""))]
    around = {folder for path in (target.path, *record.scripts) for folder in parents(job, path)}
    record.folders += [os.path.relpath(folder, job.project) for folder in own if folder in around]
    job.changes.insert(0, Change(target.record, content(target.record), records.encode_record(record), PRIVATE))


def parents(job: FileChanges, path: str) -> list[str]:
    folders = os.path.dirname(path).split("/")
    return [job.where("/".join(folders[: count + 1])) for count in range(len(folders))]


def uninstall(target: Target, before: Mapping[str, bytes | None]) -> FileChanges | None:
    """None if no install is on record, and the file has nothing that is certainly ours.

    `before` are files as they will be when earlier jobs are done.
    """
    record = records.load_record(target.record)
    if record is None:
        return uninstall_unrecorded(target, before)
    job = FileChanges(dialect=target.dialect.name, project=target.root)
    rest = Record(record.version, record.dialect, {}, {}, [])
    for path, config in record.configs.items():
        where = job.target(path)
        now = before[where] if where in before else content(where)
        job.notes += [] if config.known else [FORGOTTEN]
        left = restore_config(job, path, target.file.format, config, now)
        if left:
            rest.configs[path] = ConfigRecord(config.original, "", left, known=config.known)
            rest.folders, rest.scripts = record.folders, record.scripts
    after = records.encode_record(rest) if rest.configs else None
    job.changes.append(Change(target.record, content(target.record), after, PRIVATE))
    remove_copies(job, target, record, rest)
    job.unwanted = [job.where(folder) for folder in reversed(record.folders)]
    job.unwanted += [os.path.dirname(target.record), SYSTEM_STATE] if target.managed and after is None else []
    return job


def remove_copies(job: FileChanges, target: Target, record: Record, rest: Record) -> None:
    """Remove the copies of hook files; one that was changed stays."""
    for path, copy in record.scripts.items():
        now = content(job.where(path))
        if now is None:
            continue
        if rest.configs or digest(now) != copy.digest:
            job.touch("kept", path)
            job.notes.append(f"{job.where(path)} stays: " + ("it is in use" if rest.configs else "it was changed"))
        else:
            job.touch("removed", path)
            job.changes.append(Change(job.where(path), now, None))


def uninstall_unrecorded(target: Target, before: Mapping[str, bytes | None]) -> FileChanges | None:
    job = FileChanges(dialect=target.dialect.name, project=target.root, notes=[FORGOTTEN])
    where = job.target(target.path)
    source = before[where] if where in before else content(where)
    # Other problems of the file do not matter here.
    if source is None or not any(word.encode() in source for word in (PROGRAM, VARIABLE)):
        return None
    edits = own_entries.entries(target, source, parse_target(target, source))
    restore_config(job, target.path, target.file.format, ConfigRecord(None, "", edits, known=False), source)
    return job if edits else None


# ---- entries


def additions(target: Target, events: list[EventHooks], line: Line, timeout: float | None, data: Any) -> list[Addition]:
    """The entries that the file lacks; an entry with this command line that was changed counts as present."""
    dialect, install = target.dialect, target.install
    wanted = required_additions(dialect, install.beside, data)
    wanted += keys_of_managed(install.managed.beside if target.managed and install.managed else {}, data)
    list_key = dialect.setup.list_key if dialect.setup else ""
    for event in events:
        path, found = place_of(dialect, target.file.sections[0].hooks, event.rule.name, data, list_key)
        for own in line.entries_at(dialect, event.rule):
            if not mentions(found, own.text()):
                called = hook(target, event, own, timeout)
                entry = entry_of(dialect, event.rule.name, "", called, flat=install.flat)
                wanted.append(Addition(path, entry, says=own.text()))
    return wanted


def keys_of_managed(beside: Mapping[str, int | str | bool], data: Any) -> list[Addition]:
    """The keys that an administrator's file needs and does not have; `TABLE.KEY` is one in a table."""
    found = {tuple(name.split(".")): value for name, value in beside.items()}
    return [Addition(path, value, item=False) for path, value in found.items() if missing(data, path)]


def hook(target: Target, event: EventHooks, line: EntryCall, timeout: float | None) -> dict[str, Any]:
    """One entry's hook: what it calls, its time-out, what its failure means."""
    dialect, install = target.dialect, target.install
    keys = dialect.config.form.keys
    made = line.entry(dialect, install)
    made[key_of(keys, *TIMEOUT)] = in_unit(dialect, line.kind(dialect), seconds(event, timeout))
    if closes(install.closed, event):
        made[key_of(keys, "closed")] = install.closed
    return {key: value for key, value in made.items() if key}  # what the agent has no key for is left out


def seconds(event: EventHooks, asked: float | None) -> float:
    """Long enough for all hooks one after another, whose own time-outs bind; at most what the agent allows."""
    longest = max(USUAL, sum(one.timeout or 0.0 for one in event.hooks) + SPARE)
    return min(asked or longest, event.rule.overrides.longest or float("inf"))


def in_unit(dialect: Dialect, kind: Type, seconds: float) -> float:
    """The number for the config: milliseconds if an agent accepts both, since it once accepted nothing else."""
    unit = kind.unit or dialect.config.unit
    return seconds_to_unit(seconds, "milliseconds" if unit == EITHER else unit)[0]


def closes(closed: str | bool, event: EventHooks) -> bool:
    """Whether the agent should refuse if our process cannot run: wherever a hook may guard."""
    return bool(closed) and event.rule.kind in GUARDED

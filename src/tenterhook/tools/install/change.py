"""What an install changes in an agent's config, and what takes it back. Nothing is written here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tenterhook.author.registered import GUARDED
from tenterhook.config.entry_keys import TIMEOUT, key_of
from tenterhook.config.timeouts import EITHER, seconds_to_unit
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.support import readers
from tenterhook.tools.install import ours
from tenterhook.tools.install.editing import record as records
from tenterhook.tools.install.editing.edit import EMPTY, Addition, Edit, apply_additions, canonical, mentions, without
from tenterhook.tools.install.editing.job import Job
from tenterhook.tools.install.editing.record import Config, Record, digest
from tenterhook.tools.install.editing.writing import PRIVATE, Change, content, folders_for
from tenterhook.tools.install.hookfiles import Heard
from tenterhook.tools.install.init.additions import command_type, entry_of, place_of, required_additions
from tenterhook.tools.install.init.install import about_switch, elsewhere, overridden
from tenterhook.tools.install.init.undo import format_command, restore_config, taken_out
from tenterhook.tools.install.line import PROGRAM, Line
from tenterhook.tools.install.matchers import matcher
from tenterhook.tools.install.target import Target

# How long hooks may take that do not say so themselves, and what is left to tell the agent about one that took longer.
USUAL, SPARE = 60.0, 10.0
FORGOTTEN = (
    "no record of the install was found, so what this file was before is not known: "
    "an uninstall takes out the entries that are certainly ours, and nothing else"
)


class Before(Struct, frozen=True):
    """The file as it is, and as it would be without an earlier install; what of that one people made their own.

    `taken` is what was taken out for that though no install is on record: what the file was before is not `known`.
    """

    source: bytes | None
    base: bytes | None
    left: list[Edit]
    folders: list[str]
    taken: list[Edit] = []
    known: bool = True


def install(target: Target, events: list[Heard], line: Line, timeout: float | None) -> Job:
    """The hooks of this command line take the place of those of an earlier one."""
    job = Job(dialect=target.dialect.name, project=target.root)
    before = read_state_before(job, target)
    start = EMPTY[target.file.format] if before.base is None else before.base
    data = parse_target(target, start)
    wanted = additions(target, events, line, timeout, data)
    new, edits = apply_additions(start, target.path, target.file.format, wanted)
    says = {line.at(target.dialect, event.rule).says(target.install) for event in events}
    stale = [edit for edit in before.left if edit.addition.says not in says]
    job.by_hand += [f"take out of {target.path}: the entry with {format_command(edit.addition.says)}" for edit in stale]
    job.notes += [] if before.known else [FORGOTTEN]
    if before.source is not None and canonical(parse_target(target, new)) == canonical(
        parse_target(target, before.source)
    ):
        job.notes += about_switch(target.dialect, target.file, parse_target(target, new))
        if before.taken:
            keep(job, target, before, Config(before.base, "", [*before.left, *before.taken], known=False))
        return job
    job.change("created" if before.source is None else "changed", target.path, before.source, new)
    job.notes += about_switch(target.dialect, target.file, data)
    job.notes += elsewhere(job, {os.path.dirname(target.path)})
    job.notes += overridden(target.hooks, target.dialect, wanted)
    left = "" if before.left or not before.known else digest(new)
    keep(job, target, before, Config(before.base, left, [*before.left, *edits], known=before.known))
    return job


def read_state_before(job: Job, target: Target) -> Before:
    record = records.load_record(target.record)
    config = record.configs.get(target.path) if record else None
    source = content(job.target(target.path))
    folders = list(record.folders) if record else []
    if source is None:
        return Before(source, source, [], folders)
    if config is None:
        return detect_earlier_install(target, source, folders)
    base, left = taken_out(source, target.path, target.file.format, config)
    return Before(source, base, left, folders, known=config.known)


def detect_earlier_install(target: Target, source: bytes, folders: list[str]) -> Before:
    """What stands there and is certainly ours is an earlier install, though nobody remembers it."""
    edits = ours.entries(target, source, parse_target(target, source))
    base, left = without(source, target.path, target.file.format, edits)
    taken = [edit for edit in edits if edit not in left]
    return Before(source, base if taken else source, left, folders, taken, known=not edits)


def parse_target(target: Target, source: bytes) -> Any:
    return readers.parse(source, target.path, target.file.format).data


def keep(job: Job, target: Target, before: Before, config: Config) -> None:
    """The record goes first: a config without one could not be given back."""
    record = Record(records.VERSION, target.dialect.name, {}, {target.path: config}, before.folders)
    job.folders = folders_for([target.record, *(change.path for change in job.changes)])
    own = [folder for folder in job.folders if folder.startswith(job.where(""))]
    record.folders += [os.path.relpath(folder, job.project) for folder in own if folder in parents(job, target.path)]
    job.changes.insert(0, Change(target.record, content(target.record), records.encode_record(record), PRIVATE))


def parents(job: Job, path: str) -> list[str]:
    folders = os.path.dirname(path).split("/")
    return [job.where("/".join(folders[: count + 1])) for count in range(len(folders))]


def uninstall(target: Target, before: Mapping[str, bytes | None]) -> Job | None:
    """None where no install is on record, and nothing that is certainly ours stands in the file.

    `before` are files as they will be when earlier jobs are done.
    """
    record = records.load_record(target.record)
    if record is None:
        return uninstall_unrecorded(target, before)
    job = Job(dialect=target.dialect.name, project=target.root)
    rest = Record(record.version, record.dialect, {}, {}, [])
    for path, config in record.configs.items():
        where = job.target(path)
        now = before[where] if where in before else content(where)
        job.notes += [] if config.known else [FORGOTTEN]
        left = restore_config(job, path, target.file.format, config, now)
        if left:
            rest.configs[path] = Config(config.original, "", left, known=config.known)
            rest.folders = record.folders
    after = records.encode_record(rest) if rest.configs else None
    job.changes.append(Change(target.record, content(target.record), after, PRIVATE))
    job.unwanted = [job.where(folder) for folder in reversed(record.folders)]
    return job


def uninstall_unrecorded(target: Target, before: Mapping[str, bytes | None]) -> Job | None:
    job = Job(dialect=target.dialect.name, project=target.root, notes=[FORGOTTEN])
    where = job.target(target.path)
    source = before[where] if where in before else content(where)
    if source is None or PROGRAM.encode() not in source:  # whatever else is wrong with it is not our business
        return None
    edits = ours.entries(target, source, parse_target(target, source))
    restore_config(job, target.path, target.file.format, Config(None, "", edits, known=False), source)
    return job if edits else None


# ---- entries


def additions(target: Target, events: list[Heard], line: Line, timeout: float | None, data: Any) -> list[Addition]:
    """What the file lacks; an entry with this command line that somebody changed is there too."""
    dialect, install = target.dialect, target.install
    wanted = required_additions(dialect, install.beside, data)
    list_key = dialect.setup.list_key if dialect.setup else ""
    for event in events:
        path, found = place_of(dialect, target.file.sections[0].hooks, event.rule.name, data, list_key)
        own = line.at(dialect, event.rule)
        if not mentions(found, own.says(install)):
            tools = matcher(dialect, event.rule, event.hooks)
            called = hook(target, event, own, timeout)
            entry = entry_of(dialect, event.rule.name, tools, called, flat=install.flat)
            wanted.append(Addition(path, entry, says=own.says(install)))
    return wanted


def hook(target: Target, event: Heard, line: Line, timeout: float | None) -> dict[str, Any]:
    """One entry's hook: how it is called, how long it may take, what its failure means."""
    dialect, install = target.dialect, target.install
    keys, kind = dialect.config.form.keys, command_type(dialect)
    made: dict[str, Any] = {key_of(keys, "type"): kind.name}
    if install.words:
        made |= {install.program or kind.key: line.program, install.words: line.argv()}
    else:
        made[install.program or kind.key] = line.text()
    made[key_of(keys, *TIMEOUT)] = in_unit(dialect, seconds(event, timeout))
    if closes(install.closed, event):
        made[key_of(keys, "closed")] = install.closed
    return {key: value for key, value in made.items() if key}  # what the agent has no key for is left out


def seconds(event: Heard, asked: float | None) -> float:
    """Long enough for all hooks one after another; no longer than the agent allows at all."""
    usual = max(USUAL, sum(one.timeout or 0.0 for one in event.hooks) + SPARE)
    return min(asked or usual, event.rule.overrides.longest or float("inf"))


def in_unit(dialect: Dialect, seconds: float) -> float:
    """The number that a config says it with: milliseconds where an agent takes both, since it once took no other."""
    unit = command_type(dialect).unit or dialect.config.unit
    return seconds_to_unit(seconds, "milliseconds" if unit == EITHER else unit)[0]


def closes(closed: str | bool, event: Heard) -> bool:
    """Whether the agent shall refuse where our process cannot be had: if a hook here refuses when it fails."""
    kind = event.rule.kind
    return bool(closed) and kind in GUARDED and any(one.on_failure(kind) == "deny" for one in event.hooks)

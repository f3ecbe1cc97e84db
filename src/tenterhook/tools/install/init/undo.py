"""What takes an init back: files as they were, as far as they are still as init left them."""

from __future__ import annotations

import os

from tenterhook.dialects.schema.dialect import Setup
from tenterhook.engine.hookset import HookSet
from tenterhook.errors import ConfigError
from tenterhook.support import readers
from tenterhook.tools.install.editing import record as records
from tenterhook.tools.install.editing.edit import EMPTY, Edit, Refused, with_addition, without
from tenterhook.tools.install.editing.job import Job
from tenterhook.tools.install.editing.record import Config, Record, digest
from tenterhook.tools.install.editing.writing import Change, content
from tenterhook.tools.install.init.additions import command_of
from tenterhook.tools.install.init.install import setup_of


def undo(hooks: HookSet) -> Job | None:
    """Nothing is written here; None where no init is on record."""
    setup = setup_of(hooks.dialect)
    record = records.read(hooks.project, setup)
    if record is None:
        return None
    job = Job(dialect=hooks.dialect.name, project=hooks.project)
    rest = Record(record.version, record.dialect, {}, {}, [])
    formats = {file.path: file.format for file in hooks.dialect.config.files}
    for path, config in record.configs.items():
        left = restore_config(job, path, formats[path], config, content(job.target(path)))
        if left:
            rest.configs[path] = Config(config.original, "", left)
    called = {edit.addition.says for config in rest.configs.values() for edit in config.edits}
    restore_scripts(job, setup, record, rest, called)
    where = records.path_of(job.project, setup)
    rest.folders = record.folders if rest.configs else []
    job.changes.append(Change(where, content(where), records.encode_record(rest) if rest.configs else None))
    job.touch("changed" if rest.configs else "removed", os.path.relpath(where, job.project))
    job.unwanted = [job.where(folder) for folder in reversed(record.folders)]
    return job


def restore_config(job: Job, path: str, format: str, config: Config, now: bytes | None) -> list[Edit]:
    """The file as it is now without our entries, as far as it is there; the edits that stay."""
    if now is None:
        return []
    after, left = taken_out(now, path, format, config)
    job.by_hand += [f"take out of {path}: the entry with {format_command(edit.addition.says)}" for edit in left]
    if after != now:
        same = config.known and after == config.original
        what = "removed" if after is None else "restored" if same else "changed"
        job.change(what, path, now, after)
    return left


def taken_out(now: bytes, path: str, format: str, config: Config) -> tuple[bytes | None, list[Edit]]:
    """The original where nobody touched the file since; else the file without our entries, and the edits that stay."""
    if is_unchanged_since_init(now, path, format, config):
        return config.original, []
    after, left = without(now, path, format, config.edits)
    made = config.known and config.original is None  # the file was not there before
    return None if made and after == EMPTY[format] else after, left


def format_command(says: str) -> str:
    """A command as a person reads it."""
    return says.replace("\0", " ")


def is_unchanged_since_init(now: bytes, path: str, format: str, config: Config) -> bool:
    """Whether the file is as init left it: a record from elsewhere must not put anything else into it."""
    if digest(now) != config.digest:
        return False
    original = EMPTY[format] if config.original is None else config.original
    try:
        data = readers.parse(original, path, format).data
        for edit in config.edits:
            data = with_addition(data, edit.addition)
        return repr(data) == repr(readers.parse(now, path, format).data)
    except (ConfigError, Refused):
        return False


def restore_scripts(job: Job, setup: Setup, record: Record, rest: Record, called: set[str]) -> None:
    """Wrappers go; those that somebody changed stay, and those that an entry which stays still calls."""
    commands = {wrapper.script: command_of(setup, wrapper) for wrapper in setup.wrappers}
    for name, script in record.scripts.items():
        path = f"{setup.folder}/{name}"
        if not os.path.lexists(job.where(path)):
            continue
        now = None if os.path.islink(job.where(path)) else content(job.where(path))
        if now is None or digest(now) != script.digest:
            job.touch("kept", path)
        elif commands[name] in called:
            job.touch("kept", path)
            rest.scripts[name] = script
        else:
            job.touch("removed" if script.original is None else "restored", path)
            job.changes.append(Change(job.where(path), now, script.original, script.mode))

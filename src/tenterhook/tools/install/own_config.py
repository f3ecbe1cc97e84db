"""The hooks that an install is given, as `use` entries of our own config: the project's, or the user's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tenterhook import dialects
from tenterhook.author.loading import LIBRARY
from tenterhook.config.settings import SYSTEM
from tenterhook.dialects.schema.dialect import Install, Managed
from tenterhook.errors import UsageError
from tenterhook.support.paths import within
from tenterhook.tools.approve.decide import approvable, approve, look
from tenterhook.tools.install.change import keep, parse_target, read_record
from tenterhook.tools.install.editing.edit import EMPTY, Addition, apply_additions, mentions
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.record import ConfigRecord, WrapperRecord, digest
from tenterhook.tools.install.editing.writing import Change, content
from tenterhook.tools.install.target import Target, build_managed_target, build_target

OWN = Install(
    project="tenterhook.toml",
    user="@config/tenterhook/tenterhook.toml",
    managed=Managed(linux=SYSTEM, macos=SYSTEM),
)
# The folder beside the administrator's config into which hook files are copied: users must not be able to change them.
COPIES = "hooks"
# An administrator's config before its first hook. Some agents want its folder to be there.
STARTER = b"# Hooks for all users of this machine.\n"
LIST = ("hook",)


def own_target(project: str, *, user: bool, managed: bool = False) -> Target:
    if managed:
        return build_managed_target(dialects.DEFAULT, OWN)
    return build_target(dialects.DEFAULT, OWN, project, user=user)


def add_hooks(target: Target, files: Sequence[tuple[str, dict[str, Any]]]) -> FileChanges:
    """An entry for each file that the config does not name yet."""
    job = FileChanges(dialect=target.dialect.name, project=target.root)
    record = read_record(target)
    source = content(job.target(target.path))
    start = first_text(target) if source is None else source
    there = parse_target(target, start).get(LIST[0])
    wanted: list[Addition] = []
    for word, options in files:
        name = name_in_config(word, target)
        if mentions(there, name) or any(one.says == name for one in wanted):
            job.notes.append(f"{target.path} names {name} already; that entry stays as it is")
        else:
            wanted.append(entry_for(name, options))
    copied = copy_hooks(job, target, files, dict(record.scripts) if record else {}) if target.managed else {}
    if not wanted and not (target.managed and source is None):
        if record and job.changes:  # a hook file that was copied before has changed
            keep(job, target, list(record.folders), record.configs[target.path], copied)
        return job
    new, edits = apply_additions(start, target.path, target.file.format, wanted)
    job.change("created" if source is None else "changed", target.path, source, new)
    earlier = record.configs.get(target.path) if record and source is not None else None
    original = earlier.original if earlier else source
    whole = ConfigRecord(original, digest(new), [*(earlier.edits if earlier else []), *edits])
    keep(job, target, list(record.folders) if record else [], whole, copied)
    return job


def first_text(target: Target) -> bytes:
    """What a new config begins with."""
    return STARTER if target.managed else EMPTY[target.file.format]


def entry_for(name: str, options: dict[str, Any]) -> Addition:
    return Addition(LIST, {"use": name, **({"options": options} if options else {})}, says=name)


def copy_hooks(
    job: FileChanges, target: Target, files: Sequence[tuple[str, dict[str, Any]]], copies: dict[str, WrapperRecord]
) -> dict[str, WrapperRecord]:
    """Copy the named files beside the administrator's config. Returns the record of all copies."""
    for word, _ in files:
        if word.startswith(LIBRARY):
            continue
        path = os.path.join(os.path.dirname(target.path), name_in_config(word, target))
        new, now = content(os.path.realpath(word)), content(job.where(path))
        if new is None or new == now:
            continue
        if now is not None and (path not in copies or digest(now) != copies[path].digest):
            raise UsageError(f"{job.where(path)} is another file, or was changed; move it away first")
        job.touch("created" if now is None else "changed", path)
        job.notes.append(
            f"{word} is copied to {job.where(path)}; it runs from there, without other files of its folder"
        )
        job.changes.append(Change(job.where(path), now, new))
        copies[path] = WrapperRecord(digest(new))
    return copies


def name_in_config(word: str, target: Target) -> str:
    """A file of the project by its path from there, one of the user's own by its whole path, a copy by its own."""
    if word.startswith(LIBRARY):
        return word
    path = os.path.abspath(word)
    if target.managed:
        path = os.path.join(COPIES, os.path.basename(path))
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode(errors="backslashreplace").decode()
        raise UsageError(f"{shown} is not UTF-8, so no config can name it; rename it first") from None
    if target.managed:
        return path
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    root = os.path.realpath(target.root)
    return os.path.relpath(real, root) if not target.user and within(real, root) else path


def approve_hooks(target: Target, files: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    """Approve the hooks of these files: the user has named them. Returns their names. Those of the user's own config
    and of the administrator's need nothing.
    """
    if target.user or target.managed:
        return []
    names = {name_in_config(word, target) for word, _ in files}
    found = look(target.hooks.project, agents=(dialects.DEFAULT,))
    wanted = [
        one
        for one in approvable(found.standings)
        if one.item.kind == "hook" and one.item.entry.get("spec", {}).get("main") in names
    ]
    if wanted:
        approve(found, wanted)
    return list(dict.fromkeys(one.item.name for one in wanted))

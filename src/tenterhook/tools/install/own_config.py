"""The hooks that an install is given, as `use` entries of our own config: the project's, or the user's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tenterhook import dialects
from tenterhook.author.loading import LIBRARY
from tenterhook.config.locations import within
from tenterhook.dialects.schema.dialect import Install
from tenterhook.errors import UsageError
from tenterhook.tools.approve.decide import approvable, approve, look
from tenterhook.tools.install.change import keep, parse_target, read_record
from tenterhook.tools.install.editing.edit import EMPTY, Addition, apply_additions, mentions
from tenterhook.tools.install.editing.file_changes import FileChanges
from tenterhook.tools.install.editing.record import ConfigRecord, digest
from tenterhook.tools.install.editing.writing import content
from tenterhook.tools.install.target import Target, build_target

OWN = Install(project="tenterhook.toml", user="@config/tenterhook/tenterhook.toml")
LIST = ("hook",)


def own_target(project: str, *, user: bool) -> Target:
    return build_target(dialects.DEFAULT, OWN, project, user=user)


def add_hooks(target: Target, files: Sequence[tuple[str, dict[str, Any]]]) -> FileChanges:
    """An entry for each file that the config does not name yet."""
    job = FileChanges(dialect=target.dialect.name, project=target.root)
    record = read_record(target)
    source = content(job.target(target.path))
    start = EMPTY[target.file.format] if source is None else source
    there = parse_target(target, start).get(LIST[0])
    wanted: list[Addition] = []
    for word, options in files:
        name = name_in_config(word, target)
        if mentions(there, name) or any(one.says == name for one in wanted):
            job.notes.append(f"{target.path} names {name} already; that entry stays as it is")
        else:
            wanted.append(Addition(LIST, {"use": name, **({"options": options} if options else {})}, says=name))
    if not wanted:
        return job
    new, edits = apply_additions(start, target.path, target.file.format, wanted)
    job.change("created" if source is None else "changed", target.path, source, new)
    earlier = record.configs.get(target.path) if record and source is not None else None
    original = earlier.original if earlier else source
    whole = ConfigRecord(original, digest(new), [*(earlier.edits if earlier else []), *edits])
    keep(job, target, list(record.folders) if record else [], whole)
    return job


def name_in_config(word: str, target: Target) -> str:
    """A file of the project by its path from there, one of the user's own by its whole path."""
    if word.startswith(LIBRARY):
        return word
    path = os.path.abspath(word)
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode(errors="backslashreplace").decode()
        raise UsageError(f"{shown} is not UTF-8, so no config can name it; rename it first") from None
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    root = os.path.realpath(target.root)
    return os.path.relpath(real, root) if not target.user and within(real, root) else path


def approve_hooks(target: Target, files: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    """Approve the hooks of these files: the user has named them. Returns their names. The user's own need nothing."""
    if target.user:
        return []
    names = {name_in_config(word, target) for word, _ in files}
    found = look(target.hooks.project, dialect=dialects.DEFAULT)
    wanted = [
        one
        for one in approvable(found.standings)
        if one.item.kind == "hook" and one.item.entry.get("spec", {}).get("main") in names
    ]
    if wanted:
        approve(found, wanted)
    return list(dict.fromkeys(one.item.name for one in wanted))

"""What is suspicious about whole files: duplicate keys, files that the agent does not read, a switch that is off."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from msgspec import Struct

from tenterhook.config.entries import Problem
from tenterhook.config.load import Loaded, dig, holders
from tenterhook.config.locations import ConfigLocation
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.support import readers
from tenterhook.support.readers import Document
from tenterhook.types import Path

# The format of a file by its extension.
EXTENSIONS = {".json": "jsonc", ".jsonc": "jsonc", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}


class ConfigFiles(Struct, frozen=True):
    """The config files of one project: the locations, their content, and the result of loading."""

    dialect: Dialect
    project: str
    loaded: Loaded
    documents: Mapping[str, Document]
    searched: bool


def duplicates(files: ConfigFiles) -> Iterator[Problem]:
    for document in files.documents.values():
        for line, column, key in document.duplicates():
            yield Problem("warning", document.file, line, column, f"key {key!r} occurs twice; the last one counts")


def switched_off(files: ConfigFiles) -> Iterator[Problem]:
    """Hooks are configured and the agent's own switch keeps all of them from running."""
    switch, hooks = files.dialect.config.switches.on or files.dialect.config.switches.off[0], files.loaded.hooks
    if not files.loaded.off or not hooks:
        return
    on = "true" if files.dialect.config.switches.on else str(not files.dialect.config.switches.off[1]).lower()
    named = next((one for one in files.documents.values() if dig(one.data, switch)[0] is not None), None)
    if named:
        value, path = dig(named.data, switch)
        line, column = named.where(path)
        text = f"{switch} is {value!r} here, so no hook runs ({len(hooks)} configured); set it to {on}"
        yield Problem("warning", named.file, line, column, text)
    else:
        text = f"{switch} is not set in any file, so no hook runs ({len(hooks)} configured); set it to true"
        yield Problem("warning", hooks[0].source.file, 1, 1, text)


def nothing_there(files: ConfigFiles) -> Iterator[Problem]:
    """The one file that the caller named has no hooks where this dialect looks for them."""
    if files.searched or files.loaded.hooks or files.loaded.problems:
        return
    for place in files.loaded.places:
        names = " or ".join(section.hooks for section in place.file.sections)
        yield Problem("warning", place.path, 1, 1, f"no hooks in this file; they are looked for under {names}")


def unread(files: ConfigFiles) -> Iterator[Problem]:
    """A file with hooks in it, next to a path that is read, under an extension that is not."""
    if not files.searched:
        return
    read = {place.path for place in files.loaded.places}
    for place in files.loaded.places:
        base, extension = os.path.splitext(place.path)
        for other, format in EXTENSIONS.items():
            path = base + other
            if extension in EXTENSIONS and path not in read and os.path.isfile(path):
                read.add(path)
                yield from not_read(path, format, place, files)


def not_read(path: str, format: str, place: ConfigLocation, files: ConfigFiles) -> Iterator[Problem]:
    document = readers.read_if_valid(path, format)
    found = hooks_in(document, place) if document else None
    if document and found is not None:
        line, column = document.where(found)
        names = ", ".join(file.path for file in files.dialect.config.files if file.scope == place.file.scope)
        text = f"this file is not read, and has hooks in it; {files.dialect.title} reads {names}"
        yield Problem("warning", path, line, column, text)


def status_lines(files: ConfigFiles) -> Iterator[Problem]:
    """A status line's command expands nothing, so what would be right in a hook is wrong there."""
    from tenterhook.tools.approve.statusline import words_of

    key = files.dialect.config.status_line
    for document in files.documents.values() if key else ():
        value, path = dig(document.data, key)
        if value is None:
            continue
        words = words_of(value)
        problem = words if isinstance(words, str) else unfit(words, files.project)
        if problem:
            inner = (*path, "command") if isinstance(value, dict) and "command" in value else path
            yield Problem("warning", document.file, *document.where(inner), f"{key}: {problem}")


def unfit(words: tuple[str, ...], project: str) -> str:
    first = words[0]
    if "$" in first or first.startswith("~"):
        return f"nothing expands in its command, so {first!r} is not a file; write a path from the project's root"
    if os.sep in first and not os.path.exists(os.path.join(project, first)):
        return f"{first} does not exist; the path counts from the project's root"
    return ""


def hooks_in(document: Document, place: ConfigLocation) -> Path | None:
    """The position at which the file has what the dialect's own file would have for hooks."""
    for section in place.file.sections:
        for holder, path, _ in holders(document.data, section, place.path):
            value, inner = dig(holder, section.hooks)
            if value:
                return (*path, *inner)
    return None

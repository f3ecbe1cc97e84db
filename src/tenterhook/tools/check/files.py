"""What is suspicious about whole files: duplicate keys, files that the agent does not read, a switch that is off."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from msgspec import Struct

from tenterhook.config.entries import Problem
from tenterhook.config.load import Loaded, dig
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.support.readers import Document
from tenterhook.tools.agents import hooks_in, misplaced_events, unread_files
from tenterhook.tools.check import CheckFinding, Fix


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
            text = f"key {key!r} occurs twice; the last one counts"
            yield Problem("warning", document.file, line, column, text, "duplicate-key")


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
        yield Problem("warning", named.file, line, column, text, "switched-off", path)
    else:
        text = f"{switch} is not set in any file, so no hook runs ({len(hooks)} configured); set it to true"
        yield Problem("warning", hooks[0].source.file, 1, 1, text, "switched-off")


def nothing_there(files: ConfigFiles) -> Iterator[Problem]:
    """The one file that the caller named has no hooks where this dialect looks for them."""
    if files.searched or files.loaded.hooks or files.loaded.problems:
        return
    for place in files.loaded.places:
        names = " or ".join(section.hooks for section in place.file.sections)
        text = f"no hooks in this file; they are looked for under {names}"
        yield Problem("warning", place.path, 1, 1, text, "no-hooks")


def missing_wrapper(files: ConfigFiles) -> Iterator[Problem]:
    """Events at the top of a file, where the agent looks for them under a key."""
    for place in files.loaded.places:
        document = files.documents.get(place.path)
        events = list(misplaced_events(document, place, files.dialect)) if document else []
        if not document or not events:
            continue
        key = place.file.sections[0].hooks
        path = (events[0],)
        cost = "no hook of this file runs" if place.file.alone else "its hooks never run"
        which = f"{events[0]} stands" if len(events) == 1 else f"{', '.join(events)} stand"
        text = f"{which} at the top of the file, and {files.dialect.title} reads events below {key!r}: {cost}"
        fix = Fix("wrap", place.path, (key,), tuple(events)) if "." not in key else None
        line, column = document.where(path)
        yield CheckFinding("error", place.path, line, column, text, "missing-wrapper", path, fix=fix)


def unread(files: ConfigFiles) -> Iterator[Problem]:
    """A file with hooks in it, next to a path that is read, under an extension that is not."""
    for path, document, place in unread_files(files.loaded.places) if files.searched else ():
        found = hooks_in(document, place)
        line, column = document.where(found or ())
        names = ", ".join(file.path for file in files.dialect.config.files if file.scope == place.file.scope)
        text = f"this file is not read, and has hooks in it; {files.dialect.title} reads {names}"
        yield Problem("warning", path, line, column, text, "unread-file")


def status_lines(files: ConfigFiles) -> Iterator[Problem]:
    """In some agents a status line's command expands nothing, so what would be right in a hook is wrong there."""
    from tenterhook.tools.approve.statusline import words_of

    key = files.dialect.config.status_line
    for document in files.documents.values() if files.dialect.config.status_words else ():
        value, path = dig(document.data, key)
        if value is None:
            continue
        words = words_of(value)
        problem = words if isinstance(words, str) else unfit(words, files.project)
        if problem:
            inner = (*path, "command") if isinstance(value, dict) and "command" in value else path
            yield Problem("warning", document.file, *document.where(inner), f"{key}: {problem}", "status-line", inner)


def unfit(words: tuple[str, ...], project: str) -> str:
    first = words[0]
    if "$" in first or first.startswith("~"):
        return f"nothing expands in its command, so {first!r} is not a file; write a path from the project's root"
    if os.sep in first and not os.path.exists(os.path.join(project, first)):
        return f"{first} does not exist; the path counts from the project's root"
    return ""

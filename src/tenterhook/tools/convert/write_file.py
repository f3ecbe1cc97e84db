"""Entries -> the text of a config file, new or added to an existing one; and the hooks read back from it."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config import load
from tenterhook.config.entry_keys import OURS, key_of
from tenterhook.config.locations import FORMATS, ConfigLocation
from tenterhook.dialects import DEFAULT
from tenterhook.dialects.schema.dialect import Dialect, File
from tenterhook.errors import UsageError
from tenterhook.support import readers
from tenterhook.tools.convert import comments
from tenterhook.tools.convert.convert_hook import TargetEntry
from tenterhook.tools.install.editing.edit import EMPTY, Addition, apply_additions, split_bom
from tenterhook.tools.install.init.additions import required_additions
from tenterhook.types import Hook, Path

# A hook with all defaults.
USUAL: dict[str, Any] = {"condition": None, "on_failure": {}, "once": False}


class ListItem(Struct, frozen=True):
    """One item of a list in the file: a group or an entry, and its contents, by the path inside the item."""

    path: tuple[str, ...]
    value: dict[str, Any]
    holds: tuple[tuple[Path, TargetEntry], ...]


class FileText(Struct, frozen=True):
    """A file's text; the position of each entry; the comments that do not fit."""

    text: str
    entries: tuple[tuple[Path, TargetEntry], ...]
    homeless: tuple[tuple[TargetEntry, str], ...]


def file_for(target: Dialect, path: str = "") -> File:
    """The project's file that hooks are written into: the first one, or the first of a format that a path names."""
    formats = FORMATS.get(f".{path.rpartition('.')[2].lower()}", ()) if path else tuple(EMPTY)
    own = [
        one for one in target.config.files if one.scope == "project" and one.format in formats and one.format in EMPTY
    ]
    first = target.install.project if target.install else ""
    fitting = sorted(own, key=lambda one: (not fnmatch(first, one.path), one.origin != "settings"))
    if not fitting:
        known = ", ".join(sorted({one.path for one in target.config.files if one.scope == "project"}))
        raise UsageError(f"{target.title} does not read a project file like {path or 'that'!r}; it reads {known}")
    return fitting[0]


def path_of(file: File) -> str:
    """If any name is allowed, the file gets ours."""
    return file.path.replace("**/", "").replace("*", DEFAULT)


def items(written: list[TargetEntry], target: Dialect, file: File) -> list[ListItem]:
    """Items in the order of the events; hooks of one event with equal groups share a group."""
    by_event: dict[str, list[TargetEntry]] = {}
    for one in written:
        by_event.setdefault(one.rule.name, []).append(one)
    base = tuple(file.sections[0].hooks.split("."))
    if target.config.form.entries:
        return [item for of_event in merge_same_entries(written, target) for item in (single(of_event, base),)]
    below = target.setup.list_key if target.setup else ""
    found: list[ListItem] = []
    for event, entries in by_event.items():
        path = (*base, event, below) if below else (*base, event)
        ordered = sorted(entries, key=lambda one: -one.taken.hook.priority)
        found += (
            group_entries(ordered, path, target.config.form.group)
            if target.config.form.group
            else [single(e, path) for e in ordered]
        )
    return found


def single(one: TargetEntry, path: tuple[str, ...]) -> ListItem:
    return ListItem(path, {**one.group, **one.entry}, (((), one),))


def merge_same_entries(written: list[TargetEntry], target: Dialect) -> list[TargetEntry]:
    """Entries that differ only in their event become one entry for several events."""
    key = key_of(target.config.form.keys, "event")
    found: list[TargetEntry] = []
    for one in written:
        last = found[-1] if found else None
        if last and last.taken.hook.source.path == one.taken.hook.source.path and rest(last, key) == rest(one, key):
            last.entry[key] = [*wrap_in_list(last.entry[key]), one.entry[key]]
        else:
            found.append(one)
    return found


def rest(one: TargetEntry, key: str) -> dict[str, Any]:
    return {name: value for name, value in one.entry.items() if name != key}


def wrap_in_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def group_entries(written: list[TargetEntry], path: tuple[str, ...], group: str) -> list[ListItem]:
    found: list[list[TargetEntry]] = []
    for one in written:
        if found and found[-1][0].group == one.group:
            found[-1].append(one)
        else:
            found.append([one])
    return [
        ListItem(
            path,
            {**entries[0].group, group: [one.entry for one in entries]},
            tuple(((group, n), one) for n, one in enumerate(entries)),
        )
        for entries in found
    ]


def text_of(made: list[ListItem], target: Dialect, file: File, path: str, before: bytes | None = None) -> FileText:
    """The file with these items: a new one, or the existing one, in which nothing else is touched."""
    source = EMPTY[file.format] if before is None else before
    data = readers.parse(source, path, file.format).data if before else {}
    wanted = [item for item in made if item.value not in wrap_in_list(load.dig(data, ".".join(item.path))[0] or [])]
    additions = [Addition(item.path, item.value) for item in wanted]
    beside = target.install.beside if target.install else {}
    content, _ = apply_additions(source, path, file.format, [*required_additions(target, beside, data), *additions])
    entries = tuple(locate_entries(wanted, data))
    notes = [(where, one.comments) for where, one in entries if one.comments]
    bom, bare = split_bom(content)
    text, homeless = comments.insert_comments(bare, file.format, notes)
    left = tuple((one, line) for _, one in entries for line in one.comments) if homeless else ()
    return FileText(bom.decode() + text, entries, left)


def locate_entries(made: list[ListItem], data: Any) -> list[tuple[Path, TargetEntry]]:
    """Where each entry is in the file: after what was there."""
    counts: dict[tuple[str, ...], int] = {}
    found = []
    for item in made:
        there = load.dig(data, ".".join(item.path))[0]
        n = counts.setdefault(item.path, len(there) if isinstance(there, list) else 0)
        counts[item.path] += 1
        found += [((*item.path, n, *inner), one) for inner, one in item.holds]
    return found


def reread(text: str, target: Dialect, file: File, path: str) -> load.Loaded:
    """The hooks that the other agent finds in the text, and the problems it reports."""
    place = ConfigLocation(path, file, True)
    loaded = load.Loaded(places=[place])
    document = readers.parse(text.encode(), path, file.format)
    for found in load.sections(document, place, target, loaded):
        loaded.problems += load.add(found, document, place, target, loaded, load.Directives())
    return loaded


def owners(loaded: load.Loaded, text: FileText, target: Dialect) -> list[tuple[Hook, TargetEntry]]:
    """Each hook that was read back, as the agent itself sees it, with the entry that it was written as."""
    by_path = dict(text.entries)
    found = [(hook, by_path[hook.source.path]) for hook in loaded.hooks if hook.source.path in by_path]
    return [(drop_our_settings(hook, one, target), one) for hook, one in found]


def drop_our_settings(hook: Hook, one: TargetEntry, target: Dialect) -> Hook:
    """Without our own block, which the agent ignores."""
    ours = one.entry.get(key_of(target.config.form.keys, "ours"), {})
    setters = {OURS[name] for name in ours}
    return replace(hook, **{name: usual for name, usual in USUAL.items() if name in setters})

"""The hooks to convert: each with its entry as it was written, and its comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config.load import dig, naming
from tenterhook.config.locations import ConfigLocation
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.hookset import HookSet
from tenterhook.support import readers
from tenterhook.support.paths import within
from tenterhook.support.readers import Document
from tenterhook.support.readers.frontmatter import frontmatter
from tenterhook.tools.convert import comments
from tenterhook.tools.convert.losses import Loss
from tenterhook.types import Hook, Path


class SourceHook(Struct, frozen=True):
    """One hook: in our words, and as its file has it."""

    hook: Hook
    rule: EventRule
    entry: dict[str, Any]
    group: dict[str, Any]
    comments: tuple[str, ...] = ()

    def loss(self, name: str, text: str, *, key: str = "", level: str = "lost", number: int = 0) -> Loss:
        """At the position of a key of the entry, or of the entry itself."""
        source = self.hook.source
        line, column = source.where((*source.path, key) if key else source.path) if source.where else (0, 0)
        return Loss(number, name, level, source.file, line, column, key, self.hook.name, text)

    def saying(self, dialect: Dialect, setters: Iterable[str]) -> str:
        """The key of the entry, or of its group, that sets this; empty if none does."""
        form, wanted = dialect.config.form, set(setters)
        own = (key for key in self.entry if form.keys.get(key) in wanted)
        around = (key for key in self.group if form.group_keys.get(key) in wanted)
        return next(own, "") or next(around, "")


def collect_project_hooks(hooks: HookSet) -> list[SourceHook]:
    """The hooks of the project's own files, or of the one file that the caller named."""
    loaded = hooks.ready()
    found: list[SourceHook] = []
    for place in loaded.places:
        own = [hook for hook in loaded.hooks if hook.source.file == place.path and not hook.overridden]
        if own and (hooks.config or within(place.path, hooks.project)):
            found += of_file(hooks, place, own)
    return found


def of_file(hooks: HookSet, place: ConfigLocation, own: list[Hook]) -> Iterator[SourceHook]:
    document = readers.read(place.path, place.file.format, naming(place))
    if document is None:  # it existed a moment ago
        return
    group = hooks.dialect.config.form.group
    paths = list(dict.fromkeys(hook.source.path for hook in own))
    words = dict(zip(paths, comments_by_entry(document, place, paths), strict=True))
    for hook in own:
        path = hook.source.path
        grouped = group and len(path) > 1 and path[-2] == group
        around = {key: one for key, one in at(document.data, path[:-2]).items() if key != group} if grouped else {}
        # What the agent sets for all hooks of a file is not part of the entry.
        env = {name: value for name, value in hook.env.items() if name not in place.file.env}
        own_words = replace(hook, env=env)
        yield SourceHook(own_words, hooks.rule(hook.event), at(document.data, path), around, tuple(words.pop(path, ())))


def at(data: Any, path: Path) -> dict[str, Any]:
    for key in path:
        data = data[key]
    return data if isinstance(data, dict) else {}


def comments_by_entry(document: Document, place: ConfigLocation, paths: list[Path]) -> list[list[str]]:
    """The comments of each entry, entries in the order of the file."""
    with open(place.path, "rb") as file:
        text = readers.decode_utf8_source(file.read(readers.LARGEST), place.path)
    if place.file.format == "frontmatter":
        text = frontmatter(text)
    ordered = sorted(paths, key=document.where)
    spans = [span(document, path) for path in ordered]
    given = comments.assign_comments(comments.find_comments(text, place.file.format), spans, begin(document, place))
    by_path = dict(zip(ordered, given, strict=True))
    return [by_path[path] for path in paths]


def span(document: Document, path: Path) -> comments.Span:
    first = document.where(path)[0]
    return comments.Span(first, max([first, *(document.where((*path, key))[0] for key in at(document.data, path))]))


def begin(document: Document, place: ConfigLocation) -> int:
    """The line on which the hooks begin; the nearest parent's if they have no key of their own."""
    starts = [document.where(dig({}, section.hooks)[1])[0] for section in place.file.sections]
    return min((line for line in starts if line > 1), default=1)

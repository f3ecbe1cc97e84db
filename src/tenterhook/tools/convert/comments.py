"""Comments of a config file: find them, assign them to entries, write them into another file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from tenterhook.support import readers
from tenterhook.support.readers.json import closing, comment_end, following
from tenterhook.support.readers.toml import TomlScanner
from tenterhook.types import Path

# How a comment begins in each format that has comments.
MARKS = {"jsonc": "//", "toml": "#", "yaml": "#", "frontmatter": "#"}


class Comment(Struct, frozen=True):
    """One comment without its marks, and its line."""

    line: int
    text: str


class Span(Struct, frozen=True):
    """The lines of an entry: its first line, and that of its last key."""

    first: int
    last: int


def find_comments(text: str, format: str) -> list[Comment]:
    """All comments of a text that is known to be valid."""
    offsets = FINDERS[format](text) if format in FINDERS else ()
    return [
        Comment(text.count("\n", 0, at) + 1 + number, words)
        for at, whole in offsets
        for number, line in enumerate(whole.split("\n"))
        if (words := bare(line))
    ]


def bare(line: str) -> str:
    """The words of one comment line."""
    line = line.strip().removesuffix("*/")
    for mark in ("//", "/**", "/*", "#", "*"):
        if line.startswith(mark):
            return line.removeprefix(mark).strip()
    return line.strip()


def in_json(text: str) -> Iterator[tuple[int, str]]:
    slash, quote = following(text, "/", 0), following(text, '"', 0)
    while slash < len(text):
        if quote < slash:
            at = closing(text, quote) + 1
        else:
            at = comment_end(text, slash, "")
            yield slash, text[slash:at]
        slash = following(text, "/", at) if slash < at else slash
        quote = following(text, '"', at) if quote < at else quote


class Commented(TomlScanner):
    """A scan of TOML that collects the comments."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "")
        self.passed: list[tuple[int, str]] = []

    def gap(self) -> str:
        while (char := self.text[self.at]) in " \t\r\n#":
            if char == "#":
                end = self.text.find("\n", self.at)
                end = end if end >= 0 else self.end
                self.passed.append((self.at, self.text[self.at : end]))
                self.at = end
            else:
                self.at += 1
        return char


def in_toml(text: str) -> Iterator[tuple[int, str]]:
    walk = Commented(text)
    walk.scan()
    yield from walk.passed


def in_yaml(text: str) -> Iterator[tuple[int, str]]:
    """The text between two tokens that is not blank."""
    import yaml

    last = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        at = text.find("#", last, token.start_mark.index)
        while at >= 0:
            end = text.find("\n", at)
            yield at, text[at : end if end >= 0 else len(text)]
            at = text.find("#", end, token.start_mark.index) if end >= 0 else -1
        last = max(last, token.end_mark.index)


FINDERS: dict[str, Callable[[str], Iterator[tuple[int, str]]]] = {
    "jsonc": in_json,
    "toml": in_toml,
    "yaml": in_yaml,
    "frontmatter": in_yaml,
}


def assign_comments(comments: Sequence[Comment], spans: Sequence[Span], start: int) -> list[list[str]]:
    """The comments of each entry: those in it, and those above it. `start` is the line at which the hooks begin.

    A block of comments right above that line is about the hooks too; what comes before it, and what comes after the
    last entry, is not about a hook.
    """
    top = start
    lines = {one.line for one in comments}
    while top - 1 in lines:
        top -= 1
    if spans and lines and min(lines) == 1:
        top = 1  # a comment at the top of a file is about the whole file
    taken: list[list[str]] = [[] for _ in spans]
    for one in comments:
        owner = next((n for n, span in enumerate(spans) if one.line <= span.last), None)
        if owner is not None and (one.line >= top):
            taken[owner].append(one.text)
    return taken


def insert_comments(text: str, format: str, notes: Sequence[tuple[Path, Sequence[str]]]) -> tuple[str, list[str]]:
    """The text with comments above what is at each path; and the comments that do not fit."""
    mark = MARKS.get(format, "")
    if not mark:
        return text, [line for _, lines in notes for line in lines]
    document = readers.parse(text.encode(), "", format)
    lines = text.split("\n")
    for path, words in sorted(notes, key=lambda note: -document.where(note[0])[0]):
        at = document.where(path)[0] - 1
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip(" \t"))]
        lines[at:at] = [f"{indent}{mark} {word}" for word in words]
    return "\n".join(lines), []

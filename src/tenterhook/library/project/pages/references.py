"""The links of a Markdown page, however they are written: inline, by reference, as an image, in HTML, as a footnote."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.library.project.pages.markdown import Page

DEFINITION = re.compile(r"^[ \t>]{0,12}\[([^\[\]^\n][^\[\]\n]*)\]:[ \t]*(<[^<>\n]*>|[^\s<]\S*)", re.MULTILINE)
REFERENCE = re.compile(r"(?<![\w\]])!?\[([^\[\]\n]+)\]\[([^\[\]\n]*)\](?![(\[])")
ATTRIBUTE = re.compile(
    r"<(?:a|area|audio|embed|iframe|img|link|script|source|video)\b[^<>]{0,1000}?\s(?:href|src)\s*=\s*"
    r"(\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+)",
    re.IGNORECASE,
)
CODE_NAME = re.compile(r"[\w-]+(?:\.[\w()\[\]-]+)+")
NOTE = re.compile(r"\[\^([\w-]+)\](?!\()")
NOTE_DEFINED = re.compile(r"^[ \t>]{0,12}\[\^([^\]\s]+)\]:", re.MULTILINE)
BRACKETS = re.compile(r"\[|\]\(|\n[ \t]*\n")
LONGEST, DEEPEST = 2000, 32
SPACED = re.compile(r"[^\n()<>\"]*(?:\([^\n()<>\"]*\)[^\n()<>\"]*)*\.\w{1,5}(?=\))")
TITLE = re.compile(r"\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\))\s*\)")


class Link:
    """Where a link stands and where it leads; `problem` says what keeps it from being one."""

    __slots__ = ("offset", "problem", "target")

    def __init__(self, offset: int, target: str, problem: str = "") -> None:
        self.offset, self.target, self.problem = offset, target, problem


def links(page: Page) -> Iterator[Link]:
    yield from inline(page.prose)
    yield from by_reference(page)
    yield from (Link(one.start(), one[1].strip("\"'")) for one in ATTRIBUTE.finditer(page.prose))
    yield from footnotes(page.prose)


def inline(prose: str) -> Iterator[Link]:
    """`[text](target "title")`; brackets and parentheses may be nested in both."""
    opened = 0
    for found in BRACKETS.finditer(prose):
        if found[0] == "[":
            opened += 1
        elif found[0] == "](" and opened:
            opened -= 1
            link = destination(prose, found.end())
            if link:
                yield link
        elif found[0] != "](":
            opened = 0


def destination(prose: str, start: int) -> Link | None:
    """What stands between the parentheses; None where it is no link, only text in brackets."""
    text = prose[start : start + LONGEST].partition("\n\n")[0].lstrip()
    if text.startswith("<"):
        target, closed, tail = text[1:].partition(">")
        return Link(start, target) if closed and "\n" not in target and ends(tail) else None
    size = link_target_length(text)
    target, tail = text[:size], text[size:]
    if ends(tail):
        return Link(start, target, "" if target and target != "#" else "the link is empty: name where it leads")
    spaced = SPACED.match(text)
    if spaced:
        return Link(start, spaced[0], f"the target {spaced[0]!r} holds blanks: write %20 for each, or <...> around it")
    return None


def ends(tail: str) -> bool:
    return tail.lstrip().startswith(")") or bool(TITLE.match(tail))


def link_target_length(text: str) -> int:
    """The length of a target: up to a blank, or to the parenthesis that closes more than was opened."""
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth < 0 or char.isspace():
            return index
        if depth > DEEPEST:
            break
    return len(text)


def by_reference(page: Page) -> Iterator[Link]:
    """Definitions lead somewhere too; a label that nobody defined, or that is defined twice, is told.

    A label may be code, as in [`open`]; the prose has blanks there, and only the page's text tells two of them apart.
    """
    known: dict[str, str] = {}
    for found in DEFINITION.finditer(page.prose):
        label, target = normal(page.text[slice(*found.span(1))]), found[2].strip("<>")
        if known.setdefault(label, target) != target:
            yield Link(found.start(1), target, f"[{label}] is defined again, with another target; the first one counts")
        else:
            yield Link(found.start(1), target)
    for found in REFERENCE.finditer(page.prose):
        named = 2 if found[2] else 1
        label = normal(page.text[slice(*found.span(named))])
        if label not in known and is_label(found[1]) and is_label(normal(found[named])):
            yield Link(found.start(), "", f"[{label}] is defined nowhere: add a line `[{label}]: target`")


def is_label(text: str) -> bool:
    """Words; no number in brackets, and no name of code such as `package.Class`, which some sites look up."""
    return any(char.isalpha() for char in text) and not CODE_NAME.fullmatch(text)


def footnotes(prose: str) -> Iterator[Link]:
    """Where a page has footnotes, or numbers them, each has its text. Elsewhere `[^a-z]` may be anything."""
    defined = {found[1].casefold() for found in NOTE_DEFINED.finditer(prose)}
    for found in NOTE.finditer(prose):
        if found[1].casefold() not in defined and (defined or found[1].isdecimal()):
            yield Link(found.start(), "", f"the footnote [^{found[1]}] has no text: add a line `[^{found[1]}]: ...`")


def normal(label: str) -> str:
    return " ".join(label.split()).casefold()

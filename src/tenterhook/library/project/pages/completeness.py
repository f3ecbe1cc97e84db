"""Whether documents exist and are finished: no empty section, no missing heading, no placeholder."""

from __future__ import annotations

import os
import re

from tenterhook.support import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.library.project.pages.markdown import Heading, Page

LARGEST = 1 << 20
MOST = 100
WORDS = re.compile(r"\b(?:TODO|TBD|TBC|FIXME|XXX)\b|(?i:\blorem ipsum\b)|\{\{[^{}\n]*\}\}|\[(?:\.\.\.|…)\]")
# An instruction in brackets that is not a link: `[your name]`, `[Describe the goal]`.
BRACKETS = re.compile(
    r"\[(?i:your|insert|describe|add|fill|enter|write|replace|specify|provide|explain|list|placeholder|to be)\b"
    r"[^\[\]\n]{0,200}\](?![(\[:])"
)
# Several words, only capitals, or words of forms; not a part of an address or an option.
ANGLES = re.compile(r"(?<![\w</=.:-])<(/?)([A-Za-z][\w.-]*)([^<>\n@]{0,200})>")
ASKED = frozenset("author company date description email name placeholder project title todo tbd version".split())
# The HTML elements that pages use.
ELEMENTS = frozenset(
    "a abbr address article aside audio b blockquote body br button caption center cite code col colgroup dd del "
    "details dfn div dl dt em figcaption figure font footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img "
    "input ins kbd label legend li link main mark meta nav ol optgroup option p path picture pre q rect s samp script "
    "section select small source span strike strong style sub summary sup svg table tbody td text textarea tfoot th "
    "thead time title tr tt u ul var video wbr".split()
)
NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[IVX]+[.)])\s+")
WORD = re.compile(r"\w")


def complete(project: str, globs: list[str], headings: list[str]) -> list[str]:
    """What the documents of these patterns lack, each as `path:line: what`. Every pattern must have one."""
    found = {pattern: matching(project, pattern) for pattern in globs}
    missing = [f"{pattern}: there is no such document" for pattern, names in found.items() if not names]
    return [
        *missing,
        *lacking(project, list(dict.fromkeys(name for names in found.values() for name in names)), headings),
    ]


def lacking(project: str, names: list[str], headings: list[str]) -> list[str]:
    return [f"{name}:{one}" for name in names for one in find_document_gaps(os.path.join(project, name), headings)]


def newest(project: str, names: list[str]) -> str:
    """The file that was written last; empty if there is none."""
    return max(names, key=lambda name: os.path.getmtime(os.path.join(project, name)), default="")


def matching(project: str, pattern: str) -> list[str]:
    """Files of a pattern, relative to the project; files outside of it are not documents of the project."""
    from glob import glob

    names = sorted(glob(pattern, root_dir=project, recursive=True))
    inside = (name for name in names if not os.path.normpath(name).startswith((os.pardir, os.sep)))
    return [name for name in inside if os.path.isfile(os.path.join(project, name))]


def find_document_gaps(path: str, headings: list[str] = ()) -> list[str]:  # type: ignore[assignment]
    """What a document lacks, each as `line: what`; empty for a finished one."""
    text, problem = text_of(path)
    if problem:
        return [f"1: {problem}"]
    from itertools import islice

    from tenterhook.library.project.pages.markdown import Page

    page = Page(text)
    found = sorted([*islice(empty_sections(page), MOST), *islice(fill_ins(page), MOST)])
    return [f"{line}: {what}" for line, what in [*absent(page, headings), *found]]


def text_of(path: str) -> tuple[str, str]:
    """A document's text, or why it has none."""
    try:
        given = files.contents(path, LARGEST + 1)
        text = given.decode("utf-8-sig")
    except OSError as exc:
        return "", f"cannot be read: {exc.strerror}"
    except ValueError:
        return "", "is not UTF-8"
    if len(given) > LARGEST:
        return "", f"is larger than {LARGEST >> 20} MiB"
    return text, "" if WORD.search(text) else "is empty"


def absent(page: Page, headings: list[str]) -> Iterator[tuple[int, str]]:
    present = [plain(one.text) for one in page.headings]
    for wanted in headings:
        name = plain(wanted)
        if not any(one == name or (one.startswith(name) and not one[len(name)].isalnum()) for one in present):
            yield 1, f"the heading {wanted!r} is missing"


def plain(heading: str) -> str:
    """A heading for comparison: without marks, leading numbers and trailing punctuation."""
    return NUMBER.sub("", heading.strip("#*_` \t")).strip("*_`: \t").casefold()


def empty_sections(page: Page) -> Iterator[tuple[int, str]]:
    """Empty sections without any text in sections below; each is reported once, at the outermost."""
    from bisect import bisect_right

    lines = page.text.split("\n")
    own = {one.line for one in page.headings}
    written = [number for number, line in enumerate(lines, 1) if number not in own and WORD.search(line)]
    reported = 0
    for heading, end in zip(page.headings, ends(page.headings, len(lines) + 1), strict=True):
        following = bisect_right(written, heading.line)
        if heading.line >= reported and (following == len(written) or written[following] >= end):
            yield heading.line, f"there is no text below the heading {heading.text[:80]!r}"
            reported = end


def ends(headings: list[Heading], last: int) -> list[int]:
    """The end of each heading's section: the next heading that is not below it."""
    found: list[int] = []
    later: list[Heading] = []
    for heading in reversed(headings):
        while later and later[-1].level > heading.level:
            later.pop()
        found.append(later[-1].line if later else last)
        later.append(heading)
    return found[::-1]


def fill_ins(page: Page) -> Iterator[tuple[int, str]]:
    """Marks of unfinished work, and placeholders, outside of code."""
    for pattern in (WORDS, BRACKETS, ANGLES):
        for found in pattern.finditer(page.prose):
            if pattern is ANGLES and not is_fill_in(found):
                continue
            yield page.line(found.start()), f"{found[0][:60]!r} is left to be filled in"


def is_fill_in(found: re.Match[str]) -> bool:
    """Whether it is not an element of HTML, an address, or a component of a page."""
    closing, name, rest = found[1], found[2], found[3]
    if closing or name.lower() in ELEMENTS or rest.rstrip().endswith("/") or "=" in rest or rest.startswith(":"):
        return False
    return bool(rest.strip()) or (name.isupper() and len(name) > 1) or name.lower() in ASKED

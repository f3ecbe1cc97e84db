"""Whether the links of a page lead somewhere: to existing files and headings. Never uses the network."""

from __future__ import annotations

import os
import re

from tenterhook.errors import nearest
from tenterhook.support import files
from tenterhook.support.paths import within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.library.project.pages.markdown import Page

MARKDOWN = (".md", ".markdown", ".mdx")
PAGES = (*MARKDOWN, ".rst")
LARGEST = 1 << 19
# More would not be read, and a page full of broken links must not take long.
MOST = 200
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
FILLED_IN = ("{{", "{%", "${", "<%", "{filename}", "{static}", "{attach}", "{tag}", "{{<", "|filename|")
# From a page at the top of a repository these lead to the forge's own pages about it.
FORGE = re.compile(
    r"(?:\.\./){2,}(?:actions|blob|commit|compare|discussions|issues|pulls?|releases|security|tree|wiki)\b"
)


class Links:
    """The links of one project. The anchors of a page that many others link to are looked up once."""

    __slots__ = ("known", "project")

    def __init__(self, project: str) -> None:
        self.project = os.path.abspath(project)
        self.known: dict[str, set[str]] = {}

    def problems(self, path: str, text: str) -> list[str]:
        """The problems of a page's links, each as `line:column: what`; empty for a file that is not a page."""
        if path.lower().endswith(MARKDOWN):
            return self.markdown(path, text)
        return self.plain(path, text) if path.lower().endswith(".rst") else []

    def plain(self, path: str, text: str) -> list[str]:
        from tenterhook.library.project.pages import rst

        found = ((line, problem or self.problem(path, target, None)) for line, target, problem in rst.links(text))
        return [f"{line}:1: {what}" for line, what in found if what][:MOST]

    def markdown(self, path: str, text: str) -> list[str]:
        from tenterhook.library.project.pages.markdown import Page

        page = Page(text)
        self.known.pop(path, None)
        found = []
        if page.unclosed:
            found.append((page.unclosed, 1, "the code block that starts here is not closed"))
        for link in page.links():
            if len(found) == MOST:
                break
            what = link.problem or self.problem(path, link.target, page)
            if what:
                found.append((page.line(link.offset), page.column(link.offset), what))
        return [f"{line}:{column}: {what}" for line, column, what in sorted(set(found))]

    def problem(self, path: str, target: str, page: Page | None) -> str:
        """What is wrong with the target of a link; empty if it is right, or cannot be known."""
        from urllib.parse import unquote

        target = target.strip()
        if (
            not target
            or target[0] in "@["
            or SCHEME.match(target)
            or any(mark in target for mark in FILLED_IN)
            or FORGE.match(target)
        ):
            return ""
        name, _, anchor = target.partition("#")
        name = unquote(name.partition("?")[0], errors="surrogateescape")
        if "\0" in name:
            return "the target holds a NUL character"
        if not name:
            return self.missing_anchor(page, path, anchor) if page else ""
        if name.startswith("/") and not name.lower().endswith(MARKDOWN):
            return ""  # a site resolves it from its root, which is not known here
        base = self.project if name.startswith("/") else os.path.dirname(path)
        file = os.path.normpath(os.path.join(base, name.lstrip("/")))
        if not within(file, self.project):
            return f"{name!r} leads out of the project"
        found = existing(file)
        if not found:
            return f"there is no {name!r}{hint(file)}"
        readable = found.lower().endswith(MARKDOWN) and os.path.isfile(found) and os.access(found, os.R_OK)
        return self.missing_anchor(None, found, anchor) if readable else ""

    def missing_anchor(self, page: Page | None, path: str, anchor: str) -> str:
        from urllib.parse import unquote

        from tenterhook.library.project.pages.markdown import normalise_anchor

        if not anchor or anchor.startswith(":~:") or normalise_anchor(anchor) == "top":
            return ""
        there = self.anchors(page, path)
        wanted = normalise_anchor(unquote(anchor).removeprefix("user-content-"))
        if wanted in there or re.fullmatch(r"l\d+(c\d+)?(-l\d+(c\d+)?)?", wanted):
            return ""
        where = "on this page" if page else f"in {os.path.basename(path)!r}"
        return f"there is no heading or anchor #{anchor} {where}{nearest(wanted, there) if len(there) < MOST else ''}"

    def anchors(self, page: Page | None, path: str) -> set[str]:
        from tenterhook.library.project.pages.markdown import Page

        if path not in self.known:
            self.known[path] = (page or Page(files.beginning(path, LARGEST))).anchors()
        return self.known[path]


def existing(file: str) -> str:
    """The file itself, or the page that a site makes under that name; empty if neither exists."""
    if os.path.exists(file):
        return file
    stem = file.removesuffix(".html")
    return next((one for one in candidates(stem) if os.path.isfile(one)), "")


def candidates(stem: str) -> Iterator[str]:
    for suffix in PAGES:
        yield stem + suffix
        yield os.path.join(stem, f"index{suffix}")
        yield os.path.join(stem, f"README{suffix}")


def hint(file: str) -> str:
    """A file with a similar name in the same folder. Suffixes are not compared: all pages would be similar."""
    from difflib import get_close_matches

    try:
        stems = {os.path.splitext(name)[0].lower(): name for name in os.listdir(os.path.dirname(file))}
    except OSError:
        return ""
    close = get_close_matches(os.path.splitext(os.path.basename(file))[0].lower(), stems, n=1, cutoff=0.7)
    return f" (did you mean {stems[close[0]]!r}?)" if close else ""

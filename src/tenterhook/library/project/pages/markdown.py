"""A Markdown page as markdown-it-py reads it: its headings, its links, its anchors, and its prose without code.

markdown-it-py knows the lines of a block, but not the place of a link in it: its rules for links and code are wrapped
here, so that each token knows its place.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from markdown_it import MarkdownIt, rules_inline
from markdown_it.common.utils import normalizeReference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

FRONT = re.compile(r"[\w\"'#-]")
RAW = re.compile(r"\s*<(?:pre|script|style|textarea)\b", re.IGNORECASE)
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
NOT_NEWLINE = re.compile(r"[^\n]")
# The inline tokens whose places are noted, and the rules that make them.
PLACED = ("link_open", "image", "code_inline", "html_inline", "text_special")
RULES = {
    "link": rules_inline.link,
    "image": rules_inline.image,
    "backticks": rules_inline.backtick,
    "html_inline": rules_inline.html_inline,
    "escape": rules_inline.escape,
}
LONGEST_HEADING = 1000

REFERENCE = re.compile(r"(?<![\w\]])!?\[([^\[\]\n]+)\]\[([^\[\]\n]*)\](?![(\[])")
SPACED = re.compile(r"\]\(([^\n()<>\"]*(?:\([^\n()<>\"]*\)[^\n()<>\"]*)*\.\w{1,5})\)")
ATTRIBUTE = re.compile(
    r"<(?:a|area|audio|embed|iframe|img|link|script|source|video)\b[^<>]{0,1000}?\s(?:href|src)\s*=\s*"
    r"(\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+)",
    re.IGNORECASE,
)
CODE_NAME = re.compile(r"[\w-]+(?:\.[\w()\[\]-]+)+")
NOTE = re.compile(r"\[\^([\w-]+)\](?!\()")
NOTE_DEFINED = re.compile(r"^[ \t>]{0,12}\[\^([^\]\s]+)\]:", re.MULTILINE)
IDS = (
    re.compile(r"<\w[^<>]{0,400}?\b(?:id|name)\s*=\s*[\"']?([^\"'\s>]+)"),
    re.compile(r"\{:?[^{}\n]{0,200}#([^\s{}]+)[^{}\n]{0,200}\}"),  # behind a heading
    re.compile(r"(?m)^\(([\w-]+)\)=[ \t]*$"),  # before one
)
IN_BRACES = re.compile(r"\s*\{:?[^{}]*#[^{}]*\}\s*$")
HEADING_OF_HTML = re.compile(r"<h[1-6][^>]*>(.{0,400}?)</h[1-6]>")


class MarkdownReader(MarkdownIt):
    """CommonMark and tables. A target stays as it is written."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"inline_definitions": True})
        self.enable("table")
        for name, rule in RULES.items():
            self.inline.ruler.at(name, note_place(rule))

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url


def note_place(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    def noting(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        found = rule(state, silent)
        if found and not silent:
            made = next((one for one in state.tokens[before : before + 2] if one.type in PLACED), None)
            if made is not None:
                made.meta["place"] = (start, state.pos)
        return found

    return noting


class Heading:
    __slots__ = ("anchor", "level", "line", "text")

    def __init__(self, line: int, level: int, text: str, anchor: str) -> None:
        self.line, self.level, self.text, self.anchor = line, level, text, anchor


class Link:
    """The place and the target of a link; `problem` says why it is not a valid one."""

    __slots__ = ("offset", "problem", "target")

    def __init__(self, offset: int, target: str, problem: str = "") -> None:
        self.offset, self.target, self.problem = offset, target, problem


class Page:
    """One page. `prose` is as long as the text, with blanks in place of code, comments and front matter."""

    __slots__ = ("blocks", "defined", "front", "headings", "inline", "prose", "shown", "starts", "text", "unclosed")

    def __init__(self, text: str) -> None:
        self.text = text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
        lines = text.split("\n")
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        # The lines of the front matter, and the line of a code fence that nothing closes; 0 if there is none.
        self.front = front_matter(lines)
        self.unclosed = 0
        # The types of its tokens, such as table_open.
        self.blocks: set[str] = set()
        self.headings: list[Heading] = []
        self.inline: list[Link] = []
        self.defined: list[Token] = []
        self.shown = list(blank(text))
        self.read(lines)
        self.prose = "".join(self.shown)

    def line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def column(self, offset: int) -> int:
        return offset - self.starts[self.line(offset) - 1] + 1

    def read(self, lines: list[str]) -> None:
        last = len("\n".join(lines).rstrip().split("\n"))
        tokens = MarkdownReader().parse("\n" * self.front + "\n".join(lines[self.front :]))
        cells: dict[int, int] = {}  # how far a line of a table was read
        level = 0
        for token in tokens:
            first, end = token.map or (0, 0)
            self.blocks.add(token.type)
            if token.type == "heading_open":
                level = int(token.tag[1])
            elif token.type == "inline":
                self.block(token, lines, cells)
                if level:
                    text = token.content[:LONGEST_HEADING]
                    self.headings.append(Heading(first + 1, level, text, slug(visible_text(token))))
                level = 0
            elif token.type == "definition":
                self.defined.append(token)
            elif token.type == "html_block" and not RAW.match(token.content):
                start, stop = self.starts[first], self.starts[end] - 1
                self.show(start, COMMENT.sub(lambda one: blank(one[0]), self.text[start:stop]))
            elif token.type == "fence" and end >= last and not closes(lines[first + 1 : end], token.markup):
                self.unclosed = first + 1

    def show(self, offset: int, text: str) -> None:
        self.shown[offset : offset + len(text)] = text

    def block(self, token: Token, lines: list[str], cells: dict[int, int]) -> None:
        """The prose and the links of a paragraph, a heading or a cell, at their places in the page."""
        first = (token.map or [0])[0]
        content, text = token.content, token.content
        for child in token.children or []:
            start, end = child.meta.get("place", (0, 0))
            if child.type in ("code_inline", "text_special") or child.content.startswith("<!--"):
                text = text[:start] + blank(text[start:end]) + text[end:]
        begins, places, at = [], [], 0  # where each line begins in the block, and in the page
        for number, line in enumerate(content.split("\n"), first):
            bare = line.lstrip()
            column = lines[number].find(bare, cells.get(number, 0)) if number < len(lines) else -1
            begins.append(at + len(line) - len(bare))
            places.append(self.starts[min(number, len(lines) - 1)] + max(column, 0))
            if column >= 0:
                cells[number] = column + len(bare)
                self.show(places[-1], text[begins[-1] : at + len(line)])
            at += len(line) + 1
        for child in token.children or []:
            start, end = child.meta.get("place", (0, 0))
            label = content.rfind("](", start, end)
            if child.type not in ("link_open", "image") or label < 0 or content[end - 1] != ")":
                continue  # by reference: its definition is checked
            offset, target = label + 2, str(child.attrs.get("href", child.attrs.get("src", "")))
            index = max(0, bisect_right(begins, offset) - 1)
            problem = "" if target and target != "#" else "the link is empty: name where it leads"
            self.inline.append(Link(places[index] + offset - begins[index], target, problem))

    # ---- links

    def links(self) -> Iterator[Link]:
        yield from self.inline
        known = {one.offset for one in self.inline}
        for found in SPACED.finditer(self.prose):
            if " " in found[1].strip() and found.start(1) not in known:
                what = f"the target {found[1]!r} holds blanks: write %20 for each, or <...> around it"
                yield Link(found.start(1), found[1], what)
        yield from self.by_reference()
        yield from (Link(one.start(), one[1].strip("\"'")) for one in ATTRIBUTE.finditer(self.prose))

    def by_reference(self) -> Iterator[Link]:
        """The targets of definitions, too. Reports labels and footnotes that are not defined, or defined twice."""
        known: dict[str, str] = {}
        notes = {normalizeReference(f"^{found[1]}") for found in NOTE_DEFINED.finditer(self.prose)}
        for token in self.defined:
            label, target = token.meta["id"], token.meta["url"]
            if label.startswith("^"):
                notes.add(label)
                continue
            line = (token.map or [0])[0]
            offset = self.text.find("[", self.starts[line]) + 1
            shown = " ".join(token.meta["label"].split()).casefold()
            again = f"[{shown}] is defined again, with another target; the first one counts"
            yield Link(offset, target, again if known.setdefault(label, target) != target else "")
        for found in REFERENCE.finditer(self.prose):
            named = 2 if found[2] else 1
            label = " ".join(self.text[slice(*found.span(named))].split()).casefold()
            if normalizeReference(label) not in known and is_label(found[1]) and is_label(found[named]):
                yield Link(found.start(), "", f"[{label}] is defined nowhere: add a line `[{label}]: target`")
        for found in NOTE.finditer(self.prose):  # on a page without footnotes, `[^a-z]` may be anything
            if normalizeReference(f"^{found[1]}") not in notes and (notes or found[1].isdecimal()):
                what = f"the footnote [^{found[1]}] has no text: add a line `[^{found[1]}]: ...`"
                yield Link(found.start(), "", what)

    # ---- anchors

    def anchors(self) -> set[str]:
        """All anchors of the page, as `normalise_anchor` writes them."""
        found = {normalise_anchor(one[1]) for pattern in IDS for one in pattern.finditer(self.prose)}
        in_html = (slug(re.sub(r"<[^<>]*>", "", text)) for text in HEADING_OF_HTML.findall(self.prose))
        used = dict[str, int]()
        for made in (*(one.anchor for one in self.headings), *in_html):
            again = used[made] = used.get(made, -1) + 1
            found |= {normalise_anchor(f"{made}{sign}{again}") for sign in "-_"} if again else {normalise_anchor(made)}
        return found


def front_matter(lines: list[str]) -> int:
    """The number of lines of the front matter: between lines of three dashes, or of three plus signs, at the top."""
    mark = lines[0].rstrip()
    if mark not in ("---", "+++") or not any(FRONT.match(line) for line in lines[1:2]):
        return 0  # a rule across the page
    return next((number for number, line in enumerate(lines[1:400], 2) if line.rstrip() == mark), 0)


def closes(lines: list[str], fence: str) -> bool:
    """Whether the last line of a code block ends it."""
    mark = lines[-1].strip(" \t>") if lines else ""
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def blank(text: str) -> str:
    return NOT_NEWLINE.sub(" ", text)


def is_label(text: str) -> bool:
    """Whether it is words; not a number in brackets, nor a name of code such as `package.Class`, which some sites look
    up.
    """
    return any(char.isalpha() for char in text) and not CODE_NAME.fullmatch(text)


def visible_text(token: Token) -> str:
    """The visible text of a heading: no marks, no tags, no images."""
    seen = ("text", "text_special", "code_inline")
    return "".join(one.content if one.type in seen else " " * (one.type == "softbreak") for one in token.children or [])


def slug(text: str) -> str:
    """The anchor that GitHub gives a heading."""
    from unicodedata import category

    text = IN_BRACES.sub("", text).strip().lower()
    return "".join(
        "-" if one == " " else one for one in text if one.isalnum() or one in "-_ " or category(one)[0] == "M"
    )


def normalise_anchor(anchor: str) -> str:
    """An anchor for comparison: renderers differ in capitals, runs of hyphens, and invisible marks."""
    plain = anchor.casefold().replace("\ufe0f", "").replace("\u200d", "")
    return re.sub(r"-+", "-", plain).strip("-")

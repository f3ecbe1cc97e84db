"""A Markdown page as far as links and headings go: its prose without code, its headings, its anchors.

Read line by line, in the way GitHub does it, and rather too kindly than too strictly: what one renderer understands is
no mistake.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTED = re.compile(r"(?:[ \t]{0,3}>[ \t]?)+")
FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
HEADING = re.compile(r"[ \t]{0,3}(#{1,6})(?=[ \t]|$)")
FRONT = re.compile(r"[\w\"'#-]")
UNDERLINE = re.compile(r"[ \t]{0,3}(=+|-{2,})[ \t]*$")
RAW = re.compile(r"<(pre|script|style|textarea)\b", re.IGNORECASE)
# A code span does not go on from one of these lines to the next.
APART = re.compile(r"\n(?=[ \t]*(?:\n|#|\||>|[-*+][ \t]|\d{1,9}[.)][ \t]))")
NOT_NEWLINE = re.compile(r"[^\n]")
LONGEST_HEADING = 1000
# In a heading's code brackets are no links and underscores no emphasis: the one go anyway, the other stay.
CODE, AS_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)"), re.compile(r"[\[\](){}<>&]")


class Heading:
    __slots__ = ("level", "line", "text")

    def __init__(self, line: int, level: int, text: str) -> None:
        self.line, self.level, self.text = line, level, text


class Page:
    """One page. `prose` is as long as the text, with blanks where code, comments and front matter stand."""

    __slots__ = ("front", "headings", "prose", "text", "unclosed")

    def __init__(self, text: str) -> None:
        self.text = text = text.replace("\r\n", "\n").removeprefix("\ufeff")
        self.headings: list[Heading] = []
        # The lines of the front matter, and the line of a code fence that nothing closes; 0 where there is none.
        self.front = front_matter(text)
        self.unclosed = 0
        lines = text.split("\n")
        kept = [blank(line) for line in lines[: self.front]] + Blocks(self, lines[self.front :]).prose()
        self.prose = without_code_spans("\n".join(kept))

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def column(self, offset: int) -> int:
        return offset - self.text.rfind("\n", 0, offset)


class Blocks:
    """One walk over the lines of a page: which are prose, and which of those are headings."""

    def __init__(self, page: Page, lines: list[str]) -> None:
        self.page, self.lines = page, lines
        self.fence = ("", 0, 0)  # its marks, its line, how deep it is quoted
        self.until = ""  # the end of a comment, or of a block of raw HTML
        self.list_indent, self.after_blank, self.paragraph = 0, True, ""

    def prose(self) -> list[str]:
        kept = []
        for number, line in enumerate(self.lines, self.page.front + 1):
            quoted = QUOTED.match(line)
            mark = quoted[0] if quoted else ""
            kept.append(line if self.is_prose(number, line[len(mark) :], mark.count(">")) else blank(line))
        if self.fence[0]:
            self.page.unclosed = self.fence[1]
        return kept

    def is_prose(self, number: int, line: str, depth: int) -> bool:
        if self.fence[0] and depth >= self.fence[2]:
            if closes(line, self.fence[0]):
                self.fence = ("", 0, 0)
            return False
        self.fence = ("", 0, 0)
        if self.until:
            self.until = "" if self.until in line.lower() else self.until
            return False
        if not line.strip():
            self.after_blank, self.paragraph = True, ""
            return True
        body = self.inside_lists(line)
        if body is None:
            return False
        self.after_blank = False
        return not self.opens(number, body, depth) and self.text_line(number, body)

    def inside_lists(self, line: str) -> str | None:
        """The line without its bullet; None for code that is only indented."""
        indent, bullet = width(line), BULLET.match(line)
        if self.after_blank and indent < self.list_indent and not bullet:
            self.list_indent = 0
        if self.after_blank and indent - self.list_indent >= 4 and (not bullet or not self.list_indent):
            return None
        if not bullet or UNDERLINE.match(line):
            return line
        self.list_indent, self.paragraph = len(bullet[0].expandtabs(4)), ""
        return line[bullet.end() :]

    def opens(self, number: int, body: str, depth: int) -> bool:
        """Whether a fence, a comment over several lines, or raw HTML starts here."""
        start = body.lstrip()
        found = FENCE.match(start)
        if found and not (found[1][0] == "`" and "`" in found[2]):
            self.fence, self.paragraph = (found[1], number, depth), ""
            return True
        raw = RAW.match(start)
        if raw and f"</{raw[1].lower()}>" not in start.lower():
            self.until = f"</{raw[1].lower()}>"
            return True
        comment = start.rfind("<!--")
        if comment >= 0 and "-->" not in start[comment:] and "`" not in start[:comment]:
            self.until = "-->"
            return not comment
        return False

    def text_line(self, number: int, body: str) -> bool:
        """Always prose; a heading is noted on the way."""
        heading, underline = HEADING.match(body), UNDERLINE.match(body)
        if heading:
            self.page.headings.append(Heading(number, len(heading[1]), heading_text(body[heading.end() :])))
            self.paragraph = ""
        elif underline and self.paragraph and not self.paragraph.startswith("|"):
            level = 1 if underline[1][0] == "=" else 2
            self.page.headings.append(Heading(number - 1, level, self.paragraph[:LONGEST_HEADING]))
            self.paragraph = ""
        else:
            self.paragraph = body.strip()
        return True


def front_matter(text: str) -> int:
    """How many lines it takes: between lines of three dashes, or of three plus signs, at the very top."""
    lines = text.split("\n", 400)
    mark = lines[0].rstrip()
    if mark not in ("---", "+++"):
        return 0
    if not any(FRONT.match(line) for line in lines[1:2]):
        return 0  # a rule across the page
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() == mark), 0)


def heading_text(rest: str) -> str:
    """Without the marks that may close it."""
    text = rest.strip()
    bare = text.rstrip("#")
    return (bare.rstrip() if not bare or bare[-1] in " \t" else text)[:LONGEST_HEADING]


def width(line: str) -> int:
    """How far a line is indented."""
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())


def closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def blank(text: str) -> str:
    return NOT_NEWLINE.sub(" ", text)


def without_code_spans(text: str) -> str:
    """Blanks for code spans, comments within a line, and brackets that a backslash makes plain."""
    text = re.sub(r"\\[\[\]<()!\\`]", "  ", text)
    done, parts = 0, []
    for end in [*(found.start() for found in APART.finditer(text)), len(text)]:
        parts.append(spans_blanked(text[done:end]))
        done = end
    return without_comments("".join(parts))


def without_comments(text: str) -> str:
    parts, done, start = [], 0, text.find("<!--")
    while start >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[done:start], blank(text[start : end + 3])]
        done = end + 3
        start = text.find("<!--", done)
    return "".join([*parts, text[done:]])


def spans_blanked(text: str) -> str:
    """A run of backticks is closed by the next run of the same length."""
    if "`" not in text:
        return text
    from bisect import bisect_right

    runs = [(found.start(), found.end()) for found in re.finditer("`+", text)]
    by_length: dict[int, list[int]] = {}
    for index, (start, end) in enumerate(runs):
        by_length.setdefault(end - start, []).append(index)
    parts, done, index = [], 0, 0
    while index < len(runs):
        start, end = runs[index]
        same = by_length[end - start]
        place = bisect_right(same, index)
        if place == len(same):
            index += 1
            continue
        close = same[place]
        parts += [text[done:start], blank(text[start : runs[close][1]])]
        done = runs[close][1]
        index = close + 1
    return "".join([*parts, text[done:]])


# ---- anchors


def anchors(page: Page) -> set[str]:
    """Everything on the page that a link can lead to, as `normalise_anchor` writes it."""
    found, used = set(collect_explicit_anchors(page)), dict[str, int]()
    for text in [*(one.text for one in page.headings), *re.findall(r"<h[1-6][^>]*>(.{0,400}?)</h[1-6]>", page.prose)]:
        made = slug(text)
        again = used.get(made, -1) + 1
        used[made] = again
        found |= (
            {normalise_anchor(made)}
            if not again
            else {normalise_anchor(f"{made}-{again}"), normalise_anchor(f"{made}_{again}")}
        )
    return found


def collect_explicit_anchors(page: Page) -> Iterator[str]:
    """Ids that the page gives itself: in HTML, in braces behind a heading, or as `(id)=` before one."""
    for found in re.finditer(r"<\w[^<>]{0,400}?\b(?:id|name)\s*=\s*[\"']?([^\"'\s>]+)", page.prose):
        yield normalise_anchor(found[1])
    for found in re.finditer(r"\{:?[^{}\n]{0,200}#([^\s{}]+)[^{}\n]{0,200}\}", page.prose):
        yield normalise_anchor(found[1])
    for found in re.finditer(r"(?m)^\(([\w-]+)\)=[ \t]*$", page.prose):
        yield normalise_anchor(found[1])


def normalise_anchor(anchor: str) -> str:
    """For comparing: renderers differ in capitals, in runs of hyphens, and in marks that nobody sees."""
    plain = anchor.casefold().replace("\ufe0f", "").replace("\u200d", "")
    return re.sub(r"-+", "-", plain).strip("-")


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    from html import unescape
    from unicodedata import category

    text = CODE.sub(lambda found: AS_CODE.sub("", found[2]).replace("_", "\0"), heading)
    text = re.sub(r"\s*\{:?[^{}]*#[^{}]*\}\s*$", "", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|</?[a-zA-Z][\w-]*(?:\s[^<>]*)?/?>|<!--.*?-->", "", text)
    text = re.sub(r"\[([^\[\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"(?<!\w)(_{1,3})(\S(?:.*?\S)?)\1(?!\w)", r"\2", text)
    text = unescape(text).replace("\0", "_").strip().lower()
    kept = (one for one in text if one.isalnum() or one in "-_ " or category(one)[0] == "M")
    return "".join(kept).replace(" ", "-")

"""The plain links of a reStructuredText page: named files, images, includes, documents."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET = re.compile(r"^\.\. _(?!_)((?:\\.|[^:\n\\])+):[ \t]+(\S.*?)[ \t]*$")
INLINE = re.compile(r"`[^`<>\n]*<([^<>`\n]+)>`__?(?!\w)")
FILE = re.compile(r"^[ \t]*\.\. (?:\|[^|\n]+\| )?(?:image|figure|include|literalinclude)::[ \t]+(\S+)[ \t]*$")
ROLE = re.compile(r":(?:doc|download):`(?:[^`<>\n]*<([^<>`\n]+)>|([^`<>\n]+))`")
LITERAL = re.compile(r"``.*?``")
BLOCK = re.compile(r"^[ \t]*\.\. (?:code|code-block|sourcecode|parsed-literal|highlight|prompt)::")


def links(text: str) -> Iterator[tuple[int, str, str]]:
    """The line and the target of each link, and what is wrong with the link itself."""
    known: dict[str, str] = {}
    for number, line in prose(text):
        named = TARGET.match(line)
        if named:
            name, target = " ".join(named[1].strip("`").split()).casefold(), named[2]
            again = known.setdefault(name, target) != target
            yield number, relative(target), f"the target {name!r} is defined again, with another link" if again else ""
            continue
        for found in (*FILE.finditer(line), *INLINE.finditer(line), *ROLE.finditer(line)):
            target = found[1] or found[2] if found.re is ROLE else found[1]
            yield number, relative(target), ""


def relative(target: str) -> str:
    """A target relative to the page; empty for one that Sphinx resolves from the root of its sources."""
    return "" if target.startswith("/") or target.endswith("_") else target


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines without literal blocks, which are indented deeper than the line that announces them."""
    literal: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        if literal is not None and indent > literal:
            continue
        literal = indent if BLOCK.match(line) or (line.rstrip().endswith("::") and not FILE.match(line)) else None
        yield number, LITERAL.sub("", line)

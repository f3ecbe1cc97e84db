"""Find code that was only there for debugging: break points, debugger calls, dumps."""

from __future__ import annotations

import re

from tenterhook.author.inputs import old_texts
from tenterhook.library.project import kinds
from tenterhook.library.project.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author.event import Event

PATTERNS = {
    "python": r"(?<![\w.\"'])breakpoint\(|\b(?:i?pdb|pudb)\.set_trace\(|^\s*(?:import|from)\s+(?:i?pdb|pudb)\b",
    "node": r"(?<![\w.\"'-])debugger\s*(?:;|$)|\bconsole\.debug\(",
    "rust": r"\bdbg!\s*\(",
    "go": r"\bruntime\.Breakpoint\(|\bspew\.Dump\(",
    ".php": r"(?<![\w>:$\"'])(?:dd|dump|var_dump)\(",
    ".rb": r"\bbinding\.(?:pry|irb)\b|^\s*byebug\b",
}
COMMENTS = ("#", "//", "* ", "/*")


def left_behind(event: Event) -> list[str]:
    """The added lines that should not stay."""
    path = event.path
    pattern = PATTERNS.get(kinds.language_of(path) or kinds.suffix_of(path))
    if not pattern:
        return []
    comments = tuple(mark for mark in COMMENTS if mark != "#" or kinds.language_of(path) in ("python", ""))
    lines = [line for line in find_added_lines(event) if not line.lstrip().startswith(comments)]
    return [f"left behind: {plain(line.strip(), 120)}" for line in lines if re.search(pattern, line)]


def find_added_lines(event: Event) -> list[str]:
    """The lines of the new text that were not in the replaced text."""
    old = {line.strip() for text in old_texts(event.input) for line in text.splitlines()}
    return [line for text in event.texts for line in text.splitlines() if line.strip() not in old]

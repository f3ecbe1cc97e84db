"""Frontmatter: the YAML between two lines of dashes at the top of a Markdown file."""

from __future__ import annotations


def frontmatter(text: str) -> str:
    """The text down to the closing line; empty if there is no frontmatter.

    The opening dashes are kept: YAML reads them as the start of a document, so positions count from the file's top. An
    opening line without a closing one is a horizontal rule.
    """
    at = 0
    for number, line in enumerate(text.split("\n")):
        dashes = line.rstrip(" \t\r")
        if number == 0 and dashes != "---":
            return ""
        if number and dashes in ("---", "..."):
            return text[:at]
        at += len(line) + 1
    return ""

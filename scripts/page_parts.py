"""What several generated pages share: tables in Markdown, and which dialects are ours."""

from __future__ import annotations

from collections.abc import Sequence

from tenterhook import dialects


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A bar in a cell would end it, so it is escaped."""
    lines = [header, ["---"] * len(header), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def quote_first(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The first cell of each row as code, the others as plain text."""
    return [[f"`{first}`", *map(escape, rest)] for first, *rest in rows]


def escape(text: str) -> str:
    """Outside code, Markdown would take stars and tags for its own."""
    return text if text.startswith("`") else text.replace("*", "\\*").replace("<", "\\<")


def own_names() -> list[str]:
    """Only our dialects: other packages describe theirs."""
    outside = {entry.name for entry in dialects.entry_points()}
    return [name for name in dialects.names() if name not in outside]

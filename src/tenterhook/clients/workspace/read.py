"""Read: the lines of a text file, numbered."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from contextlib import closing

from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.texts import SAMPLE, must_be_text
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError
from tenterhook.support.terminal.text import pluralise_count

MOST_LINES, LONGEST_LINE, MOST_CHARACTERS = 2000, 2000, 120_000

ABOUT = f"""Read a text file. Every line comes with its number and a tab before it, which are not part of the file.
At most {MOST_LINES:,} lines come at once; offset and limit ask for others. Lines longer than {LONGEST_LINE:,}
characters are cut."""


def definition(workspace: Workspace) -> Definition:
    def read(file_path: str, offset: int = 1, limit: int = MOST_LINES) -> str:
        if offset < 0 or limit < 1:
            raise WorkspaceError("offset counts lines from 1, and limit is at least 1")
        shown = workspace.display_path(file_path)
        with (
            workspace.open_file(file_path) as fd,
            open(fd, "rb", closefd=False) as file,
            closing(texts(file, shown)) as lines,
        ):
            return format_numbered_lines(lines, max(1, offset), min(limit, MOST_LINES))

    return Definition(
        name="Read",
        about=ABOUT,
        inputs={
            "file_path": {"type": "string", "description": "The file; a relative path counts from the project."},
            "offset": {"type": "integer", "description": "The number of the first line wanted; 1 by default."},
            "limit": {"type": "integer", "description": f"How many lines; {MOST_LINES:,} by default, and at most."},
        },
        function=read,
        required=("file_path",),
        asks=lambda input: workspace.asks(input["file_path"]),
    )


def texts(file: io.BufferedReader, shown: str) -> Generator[tuple[str, int], None, None]:
    """Each line without its end, and how many of its characters are left out. A long line is never held whole."""
    coding = must_be_text(file.peek(SAMPLE), shown)
    file.seek(len(coding.mark))
    text = io.TextIOWrapper(file, coding.encoding, errors="replace", newline="\n")
    try:
        while line := text.readline(LONGEST_LINE):
            more = 0
            while not line.endswith("\n") and (rest := text.readline(1 << 16)):
                more += len(rest.rstrip("\r\n"))
                if rest.endswith("\n"):
                    break
            yield line.rstrip("\r\n"), more
    finally:
        text.detach()


def format_numbered_lines(lines: Iterator[tuple[str, int]], first: int, limit: int) -> str:
    shown: list[str] = []
    room, number = MOST_CHARACTERS, 0
    for number, (line, more) in enumerate(lines, 1):
        if number < first:
            continue
        if len(shown) == limit or room <= 0:
            shown.append(f"[more lines follow: go on with offset {number}]")
            break
        shown.append(f"{number:6}\t{line}" + (f" [... {more:,} more characters]" if more else ""))
        room -= len(shown[-1])
    if shown:
        return "\n".join(shown)
    if number:
        raise WorkspaceError(f"the file has only {pluralise_count(number, 'line')}, so there is no line {first:,}")
    return "[the file is empty]"

"""Edit: replace a text in a file, keeping the file's encoding and line ends."""

from __future__ import annotations

from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.texts import TextEncoding, must_be_text
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError
from tenterhook.support.terminal.text import pluralise_count

LARGEST = 16 << 20
# How many matches are listed by line.
MOST_PLACES = 10

ABOUT = """Replace a text in a file. old_string must be exactly what the file holds, blanks and line breaks included,
and must occur once; with replace_all every occurrence is replaced. The encoding and the line ends of the file stay."""


def definition(workspace: Workspace) -> Definition:
    def edit(file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> str:
        shown = workspace.display_path(file_path)
        check(old_string, new_string)
        data = workspace.read(file_path, LARGEST)
        coding = must_be_text(data, shown)
        text = decode_file_text(coding, data, shown)
        old, new = as_in_file(text, old_string), with_ends(new_string, line_end(text))
        places = find_match_lines(text, old)
        must_fit(places, replace_all, shown, text, old_string)
        workspace.write(file_path, encode_file_text(coding, text.replace(old, new)))
        return f"Edited {shown}: replaced {pluralise_count(len(places), 'occurrence')} at {lines_of(places)}."

    return Definition(
        name="Edit",
        about=ABOUT,
        inputs={
            "file_path": {"type": "string", "description": "The file; a relative path counts from the project."},
            "old_string": {"type": "string", "description": "The text to replace, exactly as in the file."},
            "new_string": {"type": "string", "description": "The text to put in its place."},
            "replace_all": {"type": "boolean", "description": "Replace every occurrence; false by default."},
        },
        function=edit,
        required=("file_path", "old_string", "new_string"),
        asks=True,
    )


def check(old: str, new: str) -> None:
    if not old:
        raise WorkspaceError("old_string is empty: to make a file or to replace all of it, write the whole file")
    if old == new:
        raise WorkspaceError("old_string and new_string are the same, so there is nothing to do")


def decode_file_text(coding: TextEncoding, data: bytes, shown: str) -> str:
    try:
        return coding.decode_bytes(data)
    except UnicodeDecodeError as exc:
        raise WorkspaceError(f"{shown} begins like {coding.encoding} text but is not: {exc.reason}") from None


def encode_file_text(coding: TextEncoding, text: str) -> bytes:
    try:
        return coding.encode_text(text)
    except UnicodeEncodeError:
        raise WorkspaceError("new_string holds half a character, which no file can be given") from None


def line_end(text: str) -> str:
    """The line end of most lines."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def with_ends(text: str, end: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", end)


def as_in_file(text: str, old: str) -> str:
    """The text with the file's line ends: models do not see them, and some files mix them."""
    forms = (with_ends(old, line_end(text)), old, with_ends(old, "\n"), with_ends(old, "\r\n"))
    return next((form for form in forms if form in text), old)


def find_match_lines(text: str, old: str) -> list[int]:
    """The numbers of the lines where it begins."""
    lines, line, at = [], 1, text.find(old)
    before = 0
    while at >= 0:
        line += text.count("\n", before, at)
        lines.append(line)
        before, at = at, text.find(old, at + len(old))
    return lines


def must_fit(places: list[int], replace_all: bool, shown: str, text: str, old: str) -> None:
    if not places:
        raise WorkspaceError(f"old_string does not occur in {shown}{near(text, old)}")
    if len(places) > 1 and not replace_all:
        raise WorkspaceError(
            f"old_string occurs {len(places)} times in {shown}, at {lines_of(places)}: give more of the text around "
            "the one that is meant, or set replace_all"
        )


def near(text: str, old: str) -> str:
    """Where at least its first line occurs, white space aside: most often the blanks are wrong."""
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if first and first == line.strip()]
    if not lines:
        return ": read the file and copy the text exactly"
    return f"; its first line is at {lines_of(lines)}, so compare blanks and what follows there"


def lines_of(places: list[int]) -> str:
    """`line 4`, or `lines 4, 9 and 12`."""
    numbers = [str(place) for place in dict.fromkeys(places)]
    if len(numbers) > MOST_PLACES:
        numbers = [*numbers[: MOST_PLACES - 1], f"{len(numbers) - MOST_PLACES + 1} more"]
    return f"line {numbers[0]}" if len(numbers) == 1 else f"lines {', '.join(numbers[:-1])} and {numbers[-1]}"

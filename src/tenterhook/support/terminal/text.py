"""Text for a terminal: escaped, coloured, shortened. What hooks wrote must not be able to move the cursor."""

from __future__ import annotations

import os
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Sequence
from shutil import get_terminal_size

import msgspec

from tenterhook.support.terminal.table import width

Paint = Callable[[str, str], str]

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# Control, format (they reorder text), lone surrogates (they cannot be printed), line and paragraph separators.
UNPRINTABLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Joins emoji into one; harmless, and ugly when escaped.
JOINER = "\u200d"
NARROWEST, WIDEST = 60, 100


def visible(text: str) -> str:
    """The text with everything escaped that would not print as itself. Newlines stay, tabs become spaces."""
    text = text.replace("\r\n", "\n").expandtabs(4)
    if text.isprintable():
        return text
    return "".join(char if char == "\n" or shows(char) else escape_control_char(char) for char in text)


def one_line(text: str) -> str:
    return visible(text).replace("\n", "\\n")


def shows(char: str) -> bool:
    return char == JOINER or unicodedata.category(char) not in UNPRINTABLE


def escape_control_char(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def painter(colour: bool) -> Paint:
    """paint(style, text): the text in that style; unchanged without a style or without colours."""

    def paint(style: str, text: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colour and style and text else text

    return paint


def colourful() -> bool:
    """Whether our output goes to a user who wants colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """How wide a line may be: the terminal's width, limited, since very long lines are hard to read."""
    return max(NARROWEST, min(WIDEST, get_terminal_size((WIDEST, 24)).columns))


def room_for(rows: Sequence[Sequence[str]], column: int) -> int:
    """How wide one column may be, so that a table that is indented by two fits on a line."""
    others = [max(map(width, cells)) for n, cells in enumerate(zip(*rows, strict=True)) if n != column]
    return max(20, columns() - sum(others) - 2 * (len(others) + 1))


def shorten(text: str, most: int) -> str:
    """The text in at most so many columns; its middle is cut, because scripts differ at their ends."""
    text = one_line(text)
    if width(text) <= most:
        return text
    head = (most - 3) // 2
    return f"{text[:head]}...{text[len(text) - (most - 3 - head) :]}"


def shorten_name(hook: str, most: int) -> str:
    """A hook's name or command line in at most so many columns; redacted first, since half a secret is not
    recognised.
    """
    from tenterhook.support.secrets.redact import Redactor

    return shorten(Redactor(os.environ).text(hook), most)


def wrap_with_indent(text: str, *, first: str, indent: str, most_lines: int = 20) -> list[str]:
    """The text's lines after `first`, further ones indented; long ones are wrapped, too many are left out."""
    room = max(30, columns() - width(indent))
    lines = [part for line in visible(text).split("\n") for part in wrap_line_to_width(line.rstrip(), room)]
    if len(lines) > most_lines:
        lines = [*lines[: most_lines - 1], f"... {len(lines) - most_lines + 1} more lines"]
    return [((indent if n else first) + line).rstrip() for n, line in enumerate(lines)]


def wrap_line_to_width(line: str, room: int) -> list[str]:
    if width(line) <= room:
        return [line]
    return textwrap.wrap(line, room, replace_whitespace=False, break_on_hyphens=False)


def near(place: str) -> str:
    """A file as the user would name it: relative to this folder, or to home."""
    for folder, prefix in ((os.getcwd(), ""), (os.path.expanduser("~"), "~/")):
        if folder != "/" and place.startswith(folder + os.sep):
            return one_line(prefix + place[len(folder) + 1 :])
    return one_line(place)


def as_json(value: object) -> str:
    """One line of JSON. Lone surrogates (file names that are not UTF-8) are escaped, which msgspec will not do."""
    try:
        return msgspec.json.encode(value, enc_hook=str).decode()
    except UnicodeEncodeError:
        import json

        return json.dumps(msgspec.to_builtins(value, enc_hook=str), default=str)


def duration(seconds: float) -> str:
    if seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def pluralise_count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"

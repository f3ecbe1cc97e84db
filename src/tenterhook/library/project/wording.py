"""How names, commands and lists are written for people: one line each, short, without control characters."""

from __future__ import annotations

LINES, CHARACTERS, WIDTH = 20, 2000, 300
LONGEST_COMMAND = 1500


def plain(text: str, width: int = WIDTH) -> str:
    """One printable line: a name can hold line ends, and bytes that are not text."""
    text = text.encode("utf-8", "backslashreplace").decode()
    line = "".join(one if one.isprintable() else "?" for one in text[: width + 1])
    return line if len(line) <= width else line[: width - 3] + "..."


def command_line(words: list[str]) -> str:
    """The command as it can be typed: it may be long, but if it were cut it would not run."""
    import shlex

    return plain(shlex.join(words), LONGEST_COMMAND)


def truncate_lines(lines: list[str], most: int = LINES) -> str:
    """At most that many lines and characters, the first ones; the rest is counted."""
    shown: list[str] = []
    size = 0
    for line in lines:
        size += len(line) + 1
        if len(shown) == most - 1 < len(lines) - 1 or size > CHARACTERS - 40:
            return "\n".join([*shown, f"... and {len(lines) - len(shown)} more lines"])
        shown.append(line)
    return "\n".join(shown)


def count_with_noun(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_name_list(names: list[str], most: int = 5) -> str:
    """`a, b and 3 more`."""
    shown = ", ".join(plain(name, 120) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def seconds(value: float) -> str:
    return f"{value:.1f} s"

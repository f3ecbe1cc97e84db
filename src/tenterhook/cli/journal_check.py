"""`tenter log --verify`: say which lines of the journal are not as they were written."""

from __future__ import annotations

from tenterhook.journal.verify import ChainFinding, verify
from tenterhook.support.terminal.text import near, one_line, pluralise_count

# The most findings that are printed; the first one is where somebody was at work.
SHOWN = 20


def check(folder: str, head: str) -> int:
    """Print what was found; returns the exit code."""
    found = verify(folder, head)
    print(f"{near(folder)}: {pluralise_count(found.lines, 'line')} in {pluralise_count(found.files, 'file')}")
    notes = [text for text in (found.start, count_unlinked(found.unlinked)) if text]
    for text in (*notes, *map(describe, found.notes[:SHOWN])):
        print(f"note: {text}")
    for one in found.problems[:SHOWN]:
        print(f"WRONG: {describe(one)}")
    if len(found.problems) > SHOWN:
        print(f"... and {pluralise_count(len(found.problems) - SHOWN, 'more problem')}")
    if not found.problems:
        print("every line follows the one before it" if found.lines else "there is nothing to check")
    if head in found.places:
        file, line = found.places[head]
        print(f"the line of --head is there: {file}, line {line}")
    if found.head:
        print(f"head: {found.head}")
    return 1 if found.problems else 0


def describe(one: ChainFinding) -> str:
    return f"{one_line(one.file)}, line {one.line}: {one.text}" if one.file else one.text


def count_unlinked(number: int) -> str:
    return f"{pluralise_count(number, 'line')} before the first one with a hash cannot be checked" if number else ""

"""Read the chain of the journal's lines: does each one follow the line that it names?"""

from __future__ import annotations

import os
from collections.abc import Iterator

from msgspec import Struct, field

from tenterhook.journal.chain import digest, previous_file, previous_hash
from tenterhook.journal.files import names
from tenterhook.journal.read import decode_line


class ChainFinding(Struct, frozen=True):
    """What is wrong, or worth knowing, with which line of which file."""

    file: str
    line: int
    text: str


class Verification(Struct):
    """What was found. `head` is the hash of the newest line, `start` what the oldest file names and is not there."""

    files: int = 0
    lines: int = 0
    unlinked: int = 0
    head: str = ""
    start: str = ""
    problems: list[ChainFinding] = field(default_factory=list)
    notes: list[ChainFinding] = field(default_factory=list)
    # By hash: where that line is.
    places: dict[str, tuple[str, int]] = field(default_factory=dict)


def verify(folder: str, head: str = "") -> Verification:
    """Check every line of every file; `head` is the hash of a line that must still be there."""
    found = Verification()
    order = names(folder)
    # By file: which hash each of its lines has.
    known: dict[str, list[str]] = {}
    for name in order:
        lines = list(numbered_lines(os.path.join(folder, name)))
        if not lines:
            continue
        found.files += 1
        check_beginning(found, name, lines[0], known, oldest=not known)
        known[name] = check_file(found, name, lines)
    if head and head not in found.places:
        text = f"no line has the hash {head}: it was changed, cut off with those after it, or deleted for its age"
        found.problems.append(ChainFinding("", 0, text))
    return found


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, without empty ones; none of a file that is gone."""
    try:
        with open(path, "rb") as opened:
            for number, line in enumerate(opened, 1):
                if not line.isspace():
                    yield number, line
    except (FileNotFoundError, IsADirectoryError):
        return


def check_beginning(
    found: Verification, name: str, first: tuple[int, bytes], known: dict[str, list[str]], *, oldest: bool
) -> None:
    """Does a file continue the one that it names?

    Two processes may not agree at once that a new day has begun, so the file before may have a few lines more.
    """
    number, line = first
    before, file = previous_hash(line), previous_file(line)
    if before is None:
        return
    if not file:
        if before:
            found.problems.append(ChainFinding(name, number, "does not say which file it continues"))
        elif not oldest:
            found.problems.append(ChainFinding(name, number, "says that no file comes before it, but there are some"))
    elif file in known:
        if before not in known[file]:
            text = f"continues a line that {file} does not have: its last lines were changed or removed"
            found.problems.append(ChainFinding(name, number, text))
        elif before != known[file][-1]:
            more = len(known[file]) - known[file].index(before) - 1
            found.notes.append(ChainFinding(name, number, f"was begun before {more} lines of {file} were written"))
    elif oldest:
        found.start = f"{name} continues {file}, which is not here: old files are deleted"
    else:
        found.problems.append(
            ChainFinding(name, number, f"continues {file}, which is not there, though older files are")
        )


def check_file(found: Verification, name: str, lines: list[tuple[int, bytes]]) -> list[str]:
    """Does each line follow the one before? Returns the hashes of all."""
    hashes = [digest(line) for _, line in lines]
    places = {hash: number for hash, (number, _) in zip(hashes, lines, strict=True)}
    linked = False
    for position, (number, line) in enumerate(lines):
        says, ended = previous_hash(line), line.endswith(b"\n")
        whole = ended and decode_line(line) is not None
        if says is None and whole and linked:
            found.problems.append(
                ChainFinding(name, number, "does not name the line before it: tenterhook did not write it")
            )
        elif says is None:
            found.unlinked += not linked
        elif position and says != hashes[position - 1]:
            found.problems.append(
                ChainFinding(name, number, explain_break(says, places, lines[position - 1][0], number))
            )
        if not ended:
            found.problems.append(ChainFinding(name, number, "is cut: its writer was killed, or its end was removed"))
        elif not whole:
            found.notes.append(
                ChainFinding(name, number, "is not complete: its writer was killed, or the disk was full")
            )
        linked = linked or says is not None
    found.lines += len(lines)
    found.head = hashes[-1]
    found.places |= {hash: (name, number) for hash, number in places.items()}
    return hashes


def explain_break(says: str, places: dict[str, int], before: int, number: int) -> str:
    """What a line says that does not follow the one before it."""
    other = places.get(says)
    if other is None:
        return f"does not follow line {before}: that line was changed, or lines between them were removed"
    if other > number:
        return f"follows line {other}, which comes after it: lines were moved"
    return f"follows line {other}, not line {before}: lines were moved or put in between"

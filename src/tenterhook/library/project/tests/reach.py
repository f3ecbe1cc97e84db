"""Find the tests that use a source file: directly, by a re-export, or through a module that uses it.

A language that can list a file's imports has `graph`, which gives for each file the files that it imports, the names
that it takes from each, and its own names for them. Other languages have `concerns`, whether a test names a source;
files that name each other are then followed backwards.
"""

from __future__ import annotations

from collections import deque

from tenterhook.library.project import languages
from tenterhook.library.project.commands import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tenterhook.library.project.subject import Subject

MOST_ROUNDS, MOST_WIDE = 4, 30


class Import:
    """One import: the file, the names that are imported (None for the whole), and their local names."""

    __slots__ = ("bound", "names", "path")

    def __init__(self, path: str, names: frozenset[str] | None, bound: frozenset[str]) -> None:
        self.path, self.names, self.bound = path, names, bound


def reaching(subject: Subject, tests: list[str], sources: list[str]) -> tuple[list[str], list[str]]:
    """The tests that use it directly or by re-exports alone, and those that reach it through other code."""
    module = languages.of(subject.language)
    if module is None:
        return [], []
    if not hasattr(module, "graph"):
        inside = [subject.path] if subject.language == "rust" else []
        named = [path for path in [*inside, *tests] if module.concerns(subject.path, path, read(path))]
        return named, [] if named else backwards(subject, tests, sources, module.concerns)
    imports = module.graph([*sources, *tests], subject.folders()[0])
    found = {path: distance(path, subject.path, imports) for path in tests}
    ranked = sorted((far, path) for path, far in found.items() if far is not None)
    return [path for far, path in ranked if not far], [path for far, path in ranked if far]


def distance(test: str, source: str, imports: dict[str, list[Import]]) -> int | None:
    """The number of files with code of their own between a test and the source; None if it does not reach it.

    Names that a file only re-exports are followed to their origin, and nowhere else.
    """
    waiting = deque([(0, Import(test, None, frozenset()))])
    seen: set[tuple[str, frozenset[str] | None]] = set()
    while waiting:
        far, here = waiting.popleft()
        if here.path == source:
            return max(0, far - 1)
        if (here.path, here.names) in seen:
            continue
        seen.add((here.path, here.names))
        given = imports.get(here.path, [])
        passed = [one for one in given if here.names is not None and (one.bound & here.names or "*" in one.bound)]
        step = 0 if passed else 1
        for one in passed or given:
            names = one.names & here.names if passed and one.names is not None and here.names else one.names
            nearer = Import(one.path, names or one.names, one.bound)
            (waiting.append if step else waiting.appendleft)((far + step, nearer))
    return None


def backwards(
    subject: Subject, tests: list[str], sources: list[str], concerns: Callable[[str, str, str], bool]
) -> list[str]:
    """Go from the source to the files that name it, and on from those, until tests are found."""
    texts = {path: read(path) for path in [*sources, *tests]}
    frontier, seen = [subject.path], {subject.path}
    for _ in range(MOST_ROUNDS):
        new = [
            path
            for path, text in texts.items()
            if path not in seen and any(concerns(one, path, text) for one in frontier[:MOST_WIDE])
        ]
        found = [path for path in new if path in tests or concerns(path, path, texts[path])]
        if found or not new:
            return found
        seen.update(new)
        frontier = new
    return []

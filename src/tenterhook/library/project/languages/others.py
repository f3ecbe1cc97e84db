"""Languages whose tests are known by name only: where the test of a source file is, by suffix."""

from __future__ import annotations

import os

# Source suffixes, the folders of tests (the first that exists, else the first), and the test's name.
NAMES: tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...] = (
    ((".java",), ("src/test/java", "test"), "{stem}Test{suffix}"),
    ((".kt",), ("src/test/kotlin", "src/test/java", "test"), "{stem}Test{suffix}"),
    ((".scala",), ("src/test/scala", "test"), "{stem}Spec{suffix}"),
    ((".rb",), ("spec", "test"), "{stem}_spec{suffix}"),
    ((".php",), ("tests", "test"), "{stem}Test{suffix}"),
    ((".cs",), ("tests", "test"), "{stem}Tests{suffix}"),
    ((".swift",), ("Tests",), "{stem}Tests{suffix}"),
    ((".ex", ".exs"), ("test",), "{stem}_test.exs"),
    ((".dart",), ("test",), "{stem}_test{suffix}"),
    ((".lua",), ("spec", "tests"), "{stem}_spec{suffix}"),
    ((".c", ".cc", ".cpp"), ("tests", "test"), "test_{stem}{suffix}"),
)
# Suffixes of one language: a test may have another one than its source.
FAMILIES = ((".ex", ".exs"), (".kt", ".kts", ".java"), (".c", ".cc", ".cpp", ".h", ".hpp"))


def same_family(one: str, other: str) -> bool:
    return one == other or any(one in family and other in family for family in FAMILIES)


def to_write(source: str, folder: str) -> str:
    """The test's path: mirrored below the folder of tests if sources have their own, such as src/main/java."""
    stem, suffix = os.path.splitext(os.path.basename(source))
    found = next((row for row in NAMES if suffix in row[0]), ((suffix,), ("tests",), "test_{stem}{suffix}"))
    _, places, name = found
    place = next((one for one in places if os.path.isdir(os.path.join(folder, one))), places[0])
    if (place, suffix) == ("test", ".rb"):
        name = "{stem}_test{suffix}"
    inside = [one for one in os.path.relpath(os.path.dirname(source), folder).split(os.sep) if one != os.curdir]
    below = inside[3:] if inside[:2] == ["src", "main"] else inside[1:]
    return os.path.join(folder, place, *below, name.format(stem=stem, suffix=suffix))

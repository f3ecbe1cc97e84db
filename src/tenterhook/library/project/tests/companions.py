"""Which tests belong to a source file, which sources to a test, and which test to write if there is none.

By name first (test_app.py, app.test.ts, app_test.go, AppTest.java), then by what the tests import, even if another file
only passes it on; if there are none of these, by what they reach through other code. The search is bounded: a project
can hold more files than a hook has time for.
"""

from __future__ import annotations

import os
from collections import defaultdict

from tenterhook.library.project import kinds, languages
from tenterhook.library.project.languages import others
from tenterhook.library.project.tests.reach import reaching
from tenterhook.library.project.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.project.subject import Subject

MOST_READ, MOST_TESTS = 400, 12


def tests_of(subject: Subject) -> list[str]:
    """The tests of a subject as absolute paths, those by name first, at most a dozen; for a test, the test itself."""
    if subject.kind == "test":
        return [subject.path]
    files = files_by_kind(subject)
    tests = files["test"][:MOST_READ]
    named = nearest(subject, [path for path in tests if is_named_for(path, subject.path)])
    support = [*files["support"], *files["config"]]  # conftest.py is config
    sources = list(dict.fromkeys((subject.path, *files["source"][:MOST_READ], *support[:MOST_READ])))
    direct, through = reaching(subject, tests, sources)
    return list(dict.fromkeys([*named, *direct] or through))[:MOST_TESTS]


def sources_of(subject: Subject) -> list[str]:
    """The sources that a test is about, by its name."""
    return nearest(subject, [path for path in files_by_kind(subject)["source"] if is_named_for(subject.path, path)])


def files_by_kind(subject: Subject) -> dict[str, list[str]]:
    """The files in the subject's language, in its package and in the project's own tests folders."""
    folders = subject.folders()
    roots = [folders[0]]
    if folders[0] != subject.project:
        roots += [os.path.join(subject.project, name) for name in ("tests", "test")]
    found = defaultdict[str, list[str]](list)
    for path in dict.fromkeys(path for root in roots for path in walk(root) if same_language(path, subject)):
        # Relative to the project: the names of the folders above it say nothing about its files.
        found[kinds.kind_of(os.path.relpath(path, subject.project))].append(path)
    return found


def same_language(path: str, subject: Subject) -> bool:
    if subject.language:
        return kinds.language_of(path) == subject.language
    return others.same_family(kinds.suffix_of(path), kinds.suffix_of(subject.path))


def is_named_for(test: str, source: str) -> bool:
    return kinds.tested_by(test).strip("_") == kinds.stem_of(source).strip("_")


def has_named_test(subject: Subject) -> bool:
    return any(is_named_for(path, subject.path) for path in files_by_kind(subject)["test"])


def nearest(subject: Subject, paths: list[str]) -> list[str]:
    """Of several with one name, those whose folders share most with the subject's: tests/a for a, not tests/b."""
    ours = set(os.path.dirname(subject.name).split(os.sep))
    names = [os.path.relpath(os.path.dirname(path), subject.project) for path in paths]
    shared = [len(ours.intersection(name.split(os.sep))) for name in names]
    return [path for path, count in zip(paths, shared, strict=True) if count == max(shared)]


def to_write(subject: Subject) -> str:
    """The name, from the project on, of the test that the source should have."""
    module = languages.of(subject.language)
    folder = subject.folders()[0]
    return os.path.relpath((module or others).to_write(subject.path, folder), subject.project)

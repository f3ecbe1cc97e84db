"""Texts replaced in files, which keep everything else: encoding, line ends, mode."""

import os
import stat
from collections.abc import Callable
from typing import Any

import pytest

from tenterhook.agent.tools.edit import definition
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError

Edit = Callable[..., str]


@pytest.fixture
def edit(project: Any) -> Edit:
    function: Edit = definition(Workspace(project.root)).function
    return function


def put(project: Any, data: bytes) -> None:
    (project.root / "a file").write_bytes(data)


def got(project: Any) -> bytes:
    data: bytes = (project.root / "a file").read_bytes()
    return data


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"one two three\n", "two", "2", b"one 2 three\n"),
        (b"one\ntwo\n", "one\ntwo\n", "", b""),
        (b"no end", "end", "end\n", b"no end\n"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n"),
        (b"a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n"),
        (b"a\r\nb\r\nc\nd\n\r\n", "c\nd", "x\ny", b"a\r\nb\r\nx\r\ny\n\r\n"),
        (b"\xef\xbb\xbfmarked", "marked", "kept", b"\xef\xbb\xbfkept"),
        ("gr\u00fcn \U0001f642 wei\u00df".encode(), "\U0001f642", "\u6f22", "gr\u00fcn \u6f22 wei\u00df".encode()),
        (b"latin \xfc and \xe4 stay", "and", "or", b"latin \xfc or \xe4 stay"),
        (b"back\\1slash", "\\1", "\\2", b"back\\2slash"),
        (b"a.c abc", "a.c", "x", b"x abc"),
    ],
    ids=str,
)
def test_an_edit_changes_one_text_and_nothing_else(
    project: Any, edit: Edit, before: bytes, old: str, new: str, after: bytes
) -> None:
    put(project, before)
    edit("a file", old, new)

    assert got(project) == after


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_a_file_of_another_encoding_keeps_it(project: Any, edit: Edit, encoding: str) -> None:
    mark = "\ufeff".encode(encoding) if encoding == "utf-16-be" else b""
    put(project, mark + "eins\r\nzwei ü\r\n".encode(encoding))
    edit("a file", "eins\nzwei", "1\n2")

    assert got(project) == mark + "1\r\n2 ü\r\n".encode(encoding)


def test_what_was_done_is_told_with_the_lines(project: Any, edit: Edit) -> None:
    put(project, b"a\nb\na\nc a a\n")

    assert edit("a file", "b", "B") == "Edited a file: replaced 1 occurrence at line 2."
    assert edit("a file", "a", "x", replace_all=True) == "Edited a file: replaced 4 occurrences at lines 1, 3 and 4."
    assert got(project) == b"x\nB\nx\nc x x\n"


def test_a_text_that_occurs_more_than_once_is_not_replaced_by_chance(project: Any, edit: Edit) -> None:
    put(project, b"a\n" * 12)

    with pytest.raises(
        WorkspaceError, match=r"occurs 12 times in a file, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more: give"
    ):
        edit("a file", "a", "b")
    assert got(project) == b"a\n" * 12


def test_occurrences_do_not_overlap(project: Any, edit: Edit) -> None:
    put(project, b"aaa")
    edit("a file", "aa", "b")

    assert got(project) == b"ba"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("absent", "x", "old_string does not occur in a file: read the file and copy"),
        ("def f():\n  pass", "x", "its first line is at line 2, so compare blanks"),
        ("", "x", "old_string is empty"),
        ("class", "class", "are the same"),
        ("pass", "\ud800", "half a character"),
    ],
)
def test_an_edit_that_cannot_be_made_is_explained_and_changes_nothing(
    project: Any, edit: Edit, old: str, new: str, words: str
) -> None:
    put(project, b"class A:\n    def f():\n        pass\n")

    with pytest.raises(WorkspaceError, match=words):
        edit("a file", old, new)
    assert got(project) == b"class A:\n    def f():\n        pass\n"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("binary", "binary is a binary file"),
        ("folder", "this is a folder"),
        ("absent", "no such file"),
        ("odd", "begins like utf-16-le text but is not"),
        ("huge", "larger than 16,777,216 bytes"),
    ],
)
def test_what_is_no_text_is_refused(project: Any, edit: Edit, name: str, words: str) -> None:
    (project.root / "binary").write_bytes(b"a\0b")
    (project.root / "odd").write_bytes(b"\xff\xfea")
    (project.root / "folder").mkdir()
    with open(project.root / "huge", "wb") as file:
        file.truncate(1 << 34)

    with pytest.raises(WorkspaceError, match=words):
        edit(name, "a", "b")


def test_mode_and_links_stay(project: Any, edit: Edit) -> None:
    project.write("run", "#!/bin/sh\nfalse\n")
    (project.root / "link").symlink_to("run")
    edit("link", "false", "true")

    assert project.read("run") == "#!/bin/sh\ntrue\n"
    assert (project.root / "link").is_symlink()
    assert stat.S_IMODE((project.root / "run").stat().st_mode) == 0o755
    assert sorted(os.listdir(project.root)) == ["link", "run"]

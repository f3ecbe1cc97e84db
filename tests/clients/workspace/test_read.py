"""Files as a model reads them: numbered lines, never more than it can take."""

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenterhook.clients.workspace.read import definition
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError

Read = Callable[..., str]


@pytest.fixture
def read(project: Any) -> Read:
    function: Read = definition(Workspace(project.root)).function
    return function


def put(project: Any, data: bytes, name: str = "a file") -> Path:
    path: Path = project.root / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"\n\n", ["", ""]),
        (b"  indented\t\n", ["  indented\t"]),
        ("grün 漢字 🙂\n".encode(), ["grün 漢字 🙂"]),
        (b"\xef\xbb\xbfmarked\n", ["marked"]),
        ("sixteen\nbits ü\n".encode("utf-16"), ["sixteen", "bits ü"]),
        (b"latin \xfc\n", ["latin \ufffd"]),
        (b"page\x0cbreak\x85\n".decode("latin-1").encode(), ["page\x0cbreak\x85"]),
    ],
    ids=str,
)
def test_lines_are_numbered_whatever_their_ends_and_encoding(
    project: Any, read: Read, data: bytes, shown: list[str]
) -> None:
    put(project, data)

    assert read("a file") == "\n".join(f"{number:6}\t{line}" for number, line in enumerate(shown, 1))


def test_an_empty_file_says_so(project: Any, read: Read) -> None:
    put(project, b"")

    assert read("a file") == "[the file is empty]"
    assert read("a file", offset=5) == "[the file is empty]"


def test_offset_and_limit_choose_lines_and_the_rest_is_pointed_to(project: Any, read: Read) -> None:
    put(project, b"".join(b"line %d\n" % number for number in range(1, 11)))

    assert (
        read("a file", offset=3, limit=2) == "     3\tline 3\n     4\tline 4\n[more lines follow: go on with offset 5]"
    )
    assert read("a file", offset=9, limit=2) == "     9\tline 9\n    10\tline 10"
    assert read("a file", offset=0, limit=1).startswith("     1\tline 1\n")
    assert read("a file", offset=10, limit=10**9) == "    10\tline 10"


@pytest.mark.parametrize(
    ("input", "words"),
    [
        ({"offset": 12}, "only 10 lines, so there is no line 12"),
        ({"offset": -1}, "offset counts lines from 1"),
        ({"limit": 0}, "limit is at least 1"),
    ],
)
def test_lines_that_are_not_there_are_an_error(project: Any, read: Read, input: dict[str, int], words: str) -> None:
    put(project, b"x\n" * 10)

    with pytest.raises(WorkspaceError, match=words):
        read("a file", **input)


def test_a_long_file_comes_in_parts(project: Any, read: Read) -> None:
    put(project, b"x\n" * 5000)
    lines = read("a file").split("\n")

    assert (len(lines), lines[-2], lines[-1]) == (2001, "  2000\tx", "[more lines follow: go on with offset 2001]")


def test_long_lines_are_cut_and_many_of_them_end_the_answer(project: Any, read: Read) -> None:
    put(project, b"x" * 5000 + b"\r\nshort\n" + (b"y" * 2000 + b"\n") * 500)
    told = read("a file")

    assert told.startswith("     1\t" + "x" * 2000 + " [... 3,000 more characters]\n     2\tshort\n")
    assert len(told) < 130_000
    assert told.rsplit("\n", 1)[1].startswith("[more lines follow: go on with offset ")


def test_a_line_that_is_just_as_long_as_may_be_is_not_cut(project: Any, read: Read) -> None:
    put(project, b"x" * 2000 + b"\n" + b"y" * 2000 + b"\r\n" + b"z" * 2000)

    assert [len(line) for line in read("a file").split("\n")] == [2007, 2007, 2007]


def test_a_huge_file_is_read_without_holding_it(project: Any, read: Read) -> None:
    with open(project.root / "huge", "wb") as file:
        file.write(b"first\n" + b"x" * (64 << 20) + b"\nlast\n")
    tracemalloc.start()
    told = read("huge", offset=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert told.endswith("     3\tlast")
    assert peak < 4 << 20


@pytest.mark.parametrize("data", [b"\x7fELF\0\0", b"text\0more", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"])
def test_a_binary_file_is_refused_in_plain_words(project: Any, read: Read, data: bytes) -> None:
    put(project, data)

    with pytest.raises(WorkspaceError, match="a file is a binary file, not a text"):
        read("a file")


def test_a_folder_and_a_missing_file_are_refused_in_plain_words(project: Any, read: Read) -> None:
    (project.root / "folder").mkdir()

    with pytest.raises(WorkspaceError, match="folder: this is a folder, not a file"):
        read("folder")
    with pytest.raises(WorkspaceError, match="no such file"):
        read("fodler")


def test_a_file_outside_can_be_read_unless_the_workspace_is_confined(project: Any, read: Read, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("outside")
    confined = definition(Workspace(project.root, confined=True)).function

    assert read("../outside.txt") == "     1\toutside"
    with pytest.raises(WorkspaceError, match="outside of the project"):
        confined("../outside.txt")


def test_no_descriptor_stays_open(project: Any, read: Read) -> None:
    put(project, b"x\n" * 10)
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        read("a file", limit=2)

    assert len(os.listdir("/dev/fd")) == before

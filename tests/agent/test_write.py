"""Whole files, written as they were given."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenterhook.agent.tools.write import definition
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError

Write = Callable[..., str]


@pytest.fixture
def write(project: Any) -> Write:
    function: Write = definition(Workspace(project.root)).function
    return function


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("one\ntwo\n", "2 lines, 8 bytes."),
        ("one\ntwo", "2 lines, 7 bytes."),
        ("one\r\n", "1 line, 5 bytes."),
        ("", "0 lines, 0 bytes."),
        ("ü🙂", "1 line, 6 bytes."),
        ("\n", "1 line, 1 byte."),
    ],
)
def test_the_file_holds_exactly_what_was_given(project: Any, write: Write, content: str, told: str) -> None:
    assert write("a file", content) == f"Made a file: {told}"
    assert (project.root / "a file").read_bytes() == content.encode()


def test_folders_are_made_and_a_file_that_was_there_is_replaced(project: Any, write: Write) -> None:
    assert write("new folder/er/ü.txt", "1") == "Made new folder/er/ü.txt: 1 line, 1 byte."
    assert write(str(project.root / "new folder/er/ü.txt"), "2").startswith("Replaced new folder/er/ü.txt: ")
    assert project.read("new folder/er/ü.txt") == "2"


def test_a_script_stays_a_script(project: Any, write: Write) -> None:
    project.write("run", "#!/bin/sh\n")
    write("run", "#!/bin/sh\ntrue\n")

    assert stat.S_IMODE((project.root / "run").stat().st_mode) == 0o755


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("folder", "folder: this is a folder, not a file"),
        ("file/below", "is a file, not a folder"),
        ("", "a path is needed"),
        ("a\0b", "NUL"),
    ],
)
def test_what_cannot_be_written_is_said(project: Any, write: Write, path: str, words: str) -> None:
    (project.root / "folder").mkdir()
    project.write("file", "kept")

    with pytest.raises(WorkspaceError, match=words):
        write(path, "x")
    assert sorted(os.listdir(project.root)) == ["file", "folder"]


def test_half_a_character_is_refused_before_anything_is_touched(project: Any, write: Write) -> None:
    project.write("file", "kept")

    with pytest.raises(WorkspaceError, match="half a character"):
        write("file", "\ud83d")
    assert project.read("file") == "kept"


def test_a_confined_workspace_is_not_left(project: Any, tmp_path: Path) -> None:
    (project.root / "out").symlink_to(tmp_path)
    write = definition(Workspace(project.root, confined=True)).function

    for path in ("../new", str(tmp_path / "new"), "out/new", "out/folder/new"):
        with pytest.raises(WorkspaceError, match="outside of the project"):
            write(path, "x")
    assert sorted(os.listdir(tmp_path)) == sorted(["home", project.root.name])


def test_a_name_as_long_as_the_system_takes_can_be_written_again(project: Any) -> None:
    name = "\u6f22" * 83 + ".txt"
    write = definition(Workspace(project.root)).function

    write(name, "one")
    write(name, "two")

    assert (project.root / name).read_text() == "two"
    assert [one.name for one in project.root.iterdir() if one.suffix == ".tmp"] == []

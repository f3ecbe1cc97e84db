"""Files by patterns of their names."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenterhook.clients.workspace.glob import definition, matcher
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError

Glob = Callable[..., str]

FILES = ("top.py", "my notes.txt", "src/a.py", "src/b.ts", "src/deep/er/c.py", ".hidden/d.py", "src/[x].py", "ü/漢.py")


@pytest.fixture(params=[False, True], ids=["open", "confined"])
def glob(request: pytest.FixtureRequest, project: Any) -> Glob:
    """Every file is older than the one before it in the list."""
    for age, name in enumerate(FILES):
        path = project.write(name, "")
        os.utime(path, (10**9 - age, 10**9 - age))
    function: Glob = definition(Workspace(project.root, confined=request.param)).function
    return function


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["top.py"]),
        ("**/*.py", ["top.py", "src/a.py", "src/deep/er/c.py", ".hidden/d.py", "src/[x].py", "ü/漢.py"]),
        ("src/*.py", ["src/a.py", "src/[x].py"]),
        ("src/**", ["src/a.py", "src/b.ts", "src/deep/er/c.py", "src/[x].py"]),
        ("src/**/c.py", ["src/deep/er/c.py"]),
        ("**/er/**/*.py", ["src/deep/er/c.py"]),
        ("./src/*.{ts,py}", ["src/a.py", "src/b.ts", "src/[x].py"]),
        ("{src,ü}/**/{a,漢}.py", ["src/a.py", "ü/漢.py"]),
        ("src/[ab].*", ["src/a.py", "src/b.ts"]),
        ("src/[!a].*", ["src/b.ts"]),
        ("src/[[]x].py", ["src/[x].py"]),
        ("?op.py", ["top.py"]),
        ("my *.txt", ["my notes.txt"]),
        ("src/a.py", ["src/a.py"]),
        (".*/*", [".hidden/d.py"]),
        ("*", ["top.py", "my notes.txt"]),
        ("src/../*.py", ["top.py"]),
        ("*.rs", ["[no file matches]"]),
        ("src/z.py", ["[no file src/z.py]"]),
        ("src/{a.py", ["[no file matches]"]),
    ],
)
def test_a_pattern_finds_its_files_the_newest_first(glob: Glob, pattern: str, found: list[str]) -> None:
    assert glob(pattern).split("\n") == found


def test_path_is_the_folder_to_look_in(project: Any, glob: Glob) -> None:
    assert glob("*.py", path="src") == "src/a.py\nsrc/[x].py"
    assert glob("*.py", path=str(project.root / "src" / "deep" / "er")) == "src/deep/er/c.py"
    assert glob(f"{project.root}/src/*.ts") == "src/b.ts"


def test_what_nobody_wants_is_left_out_unless_it_is_named(project: Any, glob: Glob) -> None:
    project.write("node_modules/x/index.js", "")
    project.write(".git/config", "")

    assert glob("**/*.js") == "[no file matches]"
    assert glob("node_modules/**/*.js") == glob("**/*.js", path="node_modules") == "node_modules/x/index.js"


def test_links_are_named_and_not_followed(project: Any, glob: Glob) -> None:
    (project.root / "loop").symlink_to(".")
    (project.root / "src" / "link.py").symlink_to("a.py")

    assert "src/link.py" in glob("**/link.py")
    assert glob("loop/**/top.py") in ("top.py", "loop/top.py")
    assert glob("**/loop/**/*.py") == "[no file matches]"


def test_more_files_than_a_model_wants_are_counted(project: Any, glob: Glob) -> None:
    for number in range(250):
        project.write(f"many/{number}", "")
    told = glob("many/*").split("\n")

    assert len(told) == 201
    assert told[-1] == "[50 older files match too: make the pattern narrower]"


@pytest.mark.parametrize(
    ("pattern", "path", "words"),
    [
        ("", ".", "a pattern is needed"),
        ("*/../../*", ".", "cannot go back"),
        ("*", "absent", "absent: no such file"),
        ("*", "top.py", "is a file, not a folder"),
        ("{a,b}" * 8, ".", "more than 64 patterns"),
        ("{" + "," * 200_000, ".", "longer than 1,000 characters"),
        ("**/" * 20_000 + "x", ".", "longer than 1,000 characters"),
        ("[a-" * 30_000, ".", "longer than 1,000 characters"),
    ],
)
def test_what_cannot_be_looked_for_is_said(glob: Glob, pattern: str, path: str, words: str) -> None:
    with pytest.raises(WorkspaceError, match=words):
        glob(pattern, path=path)


@pytest.mark.parametrize(("pattern", "path"), [("../*", "."), ("/etc/*", "."), ("*", ".."), ("~/*", "."), ("*", "out")])
def test_a_confined_workspace_is_not_left(project: Any, tmp_path: Path, pattern: str, path: str) -> None:
    (project.root / "out").symlink_to(tmp_path)
    glob = definition(Workspace(project.root, confined=True)).function

    with pytest.raises(WorkspaceError, match="outside of the project"):
        glob(pattern, path=path)


def test_no_pattern_takes_long() -> None:
    began = time.monotonic()

    assert not matcher("/".join(["**"] * 20) + "/*a" * 1 + "*a" * 60 + "b")("/".join(["a" * 200] * 60))
    assert time.monotonic() - began < 5

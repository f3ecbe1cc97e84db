"""Lines of files by a regular expression, which may be an evil one."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from processes import within
from tenterhook.clients.workspace import grep as module
from tenterhook.clients.workspace.grep import definition
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError

Grep = Callable[..., str]


def searching(workspace: Workspace) -> Grep:
    function: Callable[..., Awaitable[str]] = definition(workspace).function

    def call(*args: Any, **input: Any) -> str:
        async def main() -> str:
            return await function(*args, **input)

        return asyncio.run(main())

    return call


@pytest.fixture(params=[False, True], ids=["open", "confined"])
def grep(request: pytest.FixtureRequest, project: Any) -> Grep:
    project.write("a.py", "import os\n\ndef one():\n    return os\n")
    project.write("src/my notes.txt", "One\r\ntwo ü\r\nlast one")
    project.write("src/deep/b.py", "def two():\n    pass\n")
    return searching(Workspace(project.root, confined=request.param))


@pytest.mark.parametrize(
    ("input", "found"),
    [
        ({"pattern": "one"}, ["a.py:3:def one():", "src/my notes.txt:3:last one"]),
        ({"pattern": "ONE$", "ignore_case": True}, ["src/my notes.txt:1:One", "src/my notes.txt:3:last one"]),
        ({"pattern": r"^def (\w+)\(\):$"}, ["a.py:3:def one():", "src/deep/b.py:1:def two():"]),
        ({"pattern": "def", "path": "src"}, ["src/deep/b.py:1:def two():"]),
        ({"pattern": "def", "path": "a.py"}, ["a.py:3:def one():"]),
        ({"pattern": "^def one", "path": "", "glob": ""}, ["a.py:3:def one():"]),
        ({"pattern": "def", "path": "src/../a.py"}, ["a.py:3:def one():"]),
        ({"pattern": "o", "glob": "*.txt"}, ["src/my notes.txt:2:two ü", "src/my notes.txt:3:last one"]),
        ({"pattern": "def", "glob": "*.{ts,py}"}, ["a.py:3:def one():", "src/deep/b.py:1:def two():"]),
        ({"pattern": "def", "glob": "src/**/*.py"}, ["src/deep/b.py:1:def two():"]),
        ({"pattern": "ü"}, ["src/my notes.txt:2:two ü"]),
        ({"pattern": "^$"}, ["a.py:2:"]),
        ({"pattern": "one\ntwo"}, ["[no line matches]"]),
        ({"pattern": "-e"}, ["[no line matches]"]),
        ({"pattern": "def", "limit": 1}, ["a.py:3:def one():", "[more lines match: these are the first 1]"]),
        ({"pattern": "def", "limit": 2}, ["a.py:3:def one():", "src/deep/b.py:1:def two():"]),
    ],
    ids=str,
)
def test_matching_lines_come_with_file_and_number(grep: Grep, input: dict[str, Any], found: list[str]) -> None:
    assert grep(**input).split("\n") == found


def test_what_is_no_text_to_search_is_left_out(project: Any, grep: Grep) -> None:
    (project.root / "binary").write_bytes(b"needle\0")
    (project.root / "empty").write_bytes(b"")
    for folder in (".git", "node_modules", "src/__pycache__"):
        project.write(f"{folder}/x", "needle")
    (project.root / "link").symlink_to("src/deep/b.py")
    os.mkfifo(project.root / "pipe")
    with open(project.root / "huge", "wb") as file:
        file.write(b"needle\n")
        file.truncate(1 << 33)

    assert grep("needle") == "[left out: 1 file above 4 MiB]"
    assert grep("needle", path="node_modules") == "node_modules/x:1:needle"
    assert grep("^", path="empty") == "[no line matches]"


def test_texts_of_other_encodings_are_searched(project: Any, grep: Grep) -> None:
    (project.root / "sixteen").write_bytes("nädel\r\n".encode("utf-16"))
    (project.root / "marked").write_bytes(b"\xef\xbb\xbfn\xc3\xa4del\n")
    (project.root / "latin").write_bytes(b"\xe4 needle\n")

    assert grep("^nädel$") == "marked:1:nädel\nsixteen:1:nädel"
    assert grep("needle") == "latin:1:? needle"


def test_a_long_line_is_cut(project: Any, grep: Grep) -> None:
    project.write("min.js", "x" * 5000 + "needle")

    assert grep("needle") == "min.js:1:" + "x" * 400 + " [... 4,606 more characters]"


@pytest.mark.parametrize(
    ("input", "words"),
    [
        ({"pattern": "("}, "not a Python regular expression: missing"),
        ({"pattern": ""}, "pattern is empty"),
        ({"pattern": "\ud800"}, "half a character"),
        ({"pattern": "a{1,99999999999999999999}"}, "not a Python regular expression"),
        ({"pattern": "(" * 5000 + ")" * 5000}, "not a Python regular expression"),
        ({"pattern": "x", "path": "absent"}, "absent: no such file"),
        ({"pattern": "x", "limit": 0}, "limit is between 1 and 1000"),
        ({"pattern": "x", "limit": 10**6}, "limit is between 1 and 1000"),
        ({"pattern": "x", "glob": "{a,b}" * 8}, "^the braces of this pattern"),
    ],
)
def test_what_cannot_be_searched_is_said(grep: Grep, input: dict[str, Any], words: str) -> None:
    with pytest.raises(WorkspaceError, match=words):
        grep(**input)


def test_a_pattern_with_a_doubtful_set_is_no_warning(grep: Grep) -> None:
    assert grep("[[o]ne") == "a.py:3:def one():\nsrc/my notes.txt:3:last one"


@pytest.mark.parametrize("path", ["..", "../outside.txt", "/etc", "out", "out/outside.txt", "~"])
def test_a_confined_workspace_is_not_left(project: Any, tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.txt").write_text("needle")
    (project.root / "out").symlink_to(tmp_path)
    grep = searching(Workspace(project.root, confined=True, environ={**os.environ, "HOME": str(tmp_path)}))

    with pytest.raises(WorkspaceError, match="outside of the project"):
        grep("needle", path=path)
    assert grep("needle") == "[no line matches]"


def test_outside_can_be_searched_in_an_open_workspace(project: Any, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("needle")

    assert searching(Workspace(project.root))("needle", path="..") == f"{tmp_path}/outside.txt:1:needle"


def test_a_project_that_is_named_by_a_link_is_searched(project: Any, tmp_path: Path) -> None:
    project.write("src/file", "needle")
    (tmp_path / "alias").symlink_to(project.root)
    grep = searching(Workspace(tmp_path / "alias", confined=True))

    assert grep("needle", path=str(tmp_path / "alias" / "src")) == "src/file:1:needle"


def test_no_code_of_the_project_runs_in_a_search(
    project: Any, grep: Grep, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not by chance, not by a name that Python looks for, though the project may be on the host's own path."""
    for name in ("re", "msgspec", "tenterhook", "os", "sitecustomize", "usercustomize"):
        project.write(f"{name}.py", f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    monkeypatch.syspath_prepend(str(project.root))

    assert "a.py:3:def one():" in grep("def one")
    assert not (tmp_path / "ran").exists()


# ---- time


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 1.5)


@pytest.mark.usefixtures("impatient")
def test_an_evil_pattern_ends_with_what_was_found_before(project: Any, grep: Grep) -> None:
    """It would take longer than anybody lives, and holds Python's lock all the while."""
    project.write("z/evil", "a" * 40 + "!\n")
    project.write("b", "a\n")
    began = time.monotonic()
    told = grep("^(a+)+$").split("\n")

    assert told[0] == "b:1:a"
    assert told[1].startswith("[ended after 1.5 seconds: make the pattern simpler")
    assert time.monotonic() - began < 15


@pytest.mark.usefixtures("impatient")
def test_the_loop_goes_on_meanwhile_and_a_cancelled_search_ends(project: Any) -> None:
    project.write("evil", "a" * 40 + "!\n")
    function = definition(Workspace(project.root)).function

    async def main() -> float:
        task = asyncio.ensure_future(function("^(a+)+$"))
        await asyncio.sleep(0.3)
        assert not task.done()
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    assert asyncio.run(main()) < 1.0


SEARCH = """
import asyncio
from tenterhook.clients.workspace.grep import definition
from tenterhook.clients.workspace.workspace import Workspace
asyncio.run(definition(Workspace(".")).function("^(a+)+$"))
"""


def test_a_search_ends_with_an_agent_that_is_killed(project: Any) -> None:
    project.write("evil", "a" * 40 + "!\n")
    agent = subprocess.Popen([sys.executable, "-c", SEARCH], cwd=project.root)
    own = str(project.root)
    try:
        assert within(20, lambda: searches_in(own))
    finally:
        agent.kill()
        agent.wait()

    assert within(20, lambda: not searches_in(own))


def searches_in(folder: str) -> list[str]:
    """The numbers of the search processes that work in this folder."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_text()
            if command.endswith(f"\0{module.__name__}\0") and os.readlink(f"/proc/{pid}/cwd") == folder:
                found.append(pid)
    return found


def test_a_link_to_the_project_that_is_turned_elsewhere_leads_nowhere(tmp_path: Path) -> None:
    for name in ("project", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / "a.txt").write_text("secret\n")
    link = tmp_path / "link"
    link.symlink_to("project")
    grep = definition(Workspace(link, confined=True)).function
    link.unlink()
    link.symlink_to("other")

    with pytest.raises(WorkspaceError, match="replaced by another"):
        asyncio.run(grep("secret"))

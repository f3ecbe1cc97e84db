"""What changed, as git sees it."""

import os
import subprocess
from pathlib import Path

import pytest

from tenterhook.author import Event
from tenterhook.library.parts.timed import TimedEvent
from tenterhook.library.project import changed
from tenterhook.library.project.changed import GitChanges

from .conftest import Put


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


def changes(root: Path, seconds: float = 10.0) -> GitChanges:
    return changed.changes(TimedEvent(Event("", {"cwd": str(root)}, raw={}), seconds))


def committed(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    return root


def test_changed_new_and_deleted_files(put: Put) -> None:
    root = committed(put({"a.py": "1", "b.py": "1", "c.py": "1"}))
    put({"a.py": "2", "new/d e.py": ""})
    (root / "b.py").unlink()

    found = changes(root)
    assert found.branch == "main"
    assert sorted(found.files) == ["a.py", "b.py", "new/d e.py"]


def test_names_with_line_ends_quotes_and_bytes_that_are_no_text(put: Put) -> None:
    names = ["a\nb.py", 'a"b.py', os.fsdecode(b"caf\xe9.py")]
    root = committed(put({"x": ""}))
    put(dict.fromkeys(names, ""))

    assert sorted(names) == sorted(changes(root).files)


def test_a_project_inside_of_a_repository_sees_its_own_files_only(put: Put) -> None:
    root = committed(put({"one/a.py": "1", "two/b.py": "1"}))
    put({"one/a.py": "2", "two/b.py": "2"})

    assert changes(root / "one").files == ["a.py"]


def test_a_repository_without_commits_and_one_without_a_branch(put: Put) -> None:
    root = put({"a.py": ""})
    git(root, "init", "-q")
    assert (changes(root).branch, changes(root).files) == ("main", ["a.py"]) or changes(root).branch == "master"
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    git(root, "checkout", "-q", "--detach")

    assert changes(root).branch == "no branch"


def test_without_a_repository_git_or_time_nothing_is_known(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    root = put({"a.py": ""})
    assert changes(root).files == []
    git(root, "init", "-q")

    assert changes(root, seconds=0.1).files == []
    monkeypatch.setenv("PATH", "")
    assert changes(root).files == []


def test_a_program_that_the_repository_names_is_not_run(put: Put) -> None:
    root = put({"watch": "#!/bin/sh\ntouch ran\n", "a.py": ""})
    git(root, "init", "-q")
    git(root, "config", "core.fsmonitor", "./watch")

    assert "a.py" in changes(root).files
    assert not (root / "ran").exists()


@pytest.mark.parametrize("setting", ["clean", "process"])
@pytest.mark.parametrize("name", ["x", "a=b"])
def test_a_filter_that_the_repository_names_is_not_run(put: Put, setting: str, name: str) -> None:
    root = put({"read": "#!/bin/sh\ntouch ran\n", "a.py": "1", ".gitattributes": f"*.py filter={name}\n"})
    (root / "read").chmod(0o755)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "config", f"filter.{name}.{setting}", f"{root}/read")
    (root / "a.py").write_text("2")

    assert "a.py" in changes(root).files
    assert not (root / "ran").exists()

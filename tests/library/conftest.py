"""A project of the test's own, and hooks of the library fired in it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tenterhook.testing import Fired
from tenterhook.testing import fire as fire_in

Fire = Callable[..., Fired]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """For the ready hooks. What they share has its tests in folders of their own, with homes of their own."""
    if request.path.parent != Path(__file__).parent:
        return
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", "/home/user")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "proj"
    made.mkdir()
    return made


@pytest.fixture
def repository(folder: Path) -> Path:
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


@pytest.fixture
def fire(folder: Path) -> Fire:
    """`fire(NAME, kind, agent=..., options=..., ...)`, in the project."""

    def fire(name: str, kind: str, **data: object) -> Fired:
        given = {"cwd": str(folder), "session_id": "one", **data}
        return fire_in(f"library:{name}", kind, project=folder, **given)  # type: ignore[arg-type]

    return fire


@pytest.fixture
def fails(fire: Fire) -> Fire:
    """The same for a hook that cannot do its work: it fails, and the agent does what its `on_failure` says."""

    def fails(name: str, kind: str, **data: object) -> Fired:
        fired = fire(name, kind, allow_failure=True, **data)
        assert fired.failed
        return fired

    return fails


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *AUTHOR, *words], cwd=folder, env=CLEAN, check=True, capture_output=True)

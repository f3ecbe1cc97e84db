"""What a hook made where nothing was and nothing may be is moved away and reported."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tenterhook.runtime.sandbox import quarantine
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.sandbox.quarantine import Quarantine


class Around:
    """A project whose hook config is absent, and what is told of one hook after the other."""

    def __init__(self, folder: Path) -> None:
        self.project, self.folder = folder / "project", folder / "quarantine"
        self.project.mkdir()
        closed = (".claude/settings.json", "tenterhook.toml", ".git/hooks")
        self.profile = Profile("none", (str(self.project),), tuple(f"{self.project}/{name}" for name in closed))

    def begin(self) -> Quarantine:
        watch = Quarantine(self.profile, str(self.folder))
        watch.begin()
        return watch

    def put(self, name: str, text: str = "planted") -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def kept(self) -> list[str]:
        return [path.read_text() for path in sorted(self.folder.rglob("*")) if path.is_file()]


@pytest.fixture
def around(tmp_path: Path) -> Around:
    return Around(tmp_path)


@pytest.mark.parametrize("settled", [True, False])
def test_what_was_planted_is_moved_away_and_told(
    around: Around, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the folder had changed shortly before, when its time tells nothing, or long ago."""
    monkeypatch.setattr(quarantine, "SETTLED", 0 if settled else 1 << 62)
    watch = around.begin()
    time.sleep(0.02)  # the clock of a file system is coarse
    planted = around.put(".claude/settings.json")
    around.put("report.txt")
    told = watch.end()

    assert len(told) == 1
    assert told[0].startswith(f"{planted} was created by a hook")
    assert str(around.folder) in told[0]
    assert not planted.exists()
    assert (around.project / "report.txt").exists()
    assert around.kept() == ["planted"]
    assert around.folder.stat().st_mode & 0o777 == 0o700


def test_nothing_planted_nothing_told(around: Around) -> None:
    watch = around.begin()
    around.put("src/x")

    assert watch.end() == ()
    assert not around.folder.exists()


def test_a_folder_is_moved_as_a_whole(around: Around) -> None:
    watch = around.begin()
    around.put(".git/hooks/pre-commit")

    assert "moved to" in watch.end()[0]
    assert not (around.project / ".git/hooks").exists()
    assert (around.project / ".git").is_dir()


def test_a_folder_that_one_hook_made_is_watched_for_the_next(around: Around) -> None:
    first = around.begin()
    around.put(".claude/notes")
    assert first.end() == ()

    second = around.begin()
    around.put(".claude/settings.json")
    assert "moved to" in second.end()[0]


def test_what_was_moved_away_once_is_watched_for_again(around: Around) -> None:
    for _ in range(2):
        first, second = around.begin(), around.begin()
        planted = around.put("tenterhook.toml")
        third = around.begin()

        assert "moved to" in first.end()[0]
        assert second.end() == ()
        assert third.end() == (quarantine.APPEARED.format(planted),)
        assert not planted.exists()


def test_a_link_is_moved_and_what_it_leads_to_stays(around: Around, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "settings.json").write_text("the user's own")
    watch = around.begin()
    os.symlink(elsewhere, around.project / ".claude")
    told = watch.end()

    assert told[0].startswith(f"{around.project}/.claude was created by a hook")
    assert (elsewhere / "settings.json").read_text() == "the user's own"
    assert not os.path.lexists(around.project / ".claude")


def test_a_link_that_was_replaced_is_put_back(around: Around, tmp_path: Path) -> None:
    shared = tmp_path / "shared.toml"
    shared.write_text("shared")
    os.symlink(shared, around.project / "tenterhook.toml")
    watch = around.begin()
    (around.project / "tenterhook.toml").unlink()
    around.put("tenterhook.toml")

    assert "moved to" in watch.end()[0]
    assert os.readlink(around.project / "tenterhook.toml") == str(shared)
    assert around.kept() == ["planted"]


def test_what_came_between_two_hooks_is_told_and_left(around: Around) -> None:
    """It may be the user's own work."""
    assert around.begin().end() == ()
    made = around.put("tenterhook.toml", "mine")
    watch = around.begin()

    assert watch.end() == (quarantine.APPEARED.format(made),)
    assert made.read_text() == "mine"
    assert around.begin().end() == ()


def test_into_another_file_system_it_is_copied(around: Around) -> None:
    folder = Path("/dev/shm") / f"tenterhook-{os.getpid()}"
    if not folder.parent.is_dir() or folder.parent.stat().st_dev == around.project.stat().st_dev:
        pytest.skip("/dev/shm is no other file system here")
    around.folder = folder
    try:
        watch = around.begin()
        around.put(".git/hooks/pre-commit")
        told = watch.end()

        assert str(folder) in told[0]
        assert not (around.project / ".git/hooks").exists()
        assert around.kept() == ["planted"]
    finally:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def test_where_it_cannot_be_moved_that_is_told(around: Around) -> None:
    around.folder.write_text("a file where the folder should be")
    watch = around.begin()
    planted = around.put("tenterhook.toml")

    assert "remove it" in watch.end()[0]
    assert planted.exists()


def test_the_folder_is_the_users_state_folder() -> None:
    assert quarantine.quarantine({"HOME": "/h"}) == "/h/.local/state/tenterhook/quarantine"
    assert quarantine.quarantine({"HOME": "/h", "XDG_STATE_HOME": "/s"}) == "/s/tenterhook/quarantine"
    assert quarantine.quarantine({"HOME": "/h", "XDG_STATE_HOME": "s"}) == "/h/.local/state/tenterhook/quarantine"

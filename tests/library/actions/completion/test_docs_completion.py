"""docs-completion: what changed, and whether every link leads somewhere."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.req("CC-ACT-table")


def git(folder: Path, *words: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *author, *words], cwd=folder, check=True, capture_output=True, timeout=30)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with an old fault in a page that nobody touches."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("# Read me\n\n[guide](docs/guide.md#start)\n")
    (tmp_path / "docs" / "guide.md").write_text("# Guide\n\n## Start\n")
    (tmp_path / "docs" / "old.md").write_text("[x](long-gone.md)\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_nothing_changed_is_nothing_to_check(act: Callable[..., Any], project: Path) -> None:
    said = act("docs-completion")

    assert said.decision == "none"
    assert said.note == "nothing to check: no document changed"


def test_sound_changes_are_reported_to_the_user(act: Callable[..., Any], project: Path) -> None:
    (project / "docs" / "new page.md").write_text("[guide](guide.md)\n")

    said = act("docs-completion")

    assert said.decision == "none"
    assert "changed: 1 document (docs/new page.md)" in said.message
    assert "read: 1 document, sound" in said.message


def test_a_broken_link_of_a_changed_page_is_refused(act: Callable[..., Any], project: Path) -> None:
    (project / "docs" / "new.md").write_text("[x](nowhere.md)\n")

    said = act("docs-completion")

    assert said.decision == "deny"
    assert "docs/new.md:1:5: there is no 'nowhere.md'" in said.reason
    assert "old.md" not in said.reason


def test_a_renamed_heading_breaks_the_pages_that_link_to_it(act: Callable[..., Any], project: Path) -> None:
    (project / "docs" / "guide.md").write_text("# Guide\n\n## Begin\n")

    said = act("docs-completion")

    assert said.decision == "deny"
    assert "README.md:3:9: there is no heading or anchor #start in 'guide.md'" in said.reason


def test_a_removed_page_breaks_the_pages_that_link_to_it(act: Callable[..., Any], project: Path) -> None:
    (project / "docs" / "guide.md").unlink()

    said = act("docs-completion")

    assert said.decision == "deny"
    assert "README.md:3:9: there is no 'docs/guide.md'" in said.reason


def test_without_a_repository_every_page_is_read(act: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[x](b.md)\n")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "c.md").write_text("[x](d.md)\n")

    said = act("docs-completion")

    assert said.decision == "deny"
    assert "a.md:1:5" in said.reason
    assert "node_modules" not in said.reason


def test_what_there_is_no_time_for_is_said(act: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[x](b.md)\n")

    said = act("docs-completion", seconds=0.1)

    assert said.decision == "none"
    assert "out of time: 1 document not read" in said.note

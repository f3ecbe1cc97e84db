"""library:git-context in every agent that has a start of a session, in real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenterhook.testing import each_dialect

from .conftest import Fire, git

NAME = "git-context"


@each_dialect("session.start")
def test_the_model_is_told_the_state_of_the_repository(agent: str, fire: Fire, repository: Path) -> None:
    (repository / "new.txt").write_text("x")
    fired = fire(NAME, "session.start", agent=agent)

    assert fired.ran
    for line in ("State of the project at the start:", "branch: main", "1 changed file: new.txt", "first"):
        assert line in fired.everything, fired.everything


@each_dialect("session.start")
def test_where_there_is_no_repository_nothing_is_said(agent: str, fire: Fire) -> None:
    fired = fire(NAME, "session.start", agent=agent)

    assert fired.ran
    assert "State of" not in fired.everything


def test_the_distance_from_the_upstream_and_what_is_under_way_are_told(
    fire: Fire, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "remote.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(repository, "fetch", "-q")
    git(repository, "branch", "-u", "origin/main")
    git(repository, "commit", "-q", "--allow-empty", "-m", "second")
    (repository / ".git" / "MERGE_HEAD").write_text("")
    fired = fire(NAME, "session.start")

    assert "branch: main (ahead 1)\nunder way: a merge\n" in fired.context


def test_options_say_how_much_is_told(fire: Fire, repository: Path) -> None:
    (repository / "Makefile").write_text("test:\n\ttrue\n")
    (repository / "b.txt").write_text("")
    little = fire(NAME, "session.start", options={"files": 1, "commits": 0})
    more = fire(NAME, "session.start", options={"commands": True})

    assert "2 changed files: Makefile and 1 more" in little.context
    assert "first" not in little.context
    assert "test: make test" in more.context


def test_a_limit_that_is_none_is_an_error_that_locks_nobody_out(fails: Fire) -> None:
    fired = fails(NAME, "session.start", options={"seconds": 0.0})

    assert fired.ran
    assert "seconds must be a number above 0, not 0" in fired.everything


@pytest.mark.parametrize("message", ["ignore\x1b[31m all", "a\u202eb"])
def test_what_others_wrote_comes_as_one_line_without_control_characters(
    fire: Fire, repository: Path, message: str
) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", message)
    fired = fire(NAME, "session.start")

    assert not any(char in fired.context for char in "\x1b\u202e")

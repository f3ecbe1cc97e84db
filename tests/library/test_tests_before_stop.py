"""library:tests-before-stop in every agent that has an end of a turn, with real tests in a real repository."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tenterhook.testing import each_dialect

from .conftest import Fire, git

NAME = "tests-before-stop"
RED, GREEN = "sh -c 'echo FAILED test_a; exit 1'", "true"


@pytest.fixture
def changed(repository: Path) -> Path:
    """A repository with a changed file of code."""
    (repository / "app.py").write_text("x = 1\n")
    return repository


@each_dialect("turn.stop")
def test_a_turn_does_not_end_while_tests_are_red(agent: str, fire: Fire, changed: Path) -> None:
    red = fire(NAME, "turn.stop", agent=agent, options={"command": RED})
    green = fire(NAME, "turn.stop", agent=agent, options={"command": GREEN})

    assert red.outcome.decision == "deny" or "lets no hook refuse" in red.stderr
    assert "tests-before-stop: not done yet:" in red.everything
    assert "FAILED test_a" in red.everything
    assert green.ran
    assert NAME not in green.everything


def test_every_turn_comes_to_an_end(fire: Fire, changed: Path) -> None:
    options = {"command": RED, "times": 2}
    turns = [fire(NAME, "turn.stop", options=options) for _ in range(4)]

    assert [one.denied for one in turns] == [True, True, False, True]
    assert "The turn ends all the same: it was refused 2 times" in turns[2].everything


def test_the_projects_own_tests_of_what_changed_are_found_and_run(
    fire: Fire, changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    test = (
        "import unittest\nimport app\nclass T(unittest.TestCase):\n    def test_x(self):\n        assert app.x == 2\n"
    )
    (changed / "test_app.py").write_text(test)
    red = fire(NAME, "turn.stop")
    (changed / "app.py").write_text("x = 2\n")
    green = fire(NAME, "turn.stop")

    assert red.denied
    assert "ran 1 test of" in red.reason
    assert green.ran


def test_what_passed_is_not_run_again_until_it_changes(fire: Fire, changed: Path) -> None:
    ran = changed.parent / "ran"
    options = {"command": f"sh -c 'echo >> {ran}'"}
    for _ in range(2):
        fire(NAME, "turn.stop", options=options)
    once = ran.read_text().count("\n")
    (changed / "other.py").write_text("y = 1\n")
    fire(NAME, "turn.stop", options=options)

    assert (once, ran.read_text().count("\n")) == (1, 2)


def test_nothing_is_run_where_nothing_changed(fire: Fire, changed: Path) -> None:
    git(changed, "add", ".")
    git(changed, "commit", "-q", "-m", "done")

    assert fire(NAME, "turn.stop", options={"command": RED}).ran


def test_without_a_repository_a_command_of_yours_is_always_run(fire: Fire) -> None:
    assert fire(NAME, "turn.stop", options={"command": RED}).denied
    assert fire(NAME, "turn.stop").ran


@pytest.mark.parametrize(
    ("unfinished", "denied", "told"), [("warn", False, True), ("allow", False, False), ("deny", True, True)]
)
def test_tests_that_do_not_finish(fire: Fire, changed: Path, unfinished: str, denied: bool, told: bool) -> None:
    options = {"command": "sleep 9", "seconds": 0.8, "unfinished": unfinished}
    fired = fire(NAME, "turn.stop", options=options)

    assert fired.denied is denied
    assert ("did not finish within" in fired.everything) is told


def test_wrong_options_are_said_and_lock_nobody_out(fails: Fire, changed: Path) -> None:
    for options in ({"unfinished": "ask"}, {"times": 0}, {"seconds": 0.0}, {"command": "'"}):
        fired = fails(NAME, "turn.stop", options=options)
        assert fired.ran
        assert "hook tests-before-stop failed: " in fired.everything

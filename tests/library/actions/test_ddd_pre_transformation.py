"""ddd-pre-transformation: existing code is changed only where its tests are there and pass."""

from pathlib import Path

import pytest

from . import samples
from .conftest import Act, Approve

ACTION = "ddd-pre-transformation"


@pytest.mark.req("CC-ACT-table")
def test_code_whose_tests_pass_may_be_changed(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)

    said = act(ACTION, project=root, **samples.write(root, "src/app.py", samples.BAD))

    assert said.decision == "none"
    assert said.note.startswith("ran 2 tests of src/app.py in ")
    assert said.message.endswith(": all pass")


@pytest.mark.req("CC-ACT-table")
def test_code_whose_tests_fail_is_refused_with_the_first_failure(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, samples.BAD)

    said = act(ACTION, project=root, **samples.write(root, "src/app.py", samples.GOOD))

    assert said.decision == "deny"
    assert "make tests/test_app.py pass first" in said.reason
    assert "FAILED tests/test_app.py::test_adds" in said.reason
    assert "-m pytest tests/test_app.py" in said.reason


def test_code_without_a_test_is_refused_with_the_file_to_write(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, tests="")

    said = act(ACTION, project=root, **samples.write(root, "src/app.py", samples.BAD))

    assert said.decision == "deny"
    assert "Write tests/test_app.py first" in said.reason


def test_a_new_file_has_nothing_to_preserve(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)

    said = act(ACTION, project=root, **samples.write(root, "src/tax.py", samples.GOOD))

    assert (said.decision, said.note) == ("none", "nothing to preserve: src/tax.py is new")


def test_tests_that_do_not_finish_in_time_leave_it_to_the_user_where_the_settings_say_ask(
    act: Act, approve: Approve, tmp_path: Path
) -> None:
    slow = "import time\n\n\ndef test_slow():\n    time.sleep(30)\n    assert time\n"
    root = samples.python(tmp_path, tests=slow, more={"tenterhook.toml": '[actions]\nmissing_test = "ask"\n'})
    approve(root)

    said = act(ACTION, project=root, seconds=2.5, **samples.write(root, "src/app.py", samples.BAD))

    assert said.decision == "ask"
    assert "did not finish within" in said.reason
    assert "-m pytest tests/test_app.py" in said.reason


def test_a_test_file_without_tests_proves_nothing(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, tests="import app\n")

    said = act(ACTION, project=root, **samples.write(root, "src/app.py", samples.BAD))

    assert said.decision == "deny"
    assert "no test ran for src/app.py" in said.reason


def test_tests_of_unittest_are_run_without_pytest(act: Act, tmp_path: Path) -> None:
    root = samples.unittests(tmp_path, samples.BAD)

    said = act(ACTION, project=root, **samples.write(root, "app.py", samples.GOOD))

    assert said.decision == "deny"
    assert "-m unittest tests/test_app.py" in said.reason
    assert "AssertionError: -1 != 3" in said.reason

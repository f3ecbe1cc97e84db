"""tdd-completion: what changed, what was tested, what is not green."""

from pathlib import Path

import pytest

from library.actions import samples
from library.actions.conftest import Act

ACTION = "tdd-completion"


def test_what_was_red_and_is_green_by_now_is_green(act: Act, tmp_path: Path) -> None:
    """It may have been put right by a tool that no action saw."""
    root = samples.python(tmp_path, samples.BAD)
    act("tdd-post-implementation", project=root, **samples.write(root, "src/app.py"))
    samples.put(root, {"src/app.py": samples.GOOD})

    said = act(ACTION, project=root)

    assert said.decision == "none"
    assert "passed: tests of src/app.py" in said.message


def test_what_was_green_and_was_changed_since_is_run_again(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)
    act("tdd-post-implementation", project=root, **samples.write(root, "src/app.py"))
    samples.put(root, {"src/app.py": samples.BAD})

    said = act(ACTION, project=root)

    assert said.decision == "deny"
    assert "FAILED tests/test_app.py::test_adds" in said.reason


def test_what_was_changed_while_it_was_checked_is_run_again(act: Act, tmp_path: Path) -> None:
    """The file is written in the same moment in which the check ends, which a clock may not tell apart."""
    swap = f"\n\ndef test_swap():\n    open('src/app.py', 'w').write({samples.BAD!r})\n"
    root = samples.python(tmp_path, tests=samples.TESTS + swap)
    act("tdd-post-implementation", project=root, **samples.write(root, "src/app.py"))

    said = act(ACTION, project=root)

    assert said.decision == "deny"
    assert "FAILED tests/test_app.py::test_adds" in said.reason


def test_files_that_nobody_tested_are_tested_now(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"src/app.py": samples.BAD, "README.md": "# New\n"})

    said = act(ACTION, project=root)

    assert said.decision == "deny"
    assert "ran 2 tests of src/app.py" in said.reason


@pytest.mark.parametrize("data", [{"stop_hook_active": True}, {"data": {"stop_hook_active": True}}], ids=str)
def test_an_agent_that_was_refused_once_is_let_go(act: Act, tmp_path: Path, data: dict[str, object]) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"src/app.py": samples.BAD})

    said = act(ACTION, project=root, **data)

    assert said.decision == "none"
    assert "red: tests of src/app.py" in said.message


def test_what_was_red_stays_red_where_there_is_no_time_to_run_it_again(act: Act, tmp_path: Path) -> None:
    slow = "import time\n\n\ndef test_it():\n    time.sleep(1)\n    assert time is None\n"
    root = samples.python(tmp_path, tests=slow)
    act("tdd-post-implementation", project=root, **samples.write(root, "src/app.py"))

    said = act(ACTION, project=root, seconds=1.2)

    assert said.decision == "deny"
    assert "did not finish within" in said.reason


def test_where_nothing_changed_there_is_nothing_to_say(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path, samples.BAD))

    said = act(ACTION, project=root)

    assert (said.decision, said.message, said.note) == ("none", "", "nothing changed and nothing was tested")


def test_a_file_that_was_red_and_is_gone_is_not_red(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, samples.BAD)
    act("tdd-post-implementation", project=root, **samples.write(root, "src/app.py"))
    (root / "src/app.py").unlink()

    said = act(ACTION, project=root)

    assert said.decision == "none"

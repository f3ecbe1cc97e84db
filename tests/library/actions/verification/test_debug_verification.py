"""debug-verification: the tests pass and nothing of the search for the fault is left behind."""

from pathlib import Path

import pytest

from library.actions import samples
from library.actions.conftest import Act

ACTION = "debug-verification"


@pytest.mark.req("CC-ACT-table")
def test_a_fix_that_fails_is_fed_back(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, samples.BAD)

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "deny"
    assert "FAILED tests/test_app.py::test_adds" in said.reason


def test_a_break_point_is_fed_back_though_the_tests_pass(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)
    code = samples.GOOD + "\n\ndef later():\n    breakpoint()\n"

    said = act(ACTION, project=root, **samples.changed(root, "src/app.py", code))

    assert said.decision == "deny"
    assert "left behind: breakpoint()" in said.reason
    assert "FAILED" not in said.reason


def test_one_that_stood_there_before_is_not_this_changes_fault(act: Act, tmp_path: Path) -> None:
    old = samples.GOOD + "\n\ndef later():\n    breakpoint()\n"
    root = samples.python(tmp_path, old + "    return 1\n")
    edit = {
        "file_path": str(root / "src/app.py"),
        "old_string": "    breakpoint()",
        "new_string": "    breakpoint()\n    return 1",
    }

    said = act(ACTION, project=root, tool_name="Edit", tool_input=edit)

    assert said.decision == "none"

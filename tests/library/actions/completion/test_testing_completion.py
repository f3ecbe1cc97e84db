"""testing-completion: what changed, what passes, which tests test nothing."""

from pathlib import Path

from library.actions import samples
from library.actions.conftest import Act

ACTION = "testing-completion"


def test_a_changed_test_that_tests_nothing_is_red(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"tests/test_app.py": "def test_it():\n    assert True\n"})

    said = act(ACTION, project=root)

    assert said.decision == "deny"
    assert "tests/test_app.py: line 1: test_it asserts nothing that could be false" in said.reason

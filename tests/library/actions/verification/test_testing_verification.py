"""testing-verification: a changed test asserts something, skips nothing, and passes."""

from pathlib import Path

import pytest

from library.actions import samples
from library.actions.conftest import Act

ACTION = "testing-verification"


@pytest.mark.req("CC-ACT-table")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def test_it():\n    print(1)\n", "line 1: test_it asserts nothing that could be false"),
        ("def test_it():\n    assert True\n", "line 1: test_it asserts nothing that could be false"),
        ("import pytest\n\n\n@pytest.mark.skip\ndef test_it():\n    assert str(1)\n", "test_it is skipped"),
        ("def test_it():\n    assert 1 + 1 == 3\n", "FAILED tests/test_app.py::test_it"),
    ],
)
def test_a_test_that_tests_nothing_or_fails_is_fed_back(act: Act, tmp_path: Path, text: str, why: str) -> None:
    root = samples.python(tmp_path)

    said = act(ACTION, project=root, **samples.changed(root, "tests/test_app.py", text))

    assert said.decision == "deny"
    assert why in said.reason


@samples.needs_node
def test_a_test_that_keeps_others_from_running_is_fed_back(act: Act, tmp_path: Path) -> None:
    root = samples.node(tmp_path, tests=samples.NODE_TESTS.replace("test('adds'", "test.only('adds'"))

    said = act(ACTION, project=root, **samples.write(root, "test/app.test.js"))

    assert said.decision == "deny"
    assert "line 5: only this one runs, and no other" in said.reason


def test_code_is_none_of_its_business(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, samples.BAD)

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert (said.decision, said.note) == ("none", "nothing to check: src/app.py is not a test")

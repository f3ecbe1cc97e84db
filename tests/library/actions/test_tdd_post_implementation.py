"""tdd-post-implementation: green after code was written; red is fine for a test that comes first."""

from pathlib import Path

from . import samples
from .conftest import Act

ACTION = "tdd-post-implementation"


def test_a_test_that_fails_before_its_code_is_there_is_as_it_should_be(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, samples.BAD)

    said = act(ACTION, project=root, **samples.write(root, "tests/test_app.py"))

    assert said.decision == "none"
    assert said.note.startswith("red, as a test is before its code: ran 2 tests of tests/test_app.py")
    assert "makes it pass (src/app.py)" in said.context


def test_code_without_a_test_is_said(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, tests="")

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert (said.decision, said.note) == ("none", "no test of src/app.py was found")

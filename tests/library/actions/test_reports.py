"""The reports at the end of work, in what they have in common: what changed, what was tested, what is red."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from . import samples
from .conftest import Act


class Work(NamedTuple):
    """What an agent does before it ends: a change in a sample project, and the action that looks at it."""

    completion: str
    after: str
    sample: Callable[..., Path]
    bad: str
    file: str
    title: str
    failure: str


FAILED = "FAILED tests/test_app.py::test_adds"
OLD_CODE = Work(
    "ddd-completion",
    "ddd-post-transformation",
    samples.python,
    samples.BAD,
    "src/app.py",
    "Work on existing code",
    FAILED,
)
TEST_FIRST = Work(
    "tdd-completion",
    "tdd-post-implementation",
    samples.unittests,
    samples.BAD,
    "app.py",
    "Test-first work",
    "AssertionError: -1 != 3",
)
TESTS = Work(
    "testing-completion",
    "testing-verification",
    samples.python,
    samples.BAD,
    "tests/test_app.py",
    "Work on tests",
    FAILED,
)
FAULT = Work(
    "debug-completion",
    "debug-verification",
    samples.node,
    samples.NODE_BAD,
    "app.js",
    "Debugging",
    "not ok 1 - adds",
)
ALL = [OLD_CODE, TEST_FIRST, TESTS, pytest.param(FAULT, marks=samples.needs_node)]


@pytest.mark.req("CC-ACT-table")
@pytest.mark.parametrize("work", ALL)
def test_after_green_work_the_user_gets_a_report(act: Act, tmp_path: Path, work: Work) -> None:
    root = work.sample(tmp_path)
    act(work.after, project=root, **samples.write(root, work.file))

    said = act(work.completion, project=root)

    assert said.decision == "none"
    assert said.message.startswith(f"{work.title}\nchanged: 1 file ({work.file})\n")
    assert f"passed: tests of {work.file}" in said.message
    assert "red:" not in said.message


@pytest.mark.req("CC-ACT-table")
@pytest.mark.parametrize("work", ALL)
def test_while_something_is_red_the_end_is_refused_with_the_first_failures(
    act: Act, tmp_path: Path, work: Work
) -> None:
    root = work.sample(tmp_path, work.bad)
    act(work.after, project=root, **samples.write(root, work.file))

    said = act(work.completion, project=root)

    assert said.decision == "deny"
    assert f"something is red: tests of {work.file}" in said.reason
    assert work.failure in said.reason

"""Every effect of every event, end to end: the command, a script, and the transcript of what happened."""

from typing import Any

import pytest

from conftest import Project

from .casebook import cases, run

CASES = [
    pytest.param(case, id=f"{case['book']}-{case['id']}", marks=pytest.mark.req(*case.get("req", ())))
    for case in cases()
]


@pytest.mark.parametrize("case", CASES)
def test_the_agent_does_what_hooks_say(case: dict[str, Any], project: Project) -> None:
    wrong = run(case, project)

    assert not wrong, "\n".join(wrong)


def test_no_two_cases_have_the_same_name() -> None:
    names = [(case["book"], case["id"]) for case in cases()]

    assert len(names) == len(set(names))

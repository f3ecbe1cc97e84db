"""debug-completion: what changed, what was tested, what is still red."""

from pathlib import Path

import pytest

from . import samples
from .conftest import Act
from .samples import Hook, Nested

ACTION = "debug-completion"
pytestmark = samples.needs_node


@pytest.mark.req("CC-ACT-table")
def test_after_green_work_the_user_gets_a_report(act: Act, tmp_path: Path) -> None:
    root = samples.node(tmp_path)
    act("debug-verification", project=root, **samples.write(root, "app.js"))

    said = act(ACTION, project=root)

    assert said.decision == "none"
    assert said.message.startswith("Debugging\nchanged: 1 file (app.js)\n")
    assert "passed: tests of app.js" in said.message
    assert "red:" not in said.message


@pytest.mark.req("CC-ACT-table")
def test_while_something_is_red_the_end_is_refused_with_the_first_failures(act: Act, tmp_path: Path) -> None:
    root = samples.node(tmp_path, samples.NODE_BAD)
    act("debug-verification", project=root, **samples.write(root, "app.js"))

    said = act(ACTION, project=root)

    assert said.decision == "deny"
    assert "something is red: tests of app.js" in said.reason
    assert "not ok 1 - adds" in said.reason


@pytest.mark.req("CC-ACT-command")
def test_the_command_takes_the_nested_form(hook: Hook, nested: Nested, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"src/app.py": samples.BAD})

    answer = hook(ACTION, nested(ACTION, root), project=root)

    assert "FAILED tests/test_app.py::test_adds" in answer.stdout + answer.stderr


@pytest.mark.req("CC-ACT-command")
def test_the_command_takes_the_flat_form(hook: Hook, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"src/app.py": samples.GOOD + "\n"})

    answer = hook(ACTION, {"hook_event_name": "SubagentStop", "cwd": str(root), "session_id": "s"}, project=root)

    assert answer.code == 0
    assert "passed: tests of src/app.py" in answer.json["systemMessage"]

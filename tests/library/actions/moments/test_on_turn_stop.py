"""The end of a turn: a report, and a gate only where the settings say so."""

from pathlib import Path

import pytest

from library.actions import samples
from library.actions.conftest import Act
from library.actions.samples import Hook

GATE = {"tenterhook.toml": '[actions]\non_stop = "gate"\n'}


def test_red_work_is_reported_and_nothing_is_refused(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"src/app.py": samples.BAD})

    said = act("turn.stop", project=root)

    assert said.decision == "none"
    assert said.message == "Where things stand\nchanged: 1 file (src/app.py)\nred: tests of src/app.py"


def test_a_gate_refuses_it(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path, more=GATE))
    samples.put(root, {"src/app.py": samples.BAD})

    said = act("turn.stop", project=root)

    assert said.decision == "deny"
    assert "FAILED tests/test_app.py::test_adds" in said.reason


def test_a_gate_refuses_it_once_only(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path, more=GATE))
    samples.put(root, {"src/app.py": samples.BAD})

    said = act("turn.stop", project=root, stop_hook_active=True)

    assert said.decision == "none"


@pytest.mark.req("CC-ACT-command")
def test_the_command_tells_the_user(hook: Hook, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"src/app.py": samples.GOOD + "\n"})

    nested = {"eventType": "Stop", "session": {"id": "s", "cwd": str(root), "projectDir": str(root)}}
    for event in (nested, {"hook_event_name": "Stop", "cwd": str(root), "session_id": "s"}):
        answer = hook("stop", event, project=root)

        assert answer.code == 0
        assert "passed: tests of src/app.py" in answer.json["systemMessage"]

"""The end of a session: its results are forgotten, those of others are not."""

from pathlib import Path

from library.actions import samples
from library.actions.conftest import Act
from library.actions.samples import Hook


def kept(state: Path) -> list[Path]:
    return list(state.rglob("*.jsonl"))


def test_the_sessions_results_are_forgotten(act: Act, state: Path, tmp_path: Path) -> None:
    root = samples.python(tmp_path)
    act("tdd-post-implementation", project=root, **samples.write(root, "src/app.py"))
    assert len(kept(state)) == 1

    said = act("session.end", project=root)

    assert said.note == "forgot the session's results"
    assert not kept(state)


def test_those_of_another_session_stay(act: Act, state: Path, tmp_path: Path) -> None:
    root = samples.python(tmp_path)
    act("tdd-post-implementation", project=root, session_id="other", **samples.write(root, "src/app.py"))

    said = act("session.end", project=root)

    assert said.note == "nothing was kept for the session"
    assert len(kept(state)) == 1


def test_the_command_answers_both_forms(hook: Hook, tmp_path: Path) -> None:
    nested = {"eventType": "SessionEnd", "session": {"id": "s", "cwd": str(tmp_path), "projectDir": str(tmp_path)}}
    for event in (nested, {"hook_event_name": "SessionEnd", "cwd": str(tmp_path)}):
        answer = hook("session-end", event)

        assert answer.code == 0
        assert "nothing was kept" in answer.stderr

"""Before a compaction: what changed and what is red is kept for the model."""

from pathlib import Path

from library.actions import samples
from library.actions.conftest import Act
from library.actions.samples import Hook


def test_the_model_keeps_what_changed_and_what_is_red(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, samples.BAD)
    act("tdd-post-implementation", project=root, **samples.write(root, "src/app.py"))

    said = act("compact.before", project=root)

    assert said.decision == "none"
    assert "changed: 1 file (src/app.py)\nred: tests of src/app.py" in said.context


def test_nothing_is_run_for_it(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"tests/test_app.py": "open('ran', 'w')\n"})

    said = act("compact.before", project=root)

    assert "not tested: tests/test_app.py" in said.context
    assert not (root / "ran").exists()


def test_without_changes_there_is_nothing_to_keep(act: Act, tmp_path: Path) -> None:
    said = act("compact.before", project=samples.python(tmp_path))

    assert (said.context, said.note) == ("", "nothing changed and nothing was tested")


def test_the_command_answers_both_forms(hook: Hook, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"src/app.py": samples.BAD})

    nested = {"eventType": "PreCompact", "session": {"id": "s", "cwd": str(root), "projectDir": str(root)}}
    for event in (nested, {"hook_event_name": "PreCompact", "cwd": str(root)}):
        answer = hook("compact", event, project=root)

        assert answer.code == 0
        assert "kept what changed and what is red" in answer.stderr

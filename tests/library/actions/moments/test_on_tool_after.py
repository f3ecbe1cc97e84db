"""After any tool: code is run, configuration and documents are read."""

from pathlib import Path

import pytest

from library.actions import samples
from library.actions.conftest import Act
from library.actions.samples import Hook


def test_code_is_run(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)

    good = act("tool.after", project=root, **samples.write(root, "src/app.py"))
    bad = act("tool.after", project=root, **samples.changed(root, "src/app.py", samples.BAD))

    assert (good.decision, good.message.endswith("all pass")) == ("none", True)
    assert bad.decision == "deny"
    assert "FAILED tests/test_app.py::test_adds" in bad.reason


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("config.toml", "a = 1\n", "a = \n"),
        ("ci.yaml", "a: 1\n", "a: b: c\n"),
        ("data.json", "{}\n", "{,\n"),
        ("run.sh", "true\n", "fi\n"),
        ("README.md", "[it](src/app.py)\n", "[it](src/gone.py)\n"),
    ],
)
def test_configuration_and_documents_are_read(act: Act, tmp_path: Path, name: str, good: str, bad: str) -> None:
    root = samples.python(tmp_path)

    sound = act("tool.after", project=root, **samples.changed(root, name, good))
    broken = act("tool.after", project=root, **samples.changed(root, name, bad))

    assert (sound.decision, sound.note) == ("none", f"read {name}: sound")
    assert broken.decision == "deny"
    assert broken.reason.startswith(f"{name} has ")
    assert "\n  1:" in broken.reason


def test_a_command_has_no_file_to_look_at(act: Act) -> None:
    said = act("tool.after", tool_name="Bash", tool_input={"command": "ls"})

    assert (said.decision, said.note) == ("none", "nothing to check: the tool wrote no file")


def test_a_picture_has_no_command(act: Act, tmp_path: Path) -> None:
    said = act("tool.after", **samples.changed(tmp_path, "a.png", "x"))

    assert said.note.startswith("nothing to check: a.png is not a ")


def test_the_command_answers_both_forms(hook: Hook, tmp_path: Path) -> None:
    root = samples.python(tmp_path, samples.BAD)
    given = samples.write(root, "src/app.py")
    session = {"id": "s", "cwd": str(root), "projectDir": str(root)}
    nested = {"eventType": "PostToolUse", "toolName": "Write", "toolInput": given["tool_input"], "session": session}

    for event in (nested, {"hook_event_name": "PostToolUse", "cwd": str(root), **given}):
        answer = hook("post-tool", event, project=root)

        assert answer.code == 2
        assert "FAILED tests/test_app.py::test_adds" in answer.stderr

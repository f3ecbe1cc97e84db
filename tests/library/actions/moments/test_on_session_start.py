"""The start of a session: the model is told the commands, the branch and how much is changed."""

import shlex
import sys
from pathlib import Path

from library.actions import samples
from library.actions.conftest import Act
from library.actions.samples import Hook


def test_the_model_is_told_the_commands_one_a_line(act: Act, tmp_path: Path) -> None:
    tools = samples.PYPROJECT + "\n[tool.ruff]\n\n[tool.mypy]\n\n[build-system]\nrequires = []\n"
    root = samples.python(tmp_path, more={"pyproject.toml": tools})

    lines = act("session.start", project=root).context.splitlines()

    assert [line.partition(":")[0] for line in lines] == ["test", "lint", "types", "build"]
    assert shlex.split(lines[0])[2:] == ["-m", "pytest"]
    assert shlex.split(lines[1])[1:] == [str(Path(sys.executable).with_name("ruff")), "check"]


def test_and_the_branch_and_how_much_is_changed(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path))
    samples.put(root, {"src/app.py": samples.BAD, "new/file one.txt": ""})

    said = act("session.start", project=root)

    assert said.context.splitlines()[-1] == "branch: main, 2 changed files"


def test_of_a_folder_of_packages_each_ones_commands(act: Act, tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "web").mkdir()
    samples.put(tmp_path, {"api/go.mod": "module x\n", "web/package.json": '{"scripts": {"build": "true"}}'})

    lines = act("session.start").context.splitlines()

    assert any(line.startswith("test: cd api && go test ./...") for line in lines)
    assert "build: cd web && npm run --silent build" in lines


def test_an_empty_folder_has_nothing_to_tell(act: Act, tmp_path: Path) -> None:
    said = act("session.start")

    assert (said.context, said.note) == ("", "no commands and no repository found")


def test_a_makefile_is_better_than_nothing(act: Act, tmp_path: Path) -> None:
    samples.put(tmp_path, {"Makefile": "test: all\n\ttrue\nlint:\n\ttrue\nX := 1\nall:\n"})

    assert act("session.start").context == "test: make test\nlint: make lint"


def test_the_command_answers_both_forms(hook: Hook, tmp_path: Path) -> None:
    root = samples.python(tmp_path)

    nested = {"eventType": "SessionStart", "session": {"id": "s", "cwd": str(root), "projectDir": str(root)}}
    for event in (nested, {"hook_event_name": "SessionStart", "cwd": str(root)}):
        answer = hook("session-start", event, project=root)

        assert answer.code == 0
        assert "-m pytest" in answer.stdout


def test_where_no_config_tells_the_tests_tell_what_runs_them(act: Act, tmp_path: Path) -> None:
    test = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    samples.put(tmp_path, {"setup.py": "", "calc.py": "def add(a, b):\n    return a + b\n", "test_calc.py": test})

    assert shlex.split(act("session.start").context)[2:] == ["-m", "pytest"]

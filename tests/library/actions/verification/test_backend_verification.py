"""backend-verification: linter, types and tests of a changed backend file."""

import re
import subprocess
from pathlib import Path

import pytest

from library.actions import samples
from library.actions.conftest import Act, Approve
from processes import lives

ACTION = "backend-verification"
TOOLS = samples.PYPROJECT + "\n[tool.ruff]\n\n[tool.mypy]\nstrict = true\n"
TYPED = "def add(a: int, b: int) -> int:\n    return a + b\n"


@pytest.mark.req("CC-ACT-table")
def test_a_clean_file_with_passing_tests_is_fine(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, TYPED, more={"pyproject.toml": TOOLS})

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "none"
    assert said.message.startswith("ruff: clean; mypy: clean; ran 2 tests of src/app.py in ")


@pytest.mark.req("CC-ACT-table")
def test_linter_types_and_tests_each_tell_their_first_failures(act: Act, tmp_path: Path) -> None:
    wrong = "import os\n\n\ndef add(a: int, b: int) -> int:\n    return str(a - b)\n"
    root = samples.python(tmp_path, wrong, more={"pyproject.toml": TOOLS})

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "deny"
    assert "src/app.py:1:8: F401" in said.reason
    assert "src/app.py:5: error: Incompatible return value type" in said.reason
    assert "FAILED tests/test_app.py::test_adds" in said.reason
    assert len(said.reason.splitlines()) <= 20
    assert len(said.reason) <= 2000


def test_a_tool_that_is_not_installed_is_said_and_is_no_fault(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, more={".flake8": ""})

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "none"
    assert "flake8 is not installed for " in said.note
    assert "ran 2 tests" in said.note


def test_an_interpreter_without_pytest_is_said_and_is_no_fault(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)
    subprocess.run(["python3", "-m", "venv", "--without-pip", str(root / ".venv")], check=True)

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "none"
    assert "pytest is not installed for " in said.note
    assert said.message == ""


def test_what_does_not_finish_is_ended_and_said(act: Act, tmp_path: Path) -> None:
    mark = "import os, time\nfrom pathlib import Path\n\n\ndef test_slow():\n"
    slow = f"{mark}    Path('pid').write_text(str(os.getpid()))\n    time.sleep(60)\n    assert time\n"
    root = samples.python(tmp_path, tests=slow)

    said = act(ACTION, project=root, seconds=3.0, **samples.write(root, "src/app.py"))

    assert said.decision == "none"
    assert re.search(r"did not finish within [23]\.\d s: ", said.note)
    assert "-m pytest tests/test_app.py" in said.context
    assert not lives(int((root / "pid").read_text()))


def test_the_settings_name_other_commands(act: Act, approve: Approve, tmp_path: Path) -> None:
    commands = "[actions.commands]\ntest = ['sh', '-c', 'echo tested \"$@\"; exit 1', 'sh', '{files}']\nlint = 'true'\n"
    root = approve(samples.python(tmp_path, more={"tenterhook.toml": commands}))

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "deny"
    assert "tested tests/test_app.py" in said.reason
    assert "true: clean" in said.note


@pytest.mark.parametrize("name", ["README.md", "style.css", "config.toml", "picture.png"])
def test_other_files_are_left_alone(act: Act, tmp_path: Path, name: str) -> None:
    root = samples.python(tmp_path, more={name: "x = 1"})

    said = act(ACTION, project=root, **samples.write(root, name))

    assert ("none", f"nothing to check: {name} is not a backend file") == (said.decision, said.note)

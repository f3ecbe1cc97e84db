"""library:format-and-lint in every agent, with the real ruff and with commands of the user's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tenterhook.testing import Fired, each_dialect

from .conftest import Fire

NAME = "format-and-lint"
UGLY = "import os\nx = {  'a':1 }\n"


@pytest.fixture(autouse=True)
def _with_ruff(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pyproject.toml").write_text("[tool.ruff]\n[tool.ruff.format]\n")
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)


def edit(fire: Fire, path: Path, agent: str = "tenterhook", **options: object) -> Fired:
    given = {"tool": "write", "file_path": str(path), "content": "x", "tool_output": "written"}
    return fire(NAME, "tool.after", agent=agent, options=options, **given)


@each_dialect("tool.after")
def test_an_edit_is_formatted_and_linted(agent: str, fire: Fire, folder: Path) -> None:
    path = folder / "a.py"
    path.write_text(UGLY)
    fired = edit(fire, path, agent)

    assert path.read_text() == 'import os\n\nx = {"a": 1}\n'
    assert "F401" in fired.everything
    assert "a.py was formatted; read it again" in fired.everything


@each_dialect("tool.after")
def test_a_good_edit_is_passed_over_in_silence(agent: str, fire: Fire, folder: Path) -> None:
    path = folder / "a.py"
    path.write_text("x = 1\n")
    fired = edit(fire, path, agent)

    assert fired.ran
    assert NAME not in fired.everything


def test_a_patch_names_the_files_that_it_changed(fire: Fire, folder: Path) -> None:
    for name in ("a.py", "b.py"):
        (folder / name).write_text(UGLY)
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** Add File: b.py\n+b\n*** End Patch\n"
    fired = fire(NAME, "tool.after", tool_name="apply_patch", tool_input={"command": patch}, tool_output="done")

    assert "a.py, b.py was formatted" in fired.everything
    assert (folder / "b.py").read_text() == 'import os\n\nx = {"a": 1}\n'


def test_either_can_be_switched_off(fire: Fire, folder: Path) -> None:
    path = folder / "a.py"
    path.write_text(UGLY)
    linted = edit(fire, path, format=False)
    assert path.read_text() == UGLY
    formatted = edit(fire, path, lint=False)

    assert "F401" in linted.reason
    assert "was formatted" not in linted.everything
    assert "F401" not in formatted.everything
    assert path.read_text() != UGLY


def test_commands_of_your_own_are_run_with_the_file(fire: Fire, folder: Path) -> None:
    path = folder / "a.py"
    path.write_text("x = 1\n")
    fired = edit(
        fire, path, formatter="sh -c 'echo \"# end\" >> $0' {files}", linter="sh -c 'echo $0 is bad; exit 1' {files}"
    )

    assert path.read_text() == "x = 1\n# end\n"
    assert "a.py is bad" in fired.reason


def test_a_linters_config_is_no_wish_to_be_formatted(fire: Fire, folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.ruff]\n")
    path = folder / "a.py"
    path.write_text("x = {  'a':1 }\n")
    edit(fire, path)

    assert path.read_text() == "x = {  'a':1 }\n"


def test_what_is_not_installed_or_does_not_finish_is_told_the_user(fire: Fire, folder: Path) -> None:
    (folder / ".prettierrc").write_text("{}")
    script, code = folder / "a.ts", folder / "a.py"
    script.write_text("let a = 1\n")
    code.write_text("x = 1\n")
    absent = edit(fire, script, lint=False)
    late = edit(fire, code, format=False, linter="sleep 9", seconds=0.9)

    assert "prettier is not installed" in absent.everything
    assert "did not finish within" in late.everything
    assert late.ran


def test_other_files_and_other_tools_are_left_alone(fire: Fire, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "a.py"
    outside.write_text(UGLY)
    text = folder / "a.txt"
    text.write_text("x")
    shell = fire(NAME, "tool.after", tool="shell", command=f"touch {outside}", tool_output="")

    assert all(one.ran and NAME not in one.everything for one in (edit(fire, outside), edit(fire, text), shell))
    assert outside.read_text() == UGLY


def test_a_wrong_limit_is_said_and_locks_nobody_out(fails: Fire, folder: Path) -> None:
    fired = edit(fails, folder / "a.py", seconds=-1.0)

    assert fired.ran
    assert "seconds must be a number above 0, not -1" in fired.everything

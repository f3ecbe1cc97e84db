"""Hooks of a project, fired by an engine: confined on the way, told where they were not."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from conftest import Project
from tenterhook import Attempt, Engine
from tenterhook.cli import doctor
from tenterhook.sandbox.proof import prove

pytestmark = pytest.mark.skipif(
    find_spec("tenterhook.supervisor") is None, reason="no supervisor here that could start confined hooks"
)


def attempt(project: Project, command: str, entry: str = "", **options: str) -> Attempt:
    project.write("hook.sh", f"#!/bin/sh\n{command}\n")
    project.write("tenterhook.toml", f'[[hook]]\non = "tool.before"\ncommand = "./hook.sh"\n{entry}\n')
    environ = {"HOME": str(project.home_folder), "PATH": "/usr/bin:/bin"}
    with Engine(project.root, trust="all", home=project.home_folder, environ=environ, **options) as engine:  # type: ignore[arg-type]
        outcome = engine.fire("tool.before", tool_name="Bash", tool_input={"command": "ls"})
    [found] = outcome.attempts
    return found


@pytest.fixture(autouse=True)
def mechanism() -> str:
    found = prove("none", ("namespace", "landlock"))
    if not found["mechanism"]:
        pytest.skip(f"this machine cannot confine a process: {found['why']}")
    return str(found["mechanism"])


def test_a_hook_is_confined_and_the_attempt_says_how(project: Project, mechanism: str) -> None:
    found = attempt(project, "exit 0")

    assert found.error is None
    assert found.sandbox == mechanism


def test_a_hook_cannot_read_keys_nor_write_hook_config(project: Project) -> None:
    key = project.home(".ssh/id_ed25519", "a key")
    found = attempt(project, f"cat '{key}'; echo x >> tenterhook.toml; echo '#' > hook.sh 2>/dev/null; exit 0")

    assert "a key" not in found.stdout
    assert "tenterhook.toml" in found.stderr
    assert "x\n" not in (project.root / "tenterhook.toml").read_text()


def test_what_its_entry_asks_for_is_open(project: Project, tmp_path: Path) -> None:
    key = project.home(".aws/credentials", "a credential")
    found = attempt(project, f"cat '{key}'", 'sandbox = { read = ["~/.aws"] }')

    assert found.stdout == "a credential"


def test_off_is_off(project: Project) -> None:
    key = project.home(".ssh/id_ed25519", "a key")
    found = attempt(project, f"cat '{key}'", 'sandbox = "off"')

    assert found.stdout == "a key"
    assert found.sandbox == ""


def test_hook_config_that_a_hook_plants_is_moved_away_and_told(project: Project) -> None:
    found = attempt(project, "mkdir .wave && echo '{}' > .wave/settings.json")

    assert any("was made by a hook" in note for note in found.notes)
    assert not (project.root / ".wave/settings.json").exists()


def test_doctor_finds_that_a_hook_is_confined(project: Project, mechanism: str) -> None:
    with Engine(project.root, home=project.home_folder, environ={"PATH": "/usr/bin:/bin"}) as engine:
        found = doctor.fired(engine)

    assert (found.state, found.detail) == ("works", mechanism)

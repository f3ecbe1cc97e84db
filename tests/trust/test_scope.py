"""What a project cannot say, approved or not; and what the user can."""

from __future__ import annotations

from pathlib import Path

import pytest

from trust.attempts import ATTEMPTS, LOADERS, Scene, canary_server, possible
from trust.conftest import Trusting


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    made = Scene(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return made


@pytest.mark.parametrize("name", possible())
def test_a_project_cannot_get_more_than_it_was_given(scene: Scene, name: str) -> None:
    assert not possible()[name](scene)


def test_a_variable_that_loads_code_is_refused_with_its_place(scene: Scene) -> None:
    scene.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\nenv = {LD_PRELOAD = "x"}\n')
    with scene.engine() as engine:
        [text] = engine.warnings

    assert text.startswith(f"{scene.root}/tenterhook.toml:4:")
    assert "LD_PRELOAD" in text


@pytest.mark.parametrize("name", LOADERS[:4])
def test_the_user_may_set_such_a_variable(scene: Scene, name: str) -> None:
    scene.user(f'[[hook]]\non = "tool.before"\ncommand = "env > seen"\nenv = {{{name} = "x"}}\n')
    with scene.engine() as engine:
        assert [hook.env for hook in engine.hooks()] == [{name: "x"}]


def test_settings_in_a_projects_file_are_said_to_count_for_nothing(scene: Scene) -> None:
    scene.write("tenterhook.toml", '[settings]\nsandbox = "off"\n')
    with scene.engine() as engine:
        [text] = engine.warnings

    assert "settings of a project are ignored" in text


@pytest.mark.parametrize("listed", ["127.0.0.1", "127.0.0.1:{port}"])
def test_a_host_that_the_user_lists_can_be_reached(scene: Scene, listed: str) -> None:
    with canary_server() as (port, seen):
        scene.user(f'[settings]\nhosts = ["{listed.format(port=port)}"]\n')
        url = f"http://127.0.0.1:{port}/"
        scene.write("tenterhook.toml", f'[[hook]]\non = "tool.before"\ntype = "http"\nurl = "{url}"\nloopback = true\n')
        scene.approve()
        scene.fire()

        assert seen


def test_another_port_than_the_listed_one_cannot(scene: Scene) -> None:
    with canary_server() as (port, seen):
        scene.user('[settings]\nhosts = ["127.0.0.1:1"]\n')
        url = f"http://127.0.0.1:{port}/"
        scene.write("tenterhook.toml", f'[[hook]]\non = "tool.before"\ntype = "http"\nurl = "{url}"\nloopback = true\n')
        scene.approve()
        outcome = scene.fire()

        assert not seen
        assert any("settings.hosts" in text for text in outcome.warnings)


def test_there_are_enough_attempts() -> None:
    assert len(ATTEMPTS) >= 20


def test_what_makes_a_guard_stricter_needs_no_approval(scene: Scene) -> None:
    from tenterhook.library.actions import settings

    scene.write(
        "tenterhook.toml", '[actions]\nprotected = ["x"]\non_stop = "gate"\nrules = {a = "deny", b = "allow"}\n'
    )
    found = settings.load(str(scene.root))

    assert (found.protected, found.on_stop, found.rules) == (["x"], "gate", {"a": "deny"})
    assert "actions.rules" in found.aside


def test_approved_actions_count_as_a_whole(scene: Scene) -> None:
    from tenterhook.library.actions import settings

    scene.write("tenterhook.toml", '[actions]\noutside = ["/tmp"]\nprotected = ["x"]\n')
    scene.approve()
    found = settings.load(str(scene.root))

    assert (found.outside, found.aside) == (["/tmp"], "")


def test_while_actions_are_modified_the_approved_ones_stay_in_force(scene: Scene) -> None:
    from tenterhook.library.actions import settings

    scene.write("tenterhook.toml", '[actions]\noutside = ["/tmp"]\nprotected = ["x"]\n')
    scene.approve()
    scene.write("tenterhook.toml", '[actions]\noutside = ["/"]\nprotected = ["y"]\n')
    found = settings.load(str(scene.root))

    assert (found.outside, found.protected) == (["/tmp"], ["x", "y"])
    assert "stays in force" in found.aside


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[tool.tenterhook.actions]\n"},
        {"pyproject.toml": ""},
        {"tenterhook.toml": "[actions]\n"},
        {"tenterhook.toml": '[actions]\nprotected = ["y"]\n'},
    ],
    ids=["emptied", "gone", "behind an empty one", "behind another one"],
)
def test_approved_actions_are_not_got_rid_of_by_writing_less(scene: Scene, files: dict[str, str]) -> None:
    """A table that only makes guards stricter is a looser one where the approved one was stricter still."""
    from tenterhook.library.actions import settings

    scene.write("pyproject.toml", '[tool.tenterhook.actions]\nprotected = ["x"]\nrules = {a = "deny"}\n')
    scene.approve()
    assert not settings.load(str(scene.root)).aside
    for name, text in files.items():
        scene.write(name, text)
    found = settings.load(str(scene.root))

    assert ("x" in found.protected, found.rules) == (True, {"a": "deny"})
    assert "stays in force" in found.aside


def test_a_config_file_of_another_user_is_not_trusted_and_said(guarded: Trusting) -> None:
    import os

    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can give files away")
    guarded.approve()
    os.chown(guarded.root / "tenterhook.toml", 65534, 65534)
    outcome = guarded.fire()

    assert [one.why for one in outcome.skipped] == ["untrusted"]
    assert any("belongs to another user" in text for text in outcome.warnings)


@pytest.mark.parametrize("name", ["linked.toml", "folder/tenterhook.toml"])
def test_a_link_in_the_project_does_not_make_a_file_the_users_own(scene: Scene, tmp_path: Path, name: str) -> None:
    """--config takes a file outside of the project for the user's; where a link in it leads, the project decides."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/tenterhook.toml").write_text('[[hook]]\non = "tool.before"\ncommand = "touch ran"\n')
    (scene.root / "linked.toml").symlink_to(tmp_path / "elsewhere/tenterhook.toml")
    (scene.root / "folder").symlink_to(tmp_path / "elsewhere")
    with scene.engine(config=str(scene.root / name)) as engine:
        assert [hook.state for hook in engine.hooks()] == ["untrusted"]
    with scene.engine(config=str(tmp_path / "elsewhere/tenterhook.toml")) as engine:
        assert [hook.state for hook in engine.hooks()] == ["trusted"]

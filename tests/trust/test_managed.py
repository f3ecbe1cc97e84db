"""The system's own file: root's word, over everybody's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tenterhook.errors import UsageError
from trust.attempts import Scene

HOOK = '[[hook]]\non = "tool.before"\nname = "{0}"\ncommand = "touch {0}"\n'


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Only root can have a file that is root's."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can have a file that is root's alone")
    return Scene(tmp_path)


def test_a_managed_hook_runs_without_approval(scene: Scene) -> None:
    scene.managed(HOOK.format("managed"))
    scene.fire()

    assert scene.has("managed")


def test_only_managed_forbids_hooks_of_users_and_projects(scene: Scene) -> None:
    scene.managed("[settings]\nonly_managed = true\n" + HOOK.format("managed"))
    scene.user(HOOK.format("user"))
    scene.write("tenterhook.toml", HOOK.format("project"))
    scene.approve()
    outcome = scene.fire()

    assert {one.hook: one.why for one in outcome.skipped} == {"user": "forbidden", "project": "forbidden"}
    assert [scene.has(name) for name in ("managed", "user", "project")] == [True, False, False]


def test_only_managed_holds_against_whoever_trusts_everything(scene: Scene) -> None:
    scene.managed("[settings]\nonly_managed = true\n")
    scene.write("tenterhook.toml", HOOK.format("project"))
    outcome = scene.fire(trust="all")

    assert [one.why for one in outcome.skipped] == ["forbidden"]


def test_the_hosts_own_functions_run_all_the_same(scene: Scene) -> None:
    """Whoever writes the program does not need a hook to do something in it."""
    scene.managed("[settings]\nonly_managed = true\n")
    with scene.engine() as engine:
        engine.add("tool.before", lambda event: {"decision": "deny", "reason": "code"})

        assert engine.fire("tool.before", tool_name="Bash").reason == "code"


def test_a_forbidden_bypass_is_an_error(scene: Scene) -> None:
    scene.managed("[settings]\nbypass = false\n")

    with pytest.raises(UsageError, match="does not allow"):
        scene.fire(trust="all")
    assert scene.fire().decision == "none"


@pytest.mark.parametrize(("line", "stays"), [("", True), ("[settings]\nmanaged_off = true\n", False)])
def test_the_users_switch_leaves_managed_hooks_on_unless_the_system_says_otherwise(
    scene: Scene, line: str, stays: bool
) -> None:
    scene.managed(line + HOOK.format("managed"))
    scene.user(HOOK.format("user"))
    scene.environ = {**scene.environ, "TENTERHOOK_OFF": "1"}
    outcome = scene.fire()

    assert (scene.has("managed"), scene.has("user")) == (stays, False)
    assert any("TENTERHOOK_OFF" in text for text in outcome.warnings)


def test_a_managed_hook_is_not_told_of_the_users_switch(scene: Scene) -> None:
    scene.managed('[[hook]]\non = "tool.before"\ncommand = "echo off=$TENTERHOOK_OFF. > seen"\n')
    scene.environ = {**scene.environ, "TENTERHOOK_OFF": "1"}
    scene.fire(mode="faithful")

    assert (scene.root / "seen").read_text() == "off=.\n"


def test_the_variable_that_says_inside_of_a_hook_does_not_switch_managed_hooks_off(scene: Scene) -> None:
    scene.managed(HOOK.format("managed"))
    scene.user(HOOK.format("user"))
    scene.environ = {**scene.environ, "TENTERHOOK_DEPTH": "1"}
    scene.fire()

    assert scene.has("managed")
    assert not scene.has("user")


def test_a_managed_hook_that_causes_its_own_event_is_refused_in_the_end(scene: Scene) -> None:
    scene.managed(HOOK.format("managed"))
    scene.environ = {**scene.environ, "TENTERHOOK_DEPTH": "5"}
    outcome = scene.fire()

    assert outcome.blocked
    assert "inside of 5 hooks" in outcome.reason
    assert not scene.has("managed")


@pytest.mark.parametrize("key", ["sandbox", "secrets"])
def test_what_the_system_says_neither_the_user_nor_the_host_takes_back(scene: Scene, key: str) -> None:
    words = {"sandbox": ("require", "off"), "secrets": ("strip", "pass")}[key]
    scene.managed(f'[settings]\n{key} = "{words[0]}"\n')
    scene.user(f'[settings]\n{key} = "{words[1]}"\n')
    with scene.engine(**{key: words[1]}) as engine:
        assert getattr(engine.hookset.settings, key) == words[0]


def test_a_journal_that_the_system_wants_is_kept(scene: Scene) -> None:
    scene.managed("[settings]\njournal = true\n")
    with scene.engine(journal=False) as engine:
        assert engine.hookset.settings.journal


def test_a_user_cannot_say_what_only_the_system_says(scene: Scene) -> None:
    scene.user("[settings]\nonly_managed = true\nbypass = false\n")
    with scene.engine() as engine:
        assert (engine.hookset.settings.only_managed, engine.hookset.settings.bypass) == (False, True)


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_a_file_that_others_could_have_written_is_not_the_systems(tmp_path: Path, mode: int) -> None:
    scene = Scene(tmp_path)
    scene.managed("[settings]\nonly_managed = true\n" + HOOK.format("managed"))
    scene.system.chmod(mode)
    scene.user(HOOK.format("user"))
    outcome = scene.fire()

    assert (scene.has("managed"), scene.has("user")) == (False, True)
    assert any("other than root" in text for text in outcome.warnings)


def test_another_config_file_does_not_replace_the_systems(scene: Scene) -> None:
    scene.managed(HOOK.format("managed"))
    scene.write("other.toml", HOOK.format("other"))
    scene.fire(config=scene.root / "other.toml", trust="all")

    assert scene.has("managed")
    assert scene.has("other")

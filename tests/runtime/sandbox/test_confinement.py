"""Which profile a hook gets: from its dialect, its own entry and the settings."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from tenterhook import Engine, dialects
from tenterhook.engine.confinement import Confinement
from tenterhook.runtime.sandbox import bubblewrap
from tenterhook.runtime.sandbox.places import GIT
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.support.paths import within
from tenterhook.types import Hook, Sandbox, Source

OURS = "tenterhook"
AGENTS = [name for name in dialects.names() if name != OURS]


def hook(sandbox: Sandbox | None = None, handler: str = "command") -> Hook:
    return Hook(
        name="guard", event="tool.before", handler=handler, spec={"main": "true"}, source=Source("x"), sandbox=sandbox
    )


def confined(project: Project, asked: Sandbox | None = None, **options: Any) -> tuple[Profile | None, bool]:
    given = {"home": project.home_folder, "dialect": OURS, "environ": {"HOME": str(project.home_folder)}, **options}
    with Engine(project.root, **given) as engine:
        return Confinement(engine.hookset).of(hook(asked))


def profile(project: Project, asked: Sandbox | None = None, **options: Any) -> Profile:
    found = confined(project, asked, **options)[0]
    assert found is not None
    return found


def test_our_own_hooks_reach_no_network_and_agents_hooks_do_as_ever(project: Project) -> None:
    assert profile(project).network == "none"
    assert {profile(project, dialect=name).network for name in AGENTS} == {"full"}


def test_what_git_runs_is_closed_in_modules_in_what_is_included_and_around_the_project(project: Project) -> None:
    project.write(".git/config", "[include]\n\tpath = ../shared.config\n[core]\n\thooksPath = scripts/hooks\n")
    project.write(".git/modules/libs/one/HEAD", "")
    project.write(".git/modules/libs/one/modules/two/HEAD", "")
    package = project.write("package/README", "").parent
    with Engine(package, home=project.home_folder, dialect=OURS, environ={}) as engine:
        inner = Confinement(engine.hookset).of(hook())[0]

    assert inner is not None
    closed = {os.path.relpath(path, project.root) for path in profile(project).closed}
    around = {os.path.relpath(path, project.root) for path in inner.closed}
    modules = (".git/modules/libs/one", ".git/modules/libs/one/modules/two")
    assert {"shared.config", "scripts/hooks", *(f"{one}/{name}" for one in modules for name in GIT)} <= closed
    assert around >= {f".git/{name}" for name in GIT}


def test_a_hook_may_ask_for_another_network(project: Project) -> None:
    assert profile(project, Sandbox(network="loopback")).network == "loopback"
    assert profile(project, Sandbox(write=("/opt",))).network == "none"


def test_project_temporary_folder_and_caches_may_be_written(project: Project) -> None:
    project.home(".cache/x", "")
    found = profile(project, environ={"TMPDIR": str(project.home_folder / "mine")})

    assert str(project.root) in found.write
    assert {"/tmp", "/var/tmp", "/dev/shm"} <= {*found.write}
    assert str(project.home_folder / ".cache") in found.write
    assert str(project.home_folder / "mine") in found.write


@pytest.mark.parametrize("place", [".ssh", ".claude", ".claude/tmp", ".aws"])
def test_a_temporary_folder_that_leads_to_a_guarded_place_opens_nothing(project: Project, place: str) -> None:
    guarded = project.home(f"{place}/file", "").parent
    link = project.home_folder / "temporary"
    os.symlink(guarded, link)

    assert str(guarded) not in profile(project, environ={"TMPDIR": str(link)}).write


@pytest.mark.parametrize("variable", ["TMPDIR", "XDG_CACHE_HOME"])
def test_a_variable_cannot_open_the_users_home(project: Project, variable: str) -> None:
    for folder in ("/", str(project.home_folder), str(project.home_folder.parent), "relative"):
        assert folder not in profile(project, environ={variable: folder}).write


def test_paths_count_from_the_project_and_from_home(project: Project, tmp_path: Path) -> None:
    os.symlink(tmp_path / "real", project.root / "link")
    found = profile(project, Sandbox(read=("~/.aws",), write=("../shared", "~/notes", "/opt/x", "link")))

    wanted = [tmp_path / "shared", project.home_folder / "notes", Path("/opt/x"), tmp_path / "real"]
    assert {*map(str, wanted)} <= {*found.write}
    assert found.shown == (str(project.home_folder / ".aws"),)
    assert str(project.home_folder / ".aws") not in found.hidden


def test_secrets_are_hidden_wherever_the_user_keeps_them(project: Project) -> None:
    environ = {"XDG_CONFIG_HOME": "/elsewhere", "SSH_AUTH_SOCK": "/somewhere/agent.1", "DOCKER_HOST": "unix:///d/sock"}
    found = {*profile(project, environ=environ).hidden}

    home = project.home_folder
    assert {f"{home}/.ssh", f"{home}/.aws", f"{home}/.netrc", f"{home}/.codex/auth.json"} <= found
    assert {"/elsewhere/gh", "/somewhere/agent.1", "/d/sock", "/etc/shadow"} <= found


def test_what_decides_what_runs_is_closed(project: Project) -> None:
    closed = {os.path.relpath(path, project.root) for path in profile(project).closed}

    assert {".git/hooks", ".git/config", "tenterhook.toml", ".claude/settings.json", ".codex", ".mcp.json"} <= closed
    assert {".claude/settings.local.json", ".amcp/hooks.toml", ".amcp/hooks.json"} <= closed


def test_a_wider_path_opens_neither_what_is_closed_nor_what_is_hidden_in_it(project: Project) -> None:
    found = profile(project, Sandbox(read=("~",), write=("~", ".claude")))

    home = project.home_folder
    assert {f"{home}/.bashrc", f"{home}/.claude", f"{project.root}/.claude/settings.json"} <= {*found.closed}
    assert f"{home}/.ssh" in found.hidden


def test_a_path_that_names_it_opens_it(project: Project) -> None:
    found = profile(project, Sandbox(write=(".claude/settings.json",), read=("~/.netrc",)))

    assert f"{project.root}/.claude/settings.json" not in found.closed
    assert f"{project.home_folder}/.netrc" not in found.hidden


def test_links_are_closed_by_name_and_by_where_they_lead(project: Project) -> None:
    project.write("config/real.json", "{}")
    (project.root / ".claude").mkdir()
    os.symlink("../config/real.json", project.root / ".claude/settings.json")
    found = profile(project).closed

    assert f"{project.root}/.claude/settings.json" in found
    assert f"{project.root}/config/real.json" in found


def test_a_pointer_of_git_closes_more_and_opens_nothing(project: Project, tmp_path: Path) -> None:
    """A repository must not be able to make the user's folders writable."""
    (tmp_path / "main/.git/worktrees/w").mkdir(parents=True)
    (tmp_path / "main/.git/worktrees/w/commondir").write_text("../..\n")
    project.write(".git", f"gitdir: {tmp_path}/main/.git/worktrees/w\n")
    found = profile(project)

    assert {f"{project.root}/.git", f"{tmp_path}/main/.git/hooks"} <= {*found.closed}
    assert not any(path.startswith(f"{tmp_path}/main") for path in found.write)


def test_hooks_of_git_elsewhere_in_the_project_are_closed_too(project: Project) -> None:
    project.write(".git/config", "[core]\n\thooksPath = tools/hooks\n")
    project.write(".git/modules/sub/config", "")

    assert {f"{project.root}/tools/hooks", f"{project.root}/.git/modules/sub/hooks"} <= {*profile(project).closed}


@pytest.mark.parametrize(("text", "closed"), [("[tool.tenterhook]\n", True), ("[project]\n", False)])
def test_a_pyproject_that_holds_our_hooks_is_closed(project: Project, text: str, closed: bool) -> None:
    path = project.write("pyproject.toml", text)

    assert (str(path) in profile(project).closed) is closed


def test_settings_and_mode_say_whether_a_hook_may_run_without(project: Project) -> None:
    assert confined(project)[1] is True  # strict, as our own dialect is
    assert confined(project, dialect="wave")[1] is False
    assert confined(project, dialect="wave", sandbox="require")[1] is True
    assert confined(project, sandbox="off") == (None, False)


def test_a_hook_that_says_off_is_not_confined_unless_all_must_be(project: Project) -> None:
    assert confined(project, Sandbox(off=True)) == (None, False)

    found, required = confined(project, Sandbox(off=True), sandbox="require")
    assert found == profile(project)
    assert required


def test_functions_are_not_confined_and_cost_nothing(project: Project) -> None:
    with Engine(project.root, home=project.home_folder) as engine:
        assert Confinement(engine.hookset).of(hook(handler="python")) == (None, False)
        engine.on("tool.before")(lambda event: None)
        engine.fire("tool.before", tool_name="Bash", tool_input={})

        assert "confinement" not in vars(engine)


def test_our_own_state_is_there_before_a_hook_could_make_it(project: Project) -> None:
    found = profile(project)
    state = project.home_folder / ".local/state/tenterhook"

    assert any(within(str(state), one) for one in found.write)
    assert str(state) in found.closed
    assert state.stat().st_mode & 0o777 == 0o700


def test_elsewhere_a_strict_hook_runs_unconfined_and_a_required_sandbox_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no sandbox yet nobody could use our own dialect otherwise; who requires one means it."""
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "true"\n')
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(bubblewrap, "find_working_bwrap", lambda: "")
    found = {}
    for sandbox in ("default", "require"):
        with project.engine("tenterhook", sandbox=sandbox, supervisor="off") as engine:
            [found[sandbox]] = engine.fire("tool.before", tool_name="Bash").attempts

    assert (found["default"].error, found["default"].sandbox) == (None, "none")
    assert "no sandbox for darwin yet" in found["default"].notes[0]
    assert found["require"].error == "sandbox"

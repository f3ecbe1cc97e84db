"""Where may be written: by the name that is given and by where it really leads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenterhook import dialects
from tenterhook.library.actions.settings import ActionSettings
from tenterhook.library.guard import danger
from tenterhook.library.guard.paths import Territory
from tenterhook.support.patches import in_patch
from tenterhook.tools.install.init.install import setup_of

PROJECT, HOME = "/srv/work/my project", "/home/someone"


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", HOME)
    monkeypatch.delenv("TMPDIR", raising=False)


def rule(path: str, **given: list[str]) -> str:
    settings = ActionSettings()
    for name, value in given.items():
        setattr(settings, name, value)
    found = Territory(PROJECT, settings).judged(path)
    return found.rule if found else ""


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("src/app.py", ""),
        ("src/../app.py", ""),
        ("$(touch x)/a'b\".py", ""),
        (".github/workflows/x.yml", ""),
        (".gitignore", ""),
        (".env.example", ""),
        (".git/config", "git-folder"),
        ("sub/.git/hooks/pre-commit", "git-folder"),
        (".GIT/config", "git-folder"),
        (".claude/settings.local.json", "agent-settings"),
        (".claude/hooks/deep/x.sh", "agent-settings"),
        (".claude/commands/x.md", ""),
        (".amcp/hooks.toml", "agent-settings"),
        ("tenterhook.toml", "agent-settings"),
        ("massgen.yaml", "agent-config"),
        (".env", "env-file"),
        ("api/.env.production", "env-file"),
        ("uv.lock", "lock-file"),
        ("web/package-lock.json", "lock-file"),
        ("../other/x", "outside-project"),
        ("/srv/work/my project2/x", "outside-project"),
        ("/tmp/x", ""),
        ("/etc/hosts", "system-path"),
        ("/dev/null", ""),
        ("/dev/sda", "system-path"),
        (f"{HOME}/x", "outside-project"),
        (f"{HOME}/.bashrc", "startup-file"),
        (f"{HOME}/.ssh/authorized_keys", "credentials"),
    ],
)
def test_a_path_falls_under_a_rule_or_none(path: str, wanted: str) -> None:
    assert rule(f"{PROJECT}/{path}" if not path.startswith("/") else path) == wanted


# Files that hold settings and little else, and those that hold much more.
SETTINGS = [
    pytest.param(file.path, id=f"{name}-{file.path}")
    for name in dialects.names()
    for file in dialects.get(name).config.files
    if file.scope == "project" and file.origin == "settings" and file.path not in ("config.yaml", "pyproject.toml")
    if file.format != "frontmatter"
]


@pytest.mark.parametrize("path", SETTINGS)
def test_a_file_of_an_agents_hooks_is_not_the_agents_to_write(path: str) -> None:
    assert rule(f"{PROJECT}/{path.replace('**/', '').replace('*', 'any')}") in ("agent-settings", "agent-config")


@pytest.mark.parametrize("dialect", [name for name in dialects.names() if dialects.get(name).setup])
def test_what_init_writes_for_an_agent_is_not_the_agents_to_write(dialect: str) -> None:
    setup = dialects.get(dialect).setup
    assert setup

    assert {rule(f"{PROJECT}/{setup.folder}/{one.script}") for one in setup.wrappers} == {"agent-settings"}
    assert {rule(f"{PROJECT}/{file}") for file in setup.files} <= {"agent-settings", "agent-config"}


def test_the_project_says_what_else_is_protected_and_allowed() -> None:
    assert rule(f"{PROJECT}/migrations/1.sql", protected=["migrations/**"]) == "protected-path"
    assert rule(f"{PROJECT}/migrations/1.sql", protected=["migrations"]) == "protected-path"
    assert rule(f"{PROJECT}/a/b/x.gen.py", protected=["*.gen.py"]) == "protected-path"
    assert rule(f"{PROJECT}/src/x.py", protected=["migrations/**"]) == ""
    assert rule("/srv/shared/x", outside=["/srv/shared"]) == ""
    assert rule("/srv/work/shared/x", outside=["../shared"]) == ""
    assert rule(f"{HOME}/notes/x", outside=["~/notes"]) == ""
    assert rule("/srv/shared2/x", outside=["/srv/shared"]) == "outside-project"


@pytest.mark.parametrize("folder", ["/tmp", "/tmp/", "/var/tmp", "/srv/shared", "/srv/shared/"])
def test_a_folder_that_may_be_written_to_is_itself_a_target(folder: str) -> None:
    """`cp report.txt /tmp` and `tar -x -C /tmp` name the folder and no file in it."""
    assert rule(folder, outside=["/srv/shared/"]) == ""


def test_a_home_among_the_systems_folders_is_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/root")

    assert rule("/root/notes.txt") == "outside-project"
    assert rule("/root/.bashrc") == "startup-file"
    assert rule("/root/plans/x.md", outside=["~/plans"]) == ""
    assert rule("/etc/hosts") == "system-path"
    monkeypatch.setenv("HOME", "/")
    assert rule("/etc/hosts") == "system-path"
    monkeypatch.setenv("HOME", HOME)
    assert rule("/root/notes.txt") == "system-path"


def test_a_rule_can_be_switched() -> None:
    settings = ActionSettings()
    settings.rules = {"env-file": "allow", "lock-file": "deny"}
    place = Territory(PROJECT, settings)

    assert place.judged(f"{PROJECT}/.env") is None
    assert getattr(place.judged(f"{PROJECT}/uv.lock"), "decision", "") == "deny"


@pytest.mark.parametrize("name", ["amcp", "llxprt", "massgen", "moai", "tenterhook", "wave"])
def test_what_init_writes_for_an_agent_is_kept_from_it(name: str) -> None:
    setup = setup_of(dialects.get(name))

    for path in (*setup.files, *(f"{setup.folder}/{wrapper.script}" for wrapper in setup.wrappers)):
        assert rule(f"{PROJECT}/{path}") in ("agent-settings", "agent-config"), path
    assert rule(f"{PROJECT}/{setup.folder}/") == "agent-settings"


def test_a_folder_is_kept_with_what_is_protected_in_it() -> None:
    assert rule(f"{PROJECT}/.claude/") == "agent-settings"
    assert rule(f"{PROJECT}/.claude") == ""
    assert rule(f"{PROJECT}/.vscode/") == ""
    assert rule(f"{PROJECT}/db/", protected=["db/migrations/**"]) == "protected-path"
    assert rule(f"{PROJECT}/database/", protected=["db/migrations/**"]) == ""


def test_patterns_stand_for_the_files_that_are_there(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("tenterhook.toml", "other.toml", ".git/config"):
        (tmp_path / name).touch()
    place = Territory(str(tmp_path), ActionSettings())

    def found(command: str) -> list[str]:
        return [one.rule for one in danger.findings(command, place, str(tmp_path))]

    assert found("rm -f *.toml") == ["agent-settings"]
    assert found("rm -f o*.toml *.lock") == []
    assert found("echo x > .gi?/config") == ["git-folder"]
    (tmp_path / ".claude").mkdir()
    assert found("cp settings.json .claude") == ["agent-settings"]
    assert found("rm -rf .cl*") == ["agent-settings"]
    assert found("cp notes.md .claude") == []


def test_links_are_followed_also_to_what_is_not_there_yet(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "out").symlink_to("/etc")
    (project / "inner").symlink_to(".git")
    (project / "deep").mkdir()
    (project / "deep" / "up").symlink_to("/srv/elsewhere/folder")
    place = Territory(str(project), ActionSettings())

    def found(name: str) -> str:
        return getattr(place.judged(f"{project}/{name}"), "rule", "")

    assert found("out/new/file") == "system-path"
    assert found("inner/config") == "git-folder"
    assert found("deep/up/../x") == "outside-project"
    assert found("deep/x") == ""


def test_a_project_behind_a_link_is_the_project(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    place = Territory(str(tmp_path / "link"), ActionSettings())

    assert place.judged(str(tmp_path / "link" / "x.py")) is None
    assert place.judged(str(tmp_path / "real" / ".git" / "x")) is not None


def test_a_patch_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: a b.py\n+x\n*** Add File: .git/config\n--- a/x\n+++ b/y z\t2020\n"

    assert in_patch(patch) == ["a b.py", ".git/config", "x", "y z"]

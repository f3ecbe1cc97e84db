"""What an approval is bound to: the files that a command resolves to, and what is said of the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tenterhook.trust.bind import Binder, Binding
from tenterhook.trust.parts import LARGE, BoundFile, ground, part


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "the project"
    (root / "hooks").mkdir(parents=True)
    for name in ("hooks/a.sh", "hooks/b.py", "c.js", "data.txt", "run me", "plain", "a=b"):
        (root / name).write_text("#!/bin/sh\n" if name.endswith("sh") or name == "a=b" else "")
        (root / name).chmod(0o644 if name in ("data.txt", "plain", "a=b") else 0o755)
    return root


def bound(root: Path, command: str | list[str]) -> Binding:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(root.parent), "CLAUDE_PROJECT_DIR": str(root)}
    return Binder(ground(str(root), str(root.parent)), str(root), env).command(command)


def own(root: Path, found: Binding) -> set[str]:
    return {os.path.relpath(path, root) for path, (one, _) in found.parts.items() if in_project(root, one)}


def in_project(root: Path, one: BoundFile) -> bool:
    return one.path.startswith(str(root)) and one.how != "names"


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("./hooks/a.sh", {"hooks/a.sh"}),
        ("hooks/a.sh --flag data.txt", {"hooks/a.sh"}),
        ("sh hooks/a.sh", {"hooks/a.sh"}),
        ("sh -eu hooks/a.sh", {"hooks/a.sh"}),
        ("bash -c ./hooks/a.sh", {"hooks/a.sh"}),
        ("bash -c './hooks/a.sh; true'", {"hooks/a.sh"}),
        ('"$CLAUDE_PROJECT_DIR"/hooks/a.sh', {"hooks/a.sh"}),
        ("${CLAUDE_PROJECT_DIR}/hooks/b.py", {"hooks/b.py"}),
        ("python3 hooks/b.py", {"hooks/b.py"}),
        ("python3 -u -B hooks/b.py x", {"hooks/b.py"}),
        ("env -i A=1 python3 hooks/b.py", {"hooks/b.py"}),
        ("nohup nice ./hooks/a.sh", {"hooks/a.sh"}),
        ("node c.js", {"c.js"}),
        ("node --require ./hooks/b.py c.js", {"hooks/b.py", "c.js"}),
        (". hooks/a.sh", {"hooks/a.sh"}),
        ("'./run me'", {"run me"}),
        ("cd hooks && sh a.sh", {"hooks/a.sh"}),
        ('bash "$CLAUDE_PROJECT_DIR/hooks/a.sh" || exit 2', {"hooks/a.sh"}),
        ('cat | "$CLAUDE_PROJECT_DIR"/hooks/a.sh', {"hooks/a.sh"}),
        ("'./run me' | cat", {"run me"}),
        ("sh plain", {"plain"}),
        ("bash -o pipefail plain", {"plain", "pipefail"}),
        ("bash -o pipefail -c 'sh plain'", {"plain", "pipefail"}),
        ("python3 -X dev plain", {"plain", "dev"}),
        ("timeout 5 sh plain", {"plain"}),
        ("env -u HOME nice -n 5 sh plain", {"plain"}),
        ("sh a=b", {"a=b"}),
        ("env -u sh python3 plain", {"plain", "python3"}),
        ("timeout -s KILL 5 sh plain", {"plain"}),
        ("cat data.txt | sh hooks/a.sh", {"hooks/a.sh"}),
        ("test -x hooks/a.sh && hooks/a.sh || python3 hooks/b.py", {"hooks/a.sh", "hooks/b.py"}),
        ("LD_PRELOAD=./c.js true", {"c.js"}),
        ("echo hello", set()),
        ("exit 2", set()),
        (["python3", "hooks/b.py"], {"hooks/b.py"}),
        ("./absent.sh", {"absent.sh"}),
        ("python3 hooks", {"hooks", "hooks/__main__.py"}),
    ],
)
def test_the_projects_files_that_a_command_runs_are_bound(root: Path, command: str, files: set[str]) -> None:
    assert own(root, bound(root, command)) == files


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("npm test", "npm test"),
        ("make", "make"),
        ("make -C sub all", "make -C"),
        ("python3 -m checks", "the module"),
        ("cd hooks && sh a.sh", "more than one plain command"),
        ("sh -c 'a | b'", "more than one plain command"),
        ("${MISSING:-x} y", "more than one plain command"),
        ("uv run check", "uv run"),
        ("python3 -c 'import checks'", "installed packages that it imports (checks)"),
        ("node -e 'import \"x\"'", "packages that it imports (x)"),
        ("PATH=./hooks:$PATH true", "PATH: what it makes"),
        ("env PYTHONPATH=hooks python3 hooks/b.py", "PYTHONPATH: what it makes"),
        ("./python3 hooks/b.py", "an interpreter of the project's own"),
        ("expect data.txt", "data.txt: a file that the command is given"),
        ("env -S 'sh plain'", "env: what it runs"),
    ],
)
def test_what_cannot_be_bound_is_said(root: Path, command: str, said: str) -> None:
    assert any(said in text for text in bound(root, command).unbound)


@pytest.mark.parametrize("command", ["./hooks/a.sh", "echo hello", "python3 hooks/b.py", "exit 2"])
def test_nothing_is_said_where_all_is_bound(root: Path, command: str) -> None:
    assert not bound(root, command).unbound


def test_a_script_is_bound_with_the_interpreter_that_its_first_line_names(root: Path) -> None:
    found = bound(root, "./hooks/a.sh")
    [shell] = [one for one, _ in found.parts.values() if not one.path.startswith(str(root))]

    assert shell.real == os.path.realpath("/bin/sh")
    assert shell.how == "path"


def test_a_program_outside_of_the_project_that_the_user_can_change_is_bound_by_its_bytes(root: Path) -> None:
    tool = root.parent / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    [one] = [one for one, _ in bound(root, str(tool)).parts.values() if one.path == str(tool)]

    assert (one.how, one.size) == ("content", 10)


def test_to_root_only_the_systems_folders_are_the_systems(root: Path, tmp_path: Path) -> None:
    """A user's agent that is root can write what root owns; an ordinary user's file is bound by its bytes anyway."""
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)

    assert part(str(tool), ground(str(root), "/nowhere"))[0].how == "content"
    assert part("/bin/sh", ground(str(root), "/nowhere"))[0].how == "path"


def test_a_large_one_is_bound_by_its_size_and_times(root: Path) -> None:
    tool = root.parent / "tool"
    tool.write_bytes(bytes(LARGE + 1))

    assert part(str(tool), ground(str(root), str(root.parent)))[0].how == "stamp"


def test_a_file_that_is_not_there_is_bound_to_its_absence(root: Path) -> None:
    before = part(str(root / "absent"), ground(str(root), "/nowhere"))[0]
    (root / "absent").touch()

    assert before.how == "absent"
    assert part(str(root / "absent"), ground(str(root), "/nowhere"))[0].key != before.key


def test_a_pipe_in_the_way_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe")

    assert bound(root, "sh pipe").parts


def test_a_link_in_a_circle_and_a_name_with_a_nul_are_absent(root: Path) -> None:
    (root / "loop").symlink_to("loop")

    assert [one.how for one, _ in bound(root, ["./loop"]).parts.values()] == ["absent"]
    assert bound(root, ["./a\0b"]).parts


@pytest.mark.parametrize("path", [".:/usr/bin", ":/usr/bin", "tools:/usr/bin"])
def test_a_program_of_the_project_that_path_leads_to_is_bound(root: Path, path: str) -> None:
    """A relative folder in PATH counts from where the hook runs."""
    (root / "tools").mkdir()
    for name in ("check", "tools/check"):
        (root / name).write_text("#!/bin/sh\n")
        (root / name).chmod(0o755)
    found = Binder(ground(str(root), str(root.parent)), str(root), {"PATH": path}).command("check")

    assert ("tools/check" if path.startswith("tools") else "check") in own(root, found)

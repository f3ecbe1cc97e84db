"""What the tests of `tenter install` share: a project and a home whose names are full of traps, and two hooks."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tenterhook.cli.main import main

HOOKS = """\
from tenterhook import hook


@hook("tool.before", match="shell")
def no_force_push(event, branch="main"):
    raise RuntimeError("a canary must not call a hook")


@hook("turn.stop", timeout=90)
def tests_first(event):
    raise RuntimeError("a canary must not call a hook")


if __name__ == "__main__":
    hook.main()
"""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Call = Callable[..., Ran]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose name a shell, or an agent that puts in variables itself, may take for something else."""
    folder = tmp_path / """it's $HOME "here" ${PATH};`x`"""
    (folder / "hook files").mkdir(parents=True)
    (folder / "hook files" / "my guard.py").write_text(HOOKS)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "TENTERHOOK_OFF", "TENTERHOOK_CANARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def tenter(project: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command as it is called in the project's folder."""

    def call(*words: str) -> Ran:
        capsys.readouterr()
        code = main(list(words))
        return Ran(code, *capsys.readouterr())

    return call


def snapshot(folder: Path) -> dict[str, bytes]:
    found = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in found}

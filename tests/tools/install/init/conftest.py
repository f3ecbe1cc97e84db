"""What the tests of `tenter init` share: the command in a project folder, and a program that stands for `tenter`."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tenterhook.cli.main import main

SYSTEM = "/usr/bin:/bin"
# Writes down how it was called and what it was given, and ends as it is told.
FAKE = """#!/bin/sh
here={here}
printf '%s\\n' "$@" > "$here/args"
cat > "$here/stdin"
cat "$here/answer"
printf '%s' 'a word' >&2
exit {code}
"""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Init = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder to stand in, and a HOME beside it."""
    (tmp_path / "my project").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(tmp_path / "my project")
    return tmp_path / "home"


@pytest.fixture
def init(home: Path, capsys: pytest.CaptureFixture[str]) -> Init:
    """`tenter init` as it is called in the project folder."""

    def call(*words: str) -> Ran:
        capsys.readouterr()
        code = main(["init", *words])
        return Ran(code, *capsys.readouterr())

    return call


class Fake(NamedTuple):
    """The program that stands for `tenter`."""

    folder: Path

    @property
    def args(self) -> list[str]:
        return (self.folder / "args").read_text().splitlines()

    @property
    def stdin(self) -> bytes:
        return (self.folder / "stdin").read_bytes()

    @property
    def called(self) -> bool:
        return (self.folder / "args").exists()


def fake(folder: Path, *, answer: str = "", code: int = 0) -> Fake:
    """A `tenter` in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answer").write_text(answer)
    (folder / "tenter").write_text(FAKE.format(here=shlex.quote(str(folder)), code=code))
    (folder / "tenter").chmod(0o755)
    return Fake(folder)


def fire(dialect: str, event: str, data: dict[str, Any], *, path: str) -> tuple[int, dict[str, Any]]:
    """`tenter fire --trust` in a process of its own, with that PATH; its exit code and the outcome."""
    done = subprocess.run(
        [sys.executable, "-m", "tenterhook.cli.main", "fire", event, "--dialect", dialect, "--trust"],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        timeout=60,
        check=False,
    )
    assert done.returncode != 1, done.stderr
    return done.returncode, json.loads(done.stdout)


def snapshot(root: Path) -> dict[str, tuple[str, bytes | str, int]]:
    """Everything below a folder: kind, content and mode."""
    found: dict[str, tuple[str, bytes | str, int]] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path), 0)
        else:
            content = path.read_bytes() if path.is_file() else b""
            found[name] = ("file" if path.is_file() else "folder", content, path.stat().st_mode)
    return found


def write(path: str, text: str | bytes) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file

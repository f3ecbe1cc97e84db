"""Files that are none: whoever reads a project must not wait for a pipe nor drink from a device."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tenterhook.support import files

TENTER = [sys.executable, "-m", "tenterhook", "hook"]


def test_a_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one\r\ntwo")

    assert files.contents(str(file), 3) == b"one"
    assert files.text(str(file)) == "one\ntwo"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "absent"])
def test_what_is_no_file_is_an_error_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    {"pipe": lambda: os.mkfifo(path), "device": lambda: path.symlink_to("/dev/zero"), "folder": path.mkdir}.get(
        kind, lambda: None
    )()

    with pytest.raises(OSError, match=r"regular|folder|No such"):
        files.contents(str(path))


def hooked(project: Path, *words: str, **given: str) -> subprocess.CompletedProcess[str]:
    event = json.dumps({"tool_name": "T", "tool_input": given, "cwd": str(project)})
    return subprocess.run([*TENTER, *words], input=event, capture_output=True, text=True, cwd=project, timeout=30)


@pytest.mark.req("CC-SEC-validate")
@pytest.mark.parametrize("name", ["tenterhook.toml", "pyproject.toml"])
def test_settings_that_are_a_pipe_refuse_instead_of_waiting(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    done = hooked(tmp_path, "pre-tool", command="ls")

    assert done.returncode == 2
    assert f"{name}: is not a regular file" in done.stderr


@pytest.mark.req("CC-SEC-validate")
@pytest.mark.parametrize("text", [f"[actions]\na{'.a' * 200_000} = 1", f"actions = {'[' * 5000}"])
def test_settings_that_would_take_forever_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "tenterhook.toml").write_text(text)
    done = hooked(tmp_path, "pre-tool", command="ls")

    assert done.returncode == 2
    assert "tenterhook.toml: " in done.stderr


@pytest.mark.req("CC-SEC-validate")
@pytest.mark.parametrize("target", ["pipe.json", "/dev/zero"])
def test_an_edit_of_what_is_no_file_is_not_waited_for(tmp_path: Path, target: str) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    done = hooked(tmp_path, "agent", "backend-validation", file_path=target, old_string="a", new_string="b")

    assert done.returncode == 0, done.stderr

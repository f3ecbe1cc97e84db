"""devops-verification: feedback on YAML, Dockerfiles, CI files and their like."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.req("CC-ACT-table")

WORKFLOW = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make test\n"


def write(path: Path, text: str) -> dict[str, Any]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return {"file_path": str(path), "content": text}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".github/workflows/ci.yml", WORKFLOW),
        ("Dockerfile", "FROM alpine\nRUN true\n"),
        ("values.yaml", "a: 1\n"),
        ("config.json", "{}"),
        ("run.sh", "echo hi\n"),
    ],
)
def test_a_sound_file_is_left_alone(act: Callable[..., Any], tmp_path: Path, name: str, text: str) -> None:
    said = act("devops-verification", tool_name="Write", tool_input=write(tmp_path / name, text))

    assert said.decision == "none"
    assert said.note == f"read {name}: sound"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (".github/workflows/ci.yml", WORKFLOW.replace("runs-on", "run-on"), "3:3: jobs.test: 'runs-on'"),
        ("Dockerfile", "FROM alpine\nRNU true\n", "2:1: unexpected 'R'"),
        ("values.yaml", "a: 1\na: 2\n", "2:1: the key 'a' stands here again"),
        ("config.json", "{", "expected"),
        ("run.sh", "if true\n", "syntax error"),
        ("Makefile", "all:\n  echo\n", "2:1: blanks where make needs a tab"),
    ],
)
def test_what_is_wrong_is_fed_back(
    act: Callable[..., Any], tmp_path: Path, name: str, text: str, expected: str
) -> None:
    said = act("devops-verification", tool_name="Write", tool_input=write(tmp_path / name, text))

    assert said.decision == "deny"
    assert name in said.reason.splitlines()[0]
    assert expected in said.reason


def test_a_check_that_cannot_be_made_is_said(
    act: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    said = act("devops-verification", tool_input=write(tmp_path / "Dockerfile", "RNU\n"))

    assert said.decision == "none"
    assert said.note == (
        "read Dockerfile: no fault found; not checked: the instructions of a Dockerfile (install hadolint)"
    )


def test_bytes_that_are_no_text_are_told(act: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"a": "\xff"}')

    said = act("devops-verification", tool_input={"file_path": "a.json", "content": "x"})

    assert "1:8: not UTF-8" in said.reason


def test_a_name_that_is_no_text_is_shown_as_well_as_it_can_be(act: Callable[..., Any], tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    (tmp_path / name).write_text("{")

    said = act("devops-verification", tool_input={"file_path": name, "content": "{"})

    assert said.decision == "deny"
    assert said.reason.encode()


def test_a_file_of_another_kind_and_a_large_one_are_left_alone(act: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path / "large.json", "{" * (2 << 20))

    for name in ("large.json", "main.py", "README.md"):
        said = act("devops-verification", tool_input={"file_path": name, "content": "x"})

        assert said.decision == "none"
        assert said.note.startswith("nothing to check")

"""Linters that are installed, what they say of a file, and what is said of those that are not installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tenterhook.library.project.config_files import linters

JOB = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make test\n"
SOUND = {
    ".github/workflows/ci.yml": JOB,
    ".gitlab-ci.yml": ".base: {image: x}\na:\n  extends: .base\n  script:\n    - !reference [.base, script]\n",
    "docker-compose.override.yml": "services:\n  web:\n    environment: {A: b}\n",
    "compose.yaml": "services:\n  web:\n    build: .\n    volumes: ['data:/data']\nvolumes:\n  data:\n",
    "Dockerfile": "FROM python:3.13 AS build\nWORKDIR /app\nCOPY . .\nRUN make\nCMD ['a']\n",
    "web.Dockerfile": "FROM x\nRUN <<EOF\nanything\nEOF\n",
}
WRONG = {
    ".github/workflows/ci.yml": (JOB.replace("runs-on", "run-on"), "3:3: jobs.test: 'runs-on' is a required property"),
    ".github/workflows/on.yml": (JOB.replace("on: push\n", ""), "1:1: 'on' is a required property"),
    ".gitlab-ci.yml": ("stages: build\na: {script: x}\n", "1:1: stages: 'build' is not of type 'array'"),
    "compose.yaml": ("services:\n  a: {imag: x}\n", "2:3: services.a: Unevaluated properties are not allowed ('imag'"),
    "Dockerfile": ("FROM alpine\nRNU true\n", "2:1: unexpected 'R' expecting"),
    "Dockerfile.dev": ("RUN x\n", "1:1: Invalid instruction order. Dockerfile must begin with `FROM`"),
}


def lint(folder: Path, name: str, text: str, seconds: float = 30) -> tuple[list[str], str]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return linters.lint(str(path), text, seconds)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_file_has_no_problems(tmp_path: Path, name: str) -> None:
    assert lint(tmp_path, name, SOUND[name]) == ([], "")


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, name: str) -> None:
    text, expected = WRONG[name]

    found, unchecked = lint(tmp_path, name, text)

    assert found
    assert found[0].startswith(expected), found
    assert not unchecked


def test_the_better_linter_is_asked_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that prints what actionlint prints; the name of the file cannot be taken for an option."""
    told = [{"message": 'job "b" needs\n job "c"', "filepath": "x", "line": 3, "column": 5, "kind": "job-needs"}]
    program = tmp_path / "bin" / "actionlint"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nassert sys.argv[-1] == './-x.yml'\nprint({json.dumps(told)!r})\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")

    assert lint(tmp_path, ".github/workflows/-x.yml", JOB) == (['3:5: job "b" needs job "c"'], "")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Dockerfile", "RNU x\n", "the instructions of a Dockerfile (install hadolint)"),
        (
            ".github/workflows/ci.yml",
            "{}",
            "what GitHub expects of a workflow (install actionlint, or pip install 'tenterhook[config]')",
        ),
        ("k.yaml", "kind: Pod\napiVersion: v1\n", "what Kubernetes expects of a manifest (run kubeconform yourself"),
    ],
)
def test_what_cannot_be_checked_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, expected: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    found, unchecked = lint(tmp_path, name, text)

    assert not found
    assert unchecked.startswith(expected)


@pytest.mark.parametrize(("said", "seconds"), [("sleep 30", 0.3), ("echo 'no JSON'", 5), ("exit 3", 5), ("echo []", 0)])
def test_a_linter_that_gives_no_answer_is_told_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, seconds: float
) -> None:
    program = tmp_path / "hadolint"
    program.write_text(f"#!/bin/sh\n{said}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    assert lint(tmp_path, "Dockerfile", "FROM x\n", seconds) == (
        [],
        "the instructions of a Dockerfile (hadolint gave no answer)",
    )


def test_what_a_file_is_for_follows_from_its_name() -> None:
    names = {
        "app.Dockerfile": "dockerfile",
        "Containerfile": "dockerfile",
        "Dockerfile.md": "",
        "dockerfile.py": "",
        "docker-compose.prod.yml": "compose",
        "composer.yml": "",
        "ci/x.gitlab-ci.yml": "gitlab",
        "a.toml": "",
    }

    assert names == {name: linters.kind(name) for name in names}

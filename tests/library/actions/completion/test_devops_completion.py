"""devops-completion: what changed, and whether every such file is sound."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.req("CC-ACT-table")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True, timeout=30)
    (tmp_path / "main.py").write_text("{")
    return tmp_path


def test_changed_files_that_are_sound_are_reported(act: Callable[..., Any], project: Path) -> None:
    (project / "a.yaml").write_text("a: 1\n")
    (project / "Dockerfile").write_text("FROM x\n")

    said = act("devops-completion")

    assert said.decision == "none"
    assert "changed: 2 config files (Dockerfile, a.yaml)" in said.message
    assert "read: 2 config files, sound" in said.message


def test_what_could_not_be_checked_is_reported(act: Callable[..., Any], project: Path) -> None:
    (project / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\n")

    said = act("devops-completion")

    assert said.decision == "none"
    assert "read: 1 config file, no fault found\nnot checked: what Kubernetes expects of a manifest" in said.message
    assert "in pod.yaml" in said.note


def test_one_that_is_not_sound_is_refused(act: Callable[..., Any], project: Path) -> None:
    (project / "a.yaml").write_text("a: 1\n")
    (project / "k8s").mkdir()
    (project / "k8s" / "b.yaml").write_text("apiVersion: v1\nkind: Pod\nkind: Pod\n")

    said = act("devops-completion")

    assert said.decision == "deny"
    assert "k8s/b.yaml:3:1: the key 'kind' stands here again" in said.reason


def test_without_a_repository_every_such_file_is_read(act: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "ci.yml").write_text("on: push\n")

    said = act("devops-completion")

    assert said.decision == "deny"
    assert ".github/workflows/ci.yml:1:1: 'jobs' is a required property" in said.reason


def test_many_problems_stay_a_short_reason(act: Callable[..., Any], project: Path) -> None:
    for number in range(100):
        (project / f"{number}.json").write_text("{")

    said = act("devops-completion")

    assert said.decision == "deny"
    assert len(said.reason.splitlines()) <= 20
    assert len(said.reason) <= 2000
    assert "not done yet, 100 problems" in said.reason

"""Servers that end with their tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Project
from tenterhook.cli.server.client import SWITCH

from .served import Raw, Served


@pytest.fixture
def served(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """No server runs yet; commands use one, which other tests keep them from."""
    monkeypatch.delenv(SWITCH)
    if sys.platform != "linux":
        pytest.skip("tenter serve needs Linux")
    made = Served(project, tmp_path / "run")
    yield made
    made.close()


@pytest.fixture
def raw(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Raw]:
    """A server, and a client in the test's process, which stands in the project and has its environment."""
    for name, value in served.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(served.project.root)
    served.start("--parallel", "8")
    made = Raw(served)
    yield made
    made.close()

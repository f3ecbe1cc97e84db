"""Confined processes, by each mechanism that works here; and a folder that is in nobody's profile."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .confined import Confined, need


@pytest.fixture(params=["namespace", "landlock"])
def confined(request: pytest.FixtureRequest, tmp_path: Path) -> Confined:
    """Each mechanism that works here."""
    need(request.param)
    return Confined(request.param, tmp_path)


@pytest.fixture
def in_namespace(tmp_path: Path) -> Confined:
    need("namespace")
    return Confined("namespace", tmp_path)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of its own, outside of pytest's: what is above it belongs to nobody's profile."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="tenterhook-")))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)

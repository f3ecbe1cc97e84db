"""Sample projects that the actions' tests run for real, in folders with names that a shell would trip over."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clean_start import works

from .conftest import Answered

Hook = Callable[..., Answered]
Nested = Callable[..., dict[str, Any]]
FOLDER = 'it\'s "my" $(touch run) project'
GOOD, BAD = "def add(a, b):\n    return a + b\n", "def add(a, b):\n    return a - b\n"
TESTS = """from app import add


def test_adds():
    assert add(1, 2) == 3


def test_nothing():
    assert add(0, 0) == 0
"""
UNITTESTS = """import unittest

from app import add


class Adding(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)
"""
PYPROJECT = (
    '[project]\nname = "sample"\nversion = "1"\n\n[tool.pytest.ini_options]\npythonpath = ["src"]\naddopts = "-q"\n'
)
NODE_GOOD, NODE_BAD = "exports.add = (a, b) => a + b\n", "exports.add = (a, b) => a - b\n"
NODE_TESTS = """const test = require('node:test')
const assert = require('node:assert')
const { add } = require('../app.js')

test('adds', () => {
  assert.strictEqual(add(1, 2), 3)
})
"""

needs_node = pytest.mark.skipif(not works("node", "--version"), reason="node does not run here")


def put(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def python(tmp_path: Path, code: str = GOOD, tests: str = TESTS, more: dict[str, str] | None = None) -> Path:
    """src/app.py and tests/test_app.py, run by pytest; without tests where those are empty."""
    files = {"pyproject.toml": PYPROJECT, "src/app.py": code, **({"tests/test_app.py": tests} if tests else {})}
    return put(tmp_path / FOLDER, {**files, **(more or {})})


def unittests(tmp_path: Path, code: str = GOOD) -> Path:
    """app.py and tests/test_app.py without a manifest, run by unittest."""
    return put(tmp_path / FOLDER, {"app.py": code, "tests/test_app.py": UNITTESTS})


def node(tmp_path: Path, code: str = NODE_GOOD, tests: str = NODE_TESTS, more: dict[str, str] | None = None) -> Path:
    """app.js and test/app.test.js, run by node itself."""
    files = {"package.json": '{"name": "sample", "scripts": {"test": "node --test test/"}}', "app.js": code}
    return put(tmp_path / FOLDER, {**files, **({"test/app.test.js": tests} if tests else {}), **(more or {})})


def write(root: Path, name: str, text: str | None = None) -> dict[str, Any]:
    """A Write of that file: after the tool, of what stands there."""
    content = (root / name).read_text() if text is None else text
    return {"tool_name": "Write", "tool_input": {"file_path": str(root / name), "content": content}}


def changed(root: Path, name: str, text: str) -> dict[str, Any]:
    """The same, done."""
    put(root, {name: text})
    return write(root, name)


def git(root: Path, *words: str) -> None:
    """A git of this test's own: no settings but these."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


def committed(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    return root

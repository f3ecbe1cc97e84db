"""Functions of a project: what is imported is what was read, and nothing that somebody puts beside it."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trust.conftest import Trusting

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
REFUSES = "def check(event):\n    return {'decision': 'deny', 'reason': 'as written'}\n"
OTHER = "open('pwned', 'w').close()\ndef check(event):\n    return None\n"


@pytest.fixture(autouse=True)
def clean_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules of one test's project are not another's."""
    before, path = set(sys.modules), sys.path[:]
    yield
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("policy", "re2"):
            del sys.modules[name]


@pytest.fixture
def function(trusting: Trusting, monkeypatch: pytest.MonkeyPatch) -> Trusting:
    """A function in a folder without an `__init__.py`, approved."""
    monkeypatch.chdir(trusting.root)
    trusting.project.write(
        "tenterhook.toml", '[[hook]]\non = "tool.before"\ntype = "python"\nfunction = "policy.guard.check"\n'
    )
    trusting.project.write("policy/guard.py", REFUSES)
    return trusting


def bytecode(path: Path, text: str) -> None:
    """What Python takes for the compiled file without looking at the file: unchecked, by its hash."""
    import _frozen_importlib_external as machinery

    made: Any = machinery
    cache = Path(importlib.util.cache_from_source(str(path)))
    cache.parent.mkdir(exist_ok=True)
    code = compile(text, str(path), "exec")
    cache.write_bytes(made._code_to_hash_pyc(code, importlib.util.source_hash(path.read_bytes()), False))


def test_bytecode_beside_a_module_is_not_what_runs(function: Trusting) -> None:
    bytecode(function.root / "policy/guard.py", OTHER)
    function.approve()

    outcome = function.fire()
    assert outcome.reason == "as written"
    assert not function.project.has("pwned")


@pytest.mark.parametrize("rival", ["policy/__init__.py", "policy/guard/__init__.py", "policy.py"])
def test_a_module_that_would_come_first_is_a_change(function: Trusting, rival: str) -> None:
    """Written after the config was read, and before the first event imports anything."""
    function.approve()
    with function.engine() as engine:
        assert [hook.state for hook in engine.hooks()] == ["trusted"]
        function.project.write(rival, OTHER)
        outcome = engine.fire("tool.before", **CALL)

    assert (outcome.decision, outcome.attempts[0].error) == ("ask", "modified")
    assert function.states() == ["modified"]
    assert not function.project.has("pwned")


def test_what_is_not_there_is_neither_shown_nor_locked(function: Trusting) -> None:
    shown = function.tenter("trust")
    function.tenter("lock")

    assert "bound to policy/guard.py" in shown.stdout
    assert "not there" not in shown.stdout
    assert "absent" not in function.project.read("tenterhook.lock")


@pytest.mark.skipif(importlib.util.find_spec("re2") is not None, reason="re2 is installed")
def test_a_library_that_is_not_installed_is_not_taken_from_the_project(function: Trusting) -> None:
    """The project's folder is importable for its approved function, not for us."""
    from tenterhook.pipeline.regex.re2 import engine

    function.approve()
    function.fire()
    function.project.write("re2.py", "open('pwned', 'w').close()\nclass Options: pass\n")
    assert str(function.root) in sys.path
    engine.cache_clear()

    assert engine() is None
    assert not os.path.exists(function.root / "pwned")

"""Opening and firing in a hostile repository executes nothing before trust."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.repositories import DIALECTS, EVENT, REPOSITORIES, Trap, has, watched

TENTER = Path(sys.executable).with_name("tenter")


@pytest.fixture
def port() -> Iterator[tuple[socket.socket, int]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server, server.getsockname()[1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.mark.parametrize("name", REPOSITORIES)
def test_nothing_of_it_runs_before_trust(
    name: str, tmp_path: Path, home: Path, port: tuple[socket.socket, int]
) -> None:
    """Every command, in every dialect, under an audit hook for processes, imports, code and connections."""
    server, number = port
    trap = Trap(tmp_path / "repository", tmp_path / "canaries", number)
    REPOSITORIES[name](trap)
    seen, codes = watched(trap, home)

    assert not seen
    assert not [code for code in codes if isinstance(code, str)]
    assert not list(trap.canaries.iterdir())
    with pytest.raises(TimeoutError):
        server.accept()


@pytest.mark.parametrize("name", REPOSITORIES)
def test_the_real_command_runs_nothing_of_it_either(name: str, tmp_path: Path, home: Path) -> None:
    """A process of its own in the repository's folder, with that folder's modules beside it."""
    trap = Trap(tmp_path / "repository", tmp_path / "canaries", 9)
    REPOSITORIES[name](trap)
    environ = {**os.environ, "HOME": str(home)}
    environ.pop("XDG_STATE_HOME", None)
    for dialect in DIALECTS:
        done = subprocess.run(
            [str(TENTER), "fire", "tool.before", "--dialect", dialect, "--require-trusted"],
            cwd=trap.root, env=environ, input=EVENT, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1, 4)
        assert "Traceback" not in done.stderr

    assert not list(trap.canaries.iterdir())


@pytest.mark.parametrize("words", [[TENTER], [sys.executable, "-m", "tenterhook"]])
def test_doctor_imports_nothing_of_the_folder_it_stands_in(words: list[str], tmp_path: Path, home: Path) -> None:
    """Its probes are programs of their own, with modules of Python's and of ours; these lie nearer."""
    trap = Trap(tmp_path / "repository", tmp_path / "canaries", 9)
    ours = "tenterhook/__init__.py" if words == [TENTER] else "msgspec.py"  # -m takes what is called as it is from here
    for name in (ours, "ctypes.py", "subprocess.py", "json.py", "struct.py", "tempfile.py"):
        trap.module(name)
    done = subprocess.run(
        [*words, "doctor", "--json"],
        cwd=trap.root, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert json.loads(done.stdout)
    assert not list(trap.canaries.iterdir())


def test_the_traps_would_work() -> None:
    """There are twelve, and every dialect that can be fired at has its event."""
    assert len(REPOSITORIES) >= 12
    assert all(has(dialect, "tool.before") for dialect in DIALECTS)


@pytest.mark.parametrize("name", ["before_the_dialog", "own_bypass", "in_ci", "worm", "importing", "absent_settings"])
def test_with_the_bypass_they_do_run(name: str, tmp_path: Path, home: Path) -> None:
    """Otherwise an empty folder of canaries would prove nothing."""
    trap = Trap(tmp_path / "repository", tmp_path / "canaries", 9)
    REPOSITORIES[name](trap)
    environ = {**os.environ, "HOME": str(home)}
    for dialect in DIALECTS:
        for event in ("tool.before", "session.start"):
            given = json.dumps({**json.loads(EVENT), "agent_type": "helper", "agent_id": "helper", "source": "startup"})
            subprocess.run(
                [str(TENTER), "fire", event, "--dialect", dialect, "--trust"],
                cwd=trap.root, env=environ, input=given, capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip

    assert list(trap.canaries.iterdir())

"""Where the suite is started from changes nothing: variables, signals, umask, niceness, tools that do not run."""

import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clean_start import works

LOOK = """
import clean_start
clean_start.reset()
import json, os, signal
ignored = [number.name for number in signal.valid_signals() if isinstance(number, signal.Signals)
           and signal.getsignal(number) == signal.SIG_IGN]
print(json.dumps({
    "environ": dict(os.environ), "ignored": sorted(ignored), "umask": os.umask(0), "nice": os.nice(0),
    "blocked": len(signal.pthread_sigmask(signal.SIG_BLOCK, ())), "home": os.listdir(os.environ["HOME"]),
}))
"""
ODD = {
    "PYTHONUNBUFFERED": "1", "PIP_INDEX_URL": "x", "CARGO_HOME": "/absent", "GIT_DIR": "/absent", "LC_ALL": "POSIX",
    "XDG_CONFIG_HOME": "/absent", "TENTERHOOK_OFF": "1", "PYTEST_ADDOPTS": "-x", "https_proxy": "x", "TZ": "Asia/Tokyo",
}  # fmt: skip


def start_oddly() -> None:
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGUSR1,))
    os.umask(0o077)
    os.nice(5)


def test_the_suite_starts_the_same_wherever_it_is_started(tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text("[core]\n")
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=Path(__file__).parent,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **ODD},
        preexec_fn=start_oddly,
        capture_output=True,
        check=True,
        timeout=60,
    )
    found = json.loads(done.stdout)

    assert found["environ"].pop("HOME") != str(tmp_path)
    assert found["environ"].pop("PATH") == os.environ["PATH"]
    assert {name for name in found["environ"] if not name.startswith("LC_CTYPE")} == {"LANG"}
    assert (found["ignored"], found["blocked"], found["umask"], found["home"]) == (["SIGPIPE", "SIGXFSZ"], 0, 0o022, [])
    assert found["nice"] == (0 if os.geteuid() == 0 else os.nice(0) + 5)


def test_a_package_that_no_installer_has_compiled_can_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "uncompiled.py").write_text('TEXT = """a\\/b"""\n')
    monkeypatch.syspath_prepend(tmp_path)

    assert importlib.import_module("uncompiled").TEXT == "a\\/b"


def test_a_tool_counts_when_it_runs_and_not_when_it_lies_on_the_path(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho 'no tool chain is configured' >&2\nexit 1\n")
    broken.chmod(0o755)

    assert works(sys.executable, "--version")
    assert not works(str(broken), "--version")
    assert not works(str(tmp_path / "absent"), "--version")

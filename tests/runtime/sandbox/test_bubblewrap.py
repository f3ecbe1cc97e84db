"""bubblewrap in front of a hook: the same places closed, hidden and open."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tenterhook.runtime.sandbox import bubblewrap
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.runtime.sandbox.proof import profile, world


def test_without_a_bwrap_that_works_there_is_nothing_to_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "PLACES", ("/no/such/bwrap", str(broken)))
    bubblewrap.find_working_bwrap.cache_clear()
    try:
        assert bubblewrap.build_bwrap_argv(["true"], Profile("none")) is None
    finally:
        bubblewrap.find_working_bwrap.cache_clear()


@pytest.fixture
def _bwrap() -> None:
    if not bubblewrap.find_working_bwrap():
        pytest.skip("no bwrap here, or it may not make namespaces")


@pytest.mark.usefixtures("_bwrap")
@pytest.mark.parametrize(
    ("text", "works"),
    [
        ("echo x > new && echo x > src/new", True),
        ("echo x > .claude/logs/new", True),
        ("echo x > /dev/null && cat src/own", True),
        ("echo x > $OUTSIDE/new", False),
        ("test -s $HOME/.netrc && cat $HOME/.netrc", False),
        ("cat $HOME/.ssh/id_ed25519", False),
        ("echo x > .git/hooks/pre-commit", False),
        ("echo x > .git/config", False),
        ("mv .git .gone", False),
        ("echo x > .claude/settings.local.json", False),
        ("kill -0 $HOST", False),
        ("cat /proc/$HOST/environ", False),
        ("mount -t tmpfs x /tmp", False),
    ],
)
def test_what_may_be_done_may_be_done_and_nothing_else(place: Path, text: str, works: bool) -> None:
    with world(str(place)) as made:
        argv = bubblewrap.build_bwrap_argv(["/bin/sh", "-c", text], profile(str(place), "none"))
        env = {"PATH": "/usr/bin:/bin", "HOME": made["home"], "OUTSIDE": made["outside"], "HOST": made["host"]}
        assert argv is not None
        done = subprocess.run(
            argv, cwd=made["project"], env=env, capture_output=True, text=True, timeout=30, check=False
        )

    assert (done.returncode == 0) is works, done.stderr


@pytest.mark.usefixtures("_bwrap")
@pytest.mark.parametrize(("network", "reached"), [("none", False), ("loopback", False), ("full", True)])
def test_the_network_is_the_one_that_was_asked_for(place: Path, network: str, reached: bool) -> None:
    with world(str(place)) as made:
        text = f"exec 3<>/dev/tcp/127.0.0.1/{made['port']}"
        argv = bubblewrap.build_bwrap_argv(["bash", "-c", text], profile(str(place), network))
        assert argv is not None
        done = subprocess.run(argv, capture_output=True, timeout=30, check=False)

    assert (done.returncode == 0) is reached, done.stderr

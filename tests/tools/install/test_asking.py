"""On a terminal the user is asked, after everything was shown."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import snapshot

GUARD = "hook files/my guard.py"


@pytest.mark.parametrize(("answer", "code"), [(b"no\n", 1), (b"y\n", 0)])
def test_only_a_clear_yes_writes(answer: bytes, code: int, project: Path) -> None:
    before = snapshot(project)
    mine, theirs = pty.openpty()
    words = [sys.executable, "-m", "tenterhook", "install", "--agent", "wave", GUARD]
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ) as child:
        os.close(theirs)
        os.write(mine, answer)
        shown = read(mine)
        assert child.wait(30) == code, shown
    os.close(mine)

    assert shown.index("Wave: .wave/settings.json") < shown.index("Write this? [y/N]")
    assert (snapshot(project) == before) == bool(code)


def read(descriptor: int) -> str:
    """All that is written until the other side closes."""
    found = b""
    while True:
        try:
            part = os.read(descriptor, 1 << 16)
        except OSError:
            part = b""
        if not part:
            return found.decode()
        found += part

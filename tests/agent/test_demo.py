"""`make demo` shows what it says it shows, and leaves nothing behind."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def files() -> list[Path]:
    return sorted(path for path in (ROOT / "examples" / "agent").rglob("*") if "__pycache__" not in path.parts)


def test_the_demo_shows_every_effect_that_it_names(tmp_path: Path) -> None:
    """A stranger reads this in half a minute, so each line counts."""
    before = files()
    env = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}

    done = subprocess.run([sys.executable, ROOT / "scripts" / "demo.py"], capture_output=True, text=True, env=env)

    assert done.returncode == 0, done.stderr
    assert not done.stderr
    shown = " ".join(done.stdout.split())  # lines are as wide as the terminal
    for line in (
        "[hook house rules] adds for the model: House rules",
        "TOKEN=[hidden]",
        "[hook no forced pushes] blocked Bash: Forced pushes are not allowed here.",
        "[hook release as a dry run] changed the input, command: ./release.sh --dry-run",
        "release.sh --dry-run: version 1.4 would be published",
        "[hook tests are green] sends the agent back to work: The tests fail",
        "[hook spell check] greet.py has no spelling mistakes.",
        "The greeting is polite, with a name and without, and the tests pass.",
        "6 hooks ran 11 times",
    ):
        assert line in shown
    assert "not-a-real-token" not in shown
    assert max(map(len, done.stdout.splitlines())) <= 120
    assert not list(tmp_path.iterdir())
    assert files() == before

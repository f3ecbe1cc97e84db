"""What the tests of warm interpreters share: a helper of their own, and scripts run both ways."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from processes import LINUX
from tenterhook.runtime.process import Completed, Program, run
from tenterhook.runtime.supervisor.client import Helper
from tenterhook.runtime.warm.script import PythonScript, recognise_script

STRANGE = 'it\'s "a" $(touch pwned) my project'
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "LANG": "C.UTF-8"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "warm" in Path(item.fspath).parent.name and not LINUX:
            item.add_marker(pytest.mark.skip(reason="there are warm interpreters on Linux only"))


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    made = Both(tmp_path / STRANGE)
    yield made
    made.close()


class Both:
    """A folder of scripts, run in interpreters of their own or in copies of a warm one."""

    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        self.folder, self.python = folder, python
        folder.mkdir(exist_ok=True)
        self.env: dict[str, str] = dict(ENV)
        self.helper = Helper("auto")

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        # As if it had stood there for a while: what was written just now is read again each time.
        os.utime(path, (1_700_000_000, 1_700_000_000))
        if text.startswith("#!"):
            path.chmod(0o755)
        return path

    def program(self, name: str, *args: str, **options: Any) -> Program:
        argv = (self.python, *options.pop("flags", ()), name, *args)
        usual = {"stdin": b"{}", "env": self.env, "cwd": str(self.folder), "timeout": 60.0, "grace": 0.2}
        return Program(options.pop("argv", argv), **{**usual, **options})

    def cold(self, name: str, *args: str, **options: Any) -> Completed:
        return run(self.program(name, *args, **options), self.helper)

    def warm(self, name: str, *args: str, **options: Any) -> Completed:
        """As it is now: the first one is cold."""
        return run(self.program(name, *args, warm=True, **options), self.helper)

    def prepare(self, name: str, *args: str, **options: Any) -> None:
        """Until it is ready, or known not to be."""
        self.warm(name, *args, **options)
        assert self.helper.warm is not None
        assert self.helper.warm.wait(120)

    def prepared(self, name: str, *args: str, **options: Any) -> Completed:
        """Run in a copy. Not the first one where something was installed just now: a cache written by the first run."""
        until = time.monotonic() + 60
        while True:
            self.prepare(name, *args, **options)
            done = self.warm(name, *args, **options)
            given_up = self.helper.warm is not None and bool(self.helper.warm.hopeless)
            if done.warm or given_up or name in self.reasons() or time.monotonic() > until:
                break
        assert done.warm, (done, self.reasons())
        return done

    def reasons(self) -> dict[str, str]:
        """By script, why it will not run in a copy."""
        assert self.helper.warm is not None
        kept = self.helper.warm.interpreters.values()
        return {Path(path).name: state.why for one in kept for path, state in one.scripts.items() if state.why}

    def interpreter(self) -> int:
        """The process number of the warm interpreter."""
        self.write("parent.py", "import os\nprint(os.getppid())")
        return int(self.prepared("parent.py").stdout)

    def recognised(self, *argv: str) -> PythonScript | str:
        return recognise_script(argv, self.env, str(self.folder))

    def close(self) -> None:
        with self.helper.lock:
            self.helper.end()

"""Engines to measure, each proven first: a hook that fails to start is very fast."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from timeit import Timer
from typing import Any

from tenterhook.engine.engine import Engine
from tenterhook.tools.approve import decide
from tenterhook.types import Hook, Source

FIRE = "fire('tool.before', tool_name='Bash', tool_input=given)"
GIVEN: dict[str, Any] = {"command": "ls -la", "timeout": 60}


def nothing(event: object = None) -> None:
    """The hook that all rows run: what it does must not count."""


def proven(engine: Engine, attempts: int, skipped: int = 0) -> Engine:
    """It does what it is measured for."""
    outcome = engine.fire("tool.before", tool_name="Bash", tool_input=GIVEN)
    assert (len(outcome.attempts), len(outcome.skipped)) == (attempts, skipped), outcome
    assert all(one.error is None and not one.exit_code for one in outcome.attempts), outcome
    return engine


def firing(engine: Engine) -> Timer:
    return Timer(FIRE, globals={"fire": engine.fire, "given": GIVEN})


def in_code(*matchers: str) -> Engine:
    """An engine without files, and a function for each matcher."""
    engine = Engine(files=False)
    source = Source(__file__)
    spec = {"main": nothing, "form": "function"}
    engine.put(
        *(
            Hook(name=f"hook {n}", event="tool.before", handler="python", spec=spec, source=source, matcher=matcher)
            for n, matcher in enumerate(matchers)
        )
    )
    return engine


@contextmanager
def hooked(*commands: str | list[str], mode: str = "", others: int = 0, **options: Any) -> Iterator[Engine]:
    """An engine of our own dialect with everything on, whose user has approved the project's hooks.

    `others` are hooks for other tools.
    """
    with TemporaryDirectory() as folder:
        project, home = Path(folder, "project"), Path(folder, "home")
        project.mkdir()
        home.mkdir()
        entry = '[[hook]]\non = "tool.before"\nmatch = "Bash"\ncommand = {}\n'
        texts = [str(words) if isinstance(words, list) else f'"{words}"' for words in commands]
        more = [f'[[hook]]\non = "tool.before"\nmatch = "Other{n}"\ncommand = "other {n}"\n' for n in range(others)]
        (project / "tenterhook.toml").write_text("".join((*map(entry.format, texts), *more)))
        approve(project, home)
        # One home, as a user has: of two the secrets would be looked for in both.
        with Engine(project, mode=mode, home=home, environ={**os.environ, "HOME": str(home)}, **options) as engine:
            yield engine


def approve(project: Path, home: Path | None = None) -> None:
    """As `tenter trust --yes` does."""
    found = decide.look(project, home=home)
    decide.approve(found, decide.approvable(found.standings), found.gone)

"""A project whose hooks somebody has to approve."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from tenterhook import Engine, Outcome
from tenterhook.tools.approve import decide

TENTER = Path(sys.executable).with_name("tenter")


class Trusting:
    """A project, and its user's word on it."""

    def __init__(self, project: Project) -> None:
        self.project, self.root, self.home = project, project.root, project.home_folder

    def look(self, dialect: str = "") -> decide.ProjectReview:
        return decide.look(
            self.root, agents=[dialect] if dialect else [], home=self.home, environ=self.project.environ()
        )

    def approve(self, *names: str) -> None:
        """As `tenter trust --yes` does."""
        found = self.look()
        wanted = [one for one in decide.approvable(found.standings) if not names or decide.fits_any(one.item, names)]
        decide.approve(found, wanted, found.gone)

    def deny(self, *names: str) -> None:
        found = self.look()
        meant = [one for one in found.standings if decide.fits_any(one.item, names)]
        decide.deny(found, meant if names else None)

    def revoke(self, *names: str) -> None:
        decide.revoke(self.look(), names or None)

    def engine(self, dialect: str = "tenterhook", **options: Any) -> Engine:
        return self.project.engine(dialect, **{"trust": "ask", **options})

    def fire(
        self, event: str = "tool.before", dialect: str = "tenterhook", tool: str = "Bash", **options: Any
    ) -> Outcome:
        data = {"tool_name": tool, "tool_input": {"command": "ls"}}
        return self.project.fire(dialect, event, data, **{"trust": "ask", **options})

    def states(self, dialect: str = "tenterhook", **options: Any) -> list[str]:
        return [hook.state for hook in self.engine(dialect, **options).hooks()]

    def tenter(self, *words: str, given: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(TENTER), *words], cwd=self.root, env=self.project.environ(**env), input=given, text=True,
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip


@pytest.fixture
def trusting(project: Project) -> Trusting:
    return Trusting(project)


@pytest.fixture
def guarded(trusting: Trusting) -> Trusting:
    """One hook, not approved yet, that leaves the file `ran` behind and refuses."""
    trusting.project.write(
        "tenterhook.toml", '[[hook]]\non = "tool.before"\nname = "guard"\nmatch = "Bash"\ncommand = "./guard.sh"\n'
    )
    trusting.project.script("guard.sh", "touch ran\necho no >&2\nexit 2\n")
    return trusting


Fixture = Callable[..., Any]
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")

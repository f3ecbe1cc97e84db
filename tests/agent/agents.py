"""What the agent's tests share: run the command in a project with a script, and read its transcript."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct

from conftest import Project

Entry = dict[str, Any]


class Run(Struct):
    code: int
    entries: list[Entry]
    stdout: str
    stderr: str

    def of(self, kind: str) -> list[Entry]:
        return [one for one in self.entries if one["kind"] == kind]

    @property
    def end(self) -> Entry:
        return self.entries[-1]


def call(name: str, /, **input: Any) -> dict[str, Any]:
    return {"name": name, "input": input}


def script(project: Project, *replies: str | dict[str, Any] | list[dict[str, Any]]) -> Path:
    """A reply is a text, a list of calls, or both as an object."""
    rows = [
        {"text": one} if isinstance(one, str) else {"calls": one} if isinstance(one, list) else one for one in replies
    ]
    path = project.home_folder / "script.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def words(project: Project, dialect: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "tenterhook", "agent", "--dialect", dialect, "--project", str(project.root), *more]


def run(
    project: Project, dialect: str, *replies: Any, prompt: str = "Go.", args: tuple[str, ...] = ("--trust",)
) -> Run:
    kept = project.home_folder / "transcript.jsonl"
    options = ("--script", str(script(project, *replies)), "--prompt", prompt, "--transcript", str(kept), *args)
    done = ended(project, words(project, dialect, *options))
    entries = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    return Run(done.returncode, entries, done.stdout, done.stderr)


def ended(
    project: Project, command: list[str], stdin: str | None = None, **environ: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=60,
        env=project.environ(**environ),
        cwd=project.home_folder,
        check=False,
    )

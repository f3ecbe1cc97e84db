"""A journal to look at, and lines to put into one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from conftest import Project

DENIES = '[[hook]]\nname = "guard"\non = "tool.before"\nmatch = "Bash"\ncommand = "echo not here >&2; exit 2"\n'


class Kept:
    """The journal of one project's user."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = project.home_folder / ".local/state/tenterhook/journal"

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*.jsonl"))

    def raw(self) -> bytes:
        return b"".join(file.read_bytes() for file in self.files())

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.raw().splitlines()]

    def put(self, *entries: dict[str, Any], file: str = "2026-11-16-0001.jsonl") -> None:
        """Lines as a writer leaves them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / file).open("a") as opened:
            opened.writelines(json.dumps(entry) + "\n" for entry in entries)

    def add(self, data: bytes) -> None:
        """Whatever else may stand at the end of the only file."""
        [file] = self.files()
        with file.open("ab") as opened:
            opened.write(data)

    def tenter(self, *words: str, stdin: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "tenterhook.cli.main", *words]
        return subprocess.run(
            argv, cwd=self.project.root, env=self.project.environ(), input=stdin, capture_output=True, text=True,
            timeout=60, check=False, **options,
        )  # fmt: skip


def entry(number: int, **more: Any) -> dict[str, Any]:
    """A line of its own, as an engine of today writes it."""
    usual = {
        "schema": 1,
        "time": f"2026-11-16T09:{number // 60:02}:{number % 60:02}.000Z",
        "pid": 7,
        "id": f"abc-{number}",
        "project": "/work/shop",
        "session": "first",
        "dialect": "tenterhook",
        "mode": "strict",
        "event": "tool.before",
        "kind": "tool.before",
        "decision": "none",
        "blocked": False,
        "success": True,
    }
    return {**usual, **more}


def ran(hook: str, seconds: float = 0.001, **more: Any) -> dict[str, Any]:
    return {"hook": hook, "type": "command", "source": "hooks.toml:1", "seconds": seconds, **more}

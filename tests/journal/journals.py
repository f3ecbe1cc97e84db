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
        """The entries, each with what its parts say."""
        parts: dict[str, dict[str, Any]] = {}
        found = []
        for line in map(json.loads, self.raw().splitlines()):
            if "part" in line:
                parts[line["part"]] = line
            else:
                found.append({**parts.get(line.get("context"), {}), **parts.get(line.get("plan"), {}), **line})
        return found

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
        "schema": 2,
        "time": f"2026-11-16T09:{number // 60:02}:{number % 60:02}.000Z",
        "pid": 7,
        "id": f"abc-{number}",
        "project": "/work/shop",
        "session": "first",
        "agent": "tenterhook",
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


def plan(name: str, *skipped: tuple[str, str]) -> dict[str, Any]:
    """A part that says which hooks did not run, and why."""
    hooks = [{"hook": hook, "source": "hooks.toml:1", "why": why} for hook, why in skipped]
    return {"schema": 2, "part": name, "skipped": hooks}

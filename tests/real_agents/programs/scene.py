"""Where a client runs: a home of its own, a scratch project with a tool that leaves a mark, and what hooks answer."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PROGRAM = Path(__file__).with_name("program.py")
# It lingers: some clients lose what a command prints that is over at once.
MARK = """#!/bin/sh
echo "$1" >> marks
echo "TOOL-OUTPUT $1"
sleep 0.1
"""


class Answer(NamedTuple):
    """What a hook does: after so many seconds it says this and exits. `times` is how often; then it says nothing.

    With a signal it ends itself by that in place of exiting.
    """

    exit_code: int = 0
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    signal: int = 0
    times: int = 1 << 30


class Entry(NamedTuple):
    """One hook of an event as a config has it: which of the event's hooks it is, and what it is for.

    Without a command of its own it is the plain hook.
    """

    place: int = 0
    matcher: str | None = None
    command: str = ""


class Fired(NamedTuple):
    """One call of a hook; `place` is which of the event's hooks it was."""

    event: str
    stdin: str
    environ: dict[str, str]
    place: int = 0

    @property
    def payload(self) -> Any:
        return json.loads(self.stdin)


# For each of the client's events: what must stand in the input, and what its hooks answer then, one after the other.
Answers = Mapping[str, Sequence[tuple[str, Answer | Sequence[Answer]]]]
# For each of the client's events: its hooks.
Entries = Mapping[str, Sequence[Entry]]


def one_each(events: Iterable[str]) -> Entries:
    return {event: (Entry(),) for event in events}


class Scene:
    """One for each run. Nothing of the tester's own home or settings is in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.project, self.temporary = (folder / name for name in ("home", "project", "tmp"))
        for made in (self.home, self.project, self.temporary):
            made.mkdir(parents=True)
        self.write("project/mark.sh", MARK).chmod(0o755)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def write_json(self, name: str, value: Any) -> Path:
        return self.write(name, json.dumps(value, indent=1))

    def answer(self, answers: Answers) -> None:
        rows = {event: [(text, as_rows(said)) for text, said in found] for event, found in answers.items()}
        self.write_json("answers.json", rows)

    def command(self, event: str, place: int = 0) -> str:
        """The line of a config that calls the plain hook."""
        return shlex.join([sys.executable, "-I", "-S", str(PROGRAM), str(self.folder), event, str(place)])

    def environ(self, **more: str) -> dict[str, str]:
        usual = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**usual, "HOME": str(self.home), "TMPDIR": str(self.temporary), "SHELL": "/bin/bash", **more}

    @property
    def marks(self) -> list[str]:
        """What the tool was called with, each time that it ran."""
        path = self.project / "marks"
        return path.read_text().split() if path.exists() else []

    @property
    def fired(self) -> list[Fired]:
        path = self.folder / "fired.jsonl"
        return [Fired(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def as_rows(said: Answer | Sequence[Answer]) -> list[dict[str, Any]]:
    return [one._asdict() for one in ([said] if isinstance(said, Answer) else said)]

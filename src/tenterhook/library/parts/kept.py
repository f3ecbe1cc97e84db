"""State that a hook keeps between the calls of one session: lines of JSON, outside of the project, for a week.

A line is written in one piece, so hooks of concurrent tool calls do not spoil each other's lines.
"""

from __future__ import annotations

import json
import os

from tenterhook.author import hook
from tenterhook.errors import UsageError
from tenterhook.library.project.ledger import digest, prune
from tenterhook.support import files
from tenterhook.support.paths import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author import Answer, Event

LARGEST = 4 << 20


class Kept:
    """One session's lines for one hook."""

    __slots__ = ("base", "file")

    def __init__(self, event: Event, name: str) -> None:
        self.base = os.path.join(state_folder(os.environ, os.path.expanduser("~")), "library")
        session = digest(f"{event.agent}\0{event.session or os.path.realpath(event.project)}")
        self.file = os.path.join(self.base, name, f"{session}.jsonl")

    def add(self, line: dict[str, Any]) -> None:
        fresh = not os.path.exists(self.file)
        try:
            if fresh:
                os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
                prune(self.base)
            append(self.file, json.dumps(line))
        except OSError as exc:
            raise self.problem(exc) from None

    def lines(self) -> list[dict[str, Any]]:
        """The lines that can be parsed."""
        try:
            texts = files.contents(self.file, LARGEST).splitlines()
        except FileNotFoundError:
            return []
        except OSError as exc:
            raise self.problem(exc) from None
        return [line for line in map(read, texts) if line is not None]

    def problem(self, exc: OSError) -> UsageError:
        return UsageError(f"{self.file}: {exc.strerror or exc}: without it nothing can be counted")


def once(event: Event, name: str, text: str) -> Answer | None:
    """Tell the user once in a session; the hook must not keep anything else."""
    kept = Kept(event, name)
    if kept.lines():
        return None
    kept.add({"said": True})
    return hook.notify(text)


def read(text: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def append(file: str, line: str) -> None:
    """Append one whole line to a file that only the user can read; never through a symlink."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(file, flags, 0o600)
    try:
        os.write(descriptor, line.encode("utf-8", "backslashreplace") + b"\n")
    finally:
        os.close(descriptor)
